import type { Json, MetaPath, ToolIr, ToolsetIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { closedSchema } from '../schema/definitions.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { declarationText, typeText } from '../schema/type-text.js'
import { byCodePoint, docComment, keyText, lineWidth, propertyNameText, stringText } from '../text.js'
import { type Definitions, type Form, readDefinitions, referencesOf } from './definitions.js'
import type { GeneratedFile } from './generated-file.js'
import { block, constantHead, entry, functionHead, typeMember } from './layout.js'
import { acceptsNoArguments, decodedType, needsType, toolsetModule } from './tool-types.js'

/**
 * Emits the entry of a toolset's folder: the exports of its other files, and its descriptors.
 *
 * @param nested the meta fields that the agents need which serve the toolset
 */
export function toolsetIndex(toolset: ToolsetIr, nested: readonly MetaPath[], file: GeneratedFile): EmittedFile {
  const { names } = toolset
  const tools = toolset.tools.map((tool) => {
    const types = file.types('types', toolsetModule(toolset, 'types'))
    const [specs, codecs, calls] = ['specs', 'codecs', 'calls'].map((name) =>
      file.values(name, toolsetModule(toolset, name)),
    )
    const { names: own } = tool
    const descriptor = [
      `${types}.${own.arguments}`,
      decodedType(tool, types, file),
      `${types}.${own.result}`,
      needsType(tool, nested),
    ]
    return {
      member: typeMember(propertyNameText(tool.name), file.type('ToolDescriptor'), descriptor, 2),
      value: descriptorText(keyText(tool.name), [
        `spec: ${specs}.${own.spec}`,
        `payload: ${codecs}.${own.payloadCodec}`,
        `result: ${codecs}.${own.resultCodec}`,
        `call: ${calls}.${own.call}`,
      ]),
    }
  })
  return file.print('toolset-index', toolset.location, {
    exported: ['calls', 'codecs', 'specs', 'types'].map((name) =>
      stringText(file.specifier(toolsetModule(toolset, name).generated)),
    ),
    comment: docComment(toolset.description, 0),
    descriptor: names.descriptor,
    tools,
    freeze: file.value('toolDescriptors'),
    specs: { constant: names.specs, type: file.type('ToolSpec'), of: file.value('specsOf') },
    toolset: {
      comment: docComment(`Descriptor of the toolset \`${toolset.name}\` for the runtime.`, 0),
      type: file.type('ToolsetDescriptor'),
      constant: names.toolset,
      name: stringText(toolset.name),
      namespace: stringText(toolset.namespace),
      description: stringText(toolset.description),
      toolsOf: file.value('toolsOf'),
    },
  })
}

/** Returns a descriptor as an entry: on two lines where they fit, else each part on its own. */
function descriptorText(key: string, parts: readonly [string, string, string, string]): string {
  const [spec, payload, result, call] = parts
  const lines = [`${key}: { ${spec}, ${payload},`, `  ${result}, ${call} }`]
  // Lines are indented by two columns, and a comma follows the last one.
  if (lines.every((line) => line.length + 3 <= lineWidth)) return lines.join('\n  ')
  return `${key}: ${block(parts, 2)}`
}

/**
 * Emits the call builders of a toolset in the order of the design.
 *
 * @param nested the meta fields that the agents need which serve the toolset
 */
export function toolsetCalls(toolset: ToolsetIr, nested: readonly MetaPath[], file: GeneratedFile): EmittedFile {
  const calls = toolset.tools.map((tool) => {
    const types = file.types('types', toolsetModule(toolset, 'types'))
    const needs = needsType(tool, nested)
    const args = `args: ${types}.${tool.names.arguments}${acceptsNoArguments(tool, toolset) ? ' = {}' : ''}`
    const call = `${file.type('ToolCall')}<${types}.${tool.names.result}${needs === 'never' ? '' : `, ${needs}`}>`
    return {
      comment: docComment(tool.description, 0),
      head: functionHead(tool.names.call, [args, `options?: ${file.type('ToolCallOptions')}`], call),
      make: file.value('newToolCall'),
      spec: `${file.values('specs', toolsetModule(toolset, 'specs'))}.${tool.names.spec}`,
      codec: `${file.values('codecs', toolsetModule(toolset, 'codecs'))}.${tool.names.payloadCodec}`,
    }
  })
  return file.print('toolset-calls', toolset.location, { calls })
}

/** Emits the specs of a toolset in the order of the design. */
export function toolsetSpecs(toolset: ToolsetIr, file: GeneratedFile): EmittedFile {
  const specs = toolset.tools.map((tool) => {
    const { names, updates } = tool
    const codecs = file.values('codecs', toolsetModule(toolset, 'codecs'))
    const type = `${file.type('ToolSpec')}<${stringText(tool.id)}>`
    const call = `/* @__PURE__ */ ${file.value('toolSpec')}(`
    const head = constantHead(`${names.spec}: ${type}`, `${call}{`)
    const schemas = [names.payloadCodec, names.resultCodec, ...(updates === undefined ? [] : [names.updateCodec])]
    const entries = Object.entries(specFields(tool, toolset)).map(([key, value]) => entry(key, value, head.indent + 2))
    const codecArguments = schemas.map((name) => `${codecs}.${name}`).join(', ')
    return `${head.text}${call}${block(entries, head.indent)}, ${codecArguments})`
  })
  return file.print('toolset-specs', toolset.location, { specs })
}

/** Returns the fields of a spec that the runtime does not fill in. */
function specFields(tool: ToolIr, toolset: ToolsetIr): { readonly [key: string]: Json } {
  const { callHint, resultHint, confirmation, defaultLayers } = tool
  // The runtime takes the toolset's name to end at the first dot.
  const dotted = toolset.name.includes('.')
  const serverOwned = tool.serverOwned.map(({ field, from, schema }) => ({
    field,
    from,
    schema: closedSchema(schema, toolset.defs),
  }))
  return {
    id: tool.id,
    ...(dotted && { toolset: toolset.name, name: tool.name }),
    ...(toolset.namespace !== 'default' && { namespace: toolset.namespace }),
    ...(tool.toolName !== `${toolset.name}_${tool.name}` && { toolName: tool.toolName }),
    title: tool.title,
    description: tool.description,
    ...(tool.tags.length > 0 && { tags: tool.tags }),
    examples: tool.examples,
    ...(callHint !== undefined && { callHint }),
    ...(resultHint !== undefined && { resultHint }),
    ...(serverOwned.length > 0 && { serverOwned }),
    ...(Object.keys(tool.annotations).length > 0 && { annotations: { ...tool.annotations } }),
    ...(confirmation !== undefined && { confirmation: { ...confirmation } }),
    ...(defaultLayers !== undefined && { defaultLayers: { ...defaultLayers } }),
    hash: tool.hash,
  }
}

/** Emits the types of a toolset: of each tool in the order of the design, then the shared definitions that they use. */
export function toolsetTypes(toolset: ToolsetIr, file: GeneratedFile): EmittedFile {
  const definitions = readDefinitions(toolset)
  const used = new Map<string, { readonly definition: string; readonly shape: Shape; readonly form: Form }>()
  const use = (shape: Shape, form: Form): void => {
    for (const definition of referencesOf(shape)) {
      const inner = definitions.shapes.get(definition)
      const name = definitions.nameOf(definition, form)
      if (inner === undefined || used.has(name)) continue
      const isSent = name === definitions.nameOf(definition, 'sent')
      used.set(name, { definition, shape: inner, form: isSent ? 'sent' : form })
      use(inner, form)
    }
  }
  const declare = (name: string, comment: string, shape: Shape, form: Form): Declaration => {
    use(shape, form)
    const nameOf = (definition: string): string => definitions.nameOf(definition, form)
    return { comment: docComment(comment, 0), text: declarationText(name, shape, { form, nameOf }) }
  }
  const ofTools = toolset.tools.flatMap((tool) => {
    const { id, names, updates } = tool
    const sent = shapeOf(tool.arguments, toolset.defs)
    const payload = shapeOf(tool.payload, toolset.defs)
    use(payload, 'read')
    const comment = `Payload of \`${id}\`, as its executor receives it.`
    const derived = payloadFromArguments(tool, sent, payload, definitions, file)
    return [
      declare(names.arguments, argumentsComment(tool), sent, 'sent'),
      derived === undefined
        ? declare(names.payload, comment, payload, 'read')
        : { comment: docComment(comment, 0), text: derived },
      declare(names.result, `Result of \`${id}\`.`, shapeOf(tool.result, toolset.defs), 'sent'),
      ...(updates === undefined
        ? []
        : [declare(names.update, `An update of \`${id}\`.`, shapeOf(updates, toolset.defs), 'sent')]),
    ]
  })
  const shared = [...used]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([name, { definition, shape, form }]) => {
      const { description } = shape.schema
      const isDescribed = typeof description === 'string' && description.trim() !== ''
      const comment = isDescribed ? description : `The shared definition \`${definition}\`.`
      const ofRead = `\`${name.replace(/Read_?$/, '')}\` as an executor receives it.`
      return declare(name, form === 'read' ? ofRead : comment, shape, form)
    })
  return file.print('toolset-types', toolset.location, { declarations: [...ofTools, ...shared] })
}

interface Declaration {
  readonly comment: string
  readonly text: string
}

/** Returns the tool's description where it fits on the line; the call builder has it in any case. */
function argumentsComment(tool: ToolIr): string {
  const short = `Arguments of \`${tool.id}\``
  const long = `${short}: ${tool.description.trim()}`
  return docComment(long, 0).includes('\n') ? `${short}.` : long
}

/**
 * Returns a payload's type in terms of the arguments' type: the same, or `Received`, which names the fields that have a
 * default, with the server-owned fields added. Returns `undefined` where more differs: the payload is then written out.
 */
function payloadFromArguments(
  tool: ToolIr,
  sent: Shape,
  payload: Shape,
  definitions: Definitions,
  file: GeneratedFile,
): string | undefined {
  const { names } = tool
  if (tool.serverOwned.length === 0 && !definitions.differs(payload))
    return `export type ${names.payload} = ${names.arguments}`
  if (sent.kind !== 'object' || payload.kind !== 'object') return undefined
  const isSimple = sent.additional === undefined && sent.fields.length > 0
  if (!isSimple || sent.fields.some((field) => definitions.differs(field.shape))) return undefined
  const defaulted = sent.fields.filter((field) => field.default !== undefined).map(({ name }) => stringText(name))
  const fields = defaulted.length === 0 ? '' : `, ${defaulted.join(' | ')}`
  const received = `${file.type('Received')}<${names.arguments}${fields}>`
  const owned = new Set(tool.serverOwned.map(({ field }) => field))
  if (owned.size === 0) return declaration(`export type ${names.payload} =`, received)
  const nameOf = (definition: string): string => definitions.nameOf(definition, 'read')
  const added = payload.fields
    .filter((field) => owned.has(field.name))
    .map(({ name, shape, description }) => {
      const start = `readonly ${propertyNameText(name)}: `
      const member = `  ${start}${typeText(shape, { form: 'read', nameOf }, { indent: 2, used: start.length + 2 })}\n`
      return description?.trim() ? `  ${docComment(description, 2)}\n${member}` : member
    })
  return `${declaration(`export interface ${names.payload} extends`, received)} {\n${added.join('')}}`
}

function declaration(start: string, type: string): string {
  return start.length + type.length + 3 <= lineWidth ? `${start} ${type}` : `${start}\n  ${type}`
}
