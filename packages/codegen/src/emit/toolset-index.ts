import type { Json, MetaPath, Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { closedSchema } from '../schema/definitions.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { declarationText, typeText } from '../schema/type-text.js'
import { byCodePoint, docComment, keyText, lineWidth, literalText, propertyNameText, stringText } from '../text.js'
import { generatedSpecifier, type ImportingFile, type ImportSet, importSet, runtimeModule } from './imports.js'
import {
  type Definitions,
  decodedType,
  type Form,
  needsType,
  readDefinitions,
  referencesOf,
  requiresNothing,
  typeMember,
} from './members.js'
import { block, constantHead, functionHead, header } from './templates.js'

/** What `toolset-index.hbs` shows. */
interface ToolsetIndexView {
  readonly header: string
  readonly imports: string
  readonly extension: string
  /** The specifier of the codecs, whose extension can be another. */
  readonly codecs: string
  readonly comment: string
  readonly descriptor: string
  readonly tools: readonly {
    /** As a member of the object's type. */
    readonly member: string
    /** As an entry of the object literal. */
    readonly value: string
  }[]
  /** The function that freezes the descriptors. */
  readonly freeze: string
  readonly specs: { readonly constant: string; readonly type: string; readonly of: string }
  readonly toolset: {
    readonly comment: string
    readonly type: string
    readonly constant: string
    readonly name: string
    readonly namespace: string
    readonly description: string
    readonly toolsOf: string
  }
}

/**
 * The entry of a toolset's folder: everything of its other files, and its descriptors.
 *
 * @param nested the meta fields that agents need which serve the toolset
 */
export function toolsetIndexView(
  toolset: ToolsetIr,
  nested: readonly MetaPath[],
  file: ImportingFile,
): ToolsetIndexView {
  const imports = importSet(file)
  const { names } = toolset
  const type = imports.type(runtimeModule, 'ToolsetDescriptor')
  const tools = toolset.tools.map((tool) => {
    const descriptor = imports.type(runtimeModule, 'ToolDescriptor')
    const of = (kind: string): string => `toolsets/${names.folder}/${kind}`
    const types = imports.types({ generated: of('types') }, 'types')
    const specs = imports.values({ generated: of('specs') }, 'specs')
    const codecs = imports.values({ generated: of('codecs') }, 'codecs')
    const calls = imports.values({ generated: of('calls') }, 'calls')
    const { names: own } = tool
    const parameters = [
      `${types}.${own.arguments}`,
      decodedType(tool, types, imports),
      `${types}.${own.result}`,
      needsType(tool, nested),
    ]
    return {
      member: typeMember({ name: propertyNameText(tool.name), type: descriptor, parameters, indent: 2 }),
      value: descriptorText(keyText(tool.name), [
        `spec: ${specs}.${own.spec}`,
        `payload: ${codecs}.${own.payloadCodec}`,
        `result: ${codecs}.${own.resultCodec}`,
        `call: ${calls}.${own.call}`,
      ]),
    }
  })
  const freeze = imports.value(runtimeModule, 'toolDescriptors')
  const toolsOf = imports.value(runtimeModule, 'toolsOf')
  const specs = {
    constant: names.specs,
    type: imports.type(runtimeModule, 'ToolSpec'),
    of: imports.value(runtimeModule, 'specsOf'),
  }
  return {
    header: header(toolset.location),
    imports: imports.text(),
    extension: file.extension,
    codecs: generatedSpecifier(`toolsets/${names.folder}/codecs`, file),
    comment: docComment(toolset.description, 0),
    descriptor: names.descriptor,
    tools,
    freeze,
    specs,
    toolset: {
      comment: docComment(`The toolset \`${toolset.name}\` as the runtime knows it.`, 0),
      type,
      constant: names.toolset,
      name: stringText(toolset.name),
      namespace: stringText(toolset.namespace),
      description: stringText(toolset.description),
      toolsOf,
    },
  }
}

/** A descriptor as an entry: on two lines where they fit, else each part on its own. */
function descriptorText(key: string, parts: readonly [string, string, string, string]): string {
  const [spec, payload, result, call] = parts
  const lines = [`${key}: { ${spec}, ${payload},`, `  ${result}, ${call} }`]
  // Lines are indented by two columns, and a comma follows the last one.
  if (lines.every((line) => line.length + 3 <= lineWidth)) return lines.join('\n  ')
  return `${key}: ${block(parts, 2)}`
}

/** What `toolset-calls.hbs` shows. */
interface ToolsetCallsView {
  readonly header: string
  readonly imports: string
  readonly newToolCall: string
  readonly calls: readonly {
    readonly comment: string
    readonly head: string
    readonly spec: string
    readonly codec: string
  }[]
}

/**
 * The call builders of a toolset in the order of the design.
 *
 * @param nested the meta fields that agents need which serve the toolset
 */
export function toolsetCallsView(
  toolset: ToolsetIr,
  nested: readonly MetaPath[],
  file: ImportingFile,
): ToolsetCallsView {
  const imports = importSet(file)
  if (toolset.tools.length === 0) return { header: header(toolset.location), imports: '', newToolCall: '', calls: [] }
  const folder = `toolsets/${toolset.names.folder}`
  const codecs = imports.values({ generated: `${folder}/codecs` }, 'codecs')
  const specs = imports.values({ generated: `${folder}/specs` }, 'specs')
  const types = imports.types({ generated: `${folder}/types` }, 'types')
  const call = imports.type(runtimeModule, 'ToolCall')
  const options = imports.type(runtimeModule, 'ToolCallOptions')
  const newToolCall = imports.value(runtimeModule, 'newToolCall')
  const calls = toolset.tools.map((tool) => {
    const needs = needsType(tool, nested)
    const args = `args: ${types}.${tool.names.arguments}${requiresNothing(tool, toolset) ? ' = {}' : ''}`
    const returns = `${call}<${types}.${tool.names.result}${needs === 'never' ? '' : `, ${needs}`}>`
    return {
      comment: docComment(tool.description, 0),
      head: functionHead(tool.names.call, [args, `options?: ${options}`], returns),
      spec: `${specs}.${tool.names.spec}`,
      codec: `${codecs}.${tool.names.payloadCodec}`,
    }
  })
  return { header: header(toolset.location), imports: imports.text(), newToolCall, calls }
}

/** What `toolset-specs.hbs` shows. */
interface ToolsetSpecsView {
  readonly header: string
  readonly imports: string
  /** Each a whole declaration. */
  readonly specs: readonly string[]
}

/** The specs of a toolset in the order of the design. */
export function toolsetSpecsView(toolset: ToolsetIr, file: ImportingFile): ToolsetSpecsView {
  const imports = importSet(file)
  const specs = toolset.tools.map((tool) => specText(tool, toolset, imports))
  return { header: header(toolset.location), imports: imports.text(), specs }
}

function specText(tool: ToolIr, toolset: ToolsetIr, imports: ImportSet): string {
  const { names } = tool
  const codecs = imports.values({ generated: `toolsets/${toolset.names.folder}/codecs` }, 'codecs')
  const type = `${imports.type(runtimeModule, 'ToolSpec')}<${stringText(tool.id)}>`
  const call = `/* @__PURE__ */ ${imports.value(runtimeModule, 'toolSpec')}(`
  const head = constantHead(`${names.spec}: ${type}`, `${call}{`)
  const described = [names.payloadCodec, names.resultCodec, ...(tool.updates === undefined ? [] : [names.updateCodec])]
  const schemas = described.map((name) => `${codecs}.${name}`).join(', ')
  const entries = specParts(tool, toolset).map(([key, value]) => entry(key, value, head.indent))
  return `${head.text}${call}${block(entries, head.indent)}, ${schemas})`
}

/** What the runtime does not fill in. */
function specParts(tool: ToolIr, toolset: ToolsetIr): readonly (readonly [key: string, value: Json])[] {
  const { confirmation, defaultLayers } = tool
  const annotations = { ...tool.annotations }
  const optional = (key: string, value: Json | undefined, implied?: Json): [string, Json][] =>
    value === undefined || value === implied ? [] : [[key, value]]
  const list = (key: string, value: readonly Json[]): [string, Json][] => (value.length === 0 ? [] : [[key, value]])
  // The runtime takes the toolset's name to end at the first dot.
  const dotted = toolset.name.includes('.')
  return [
    ['id', tool.id],
    ...optional('toolset', dotted ? toolset.name : undefined),
    ...optional('name', dotted ? tool.name : undefined),
    ...optional('namespace', toolset.namespace, 'default'),
    ...optional('toolName', tool.toolName, `${toolset.name}_${tool.name}`),
    ['title', tool.title],
    ['description', tool.description],
    ...list('tags', tool.tags),
    ['examples', tool.examples],
    ...optional('callHint', tool.callHint),
    ...optional('resultHint', tool.resultHint),
    ...list(
      'serverOwned',
      tool.serverOwned.map(({ field, from, schema }) => ({ field, from, schema: closedSchema(schema, toolset.defs) })),
    ),
    ...optional('annotations', Object.keys(annotations).length === 0 ? undefined : annotations),
    ...optional('confirmation', confirmation === undefined ? undefined : { ...confirmation }),
    ...optional('defaultLayers', defaultLayers === undefined ? undefined : { ...defaultLayers }),
    ['hash', tool.hash],
  ]
}

function entry(key: string, value: Json, indent: number): string {
  const start = `${key}: `
  return `${start}${literalText(value, { indent: indent + 2, used: indent + start.length + 3 })}`
}

/** A documented declaration. */
interface Declaration {
  readonly comment: string
  readonly text: string
}

/** What `toolset-types.hbs` shows. */
interface ToolsetTypesView {
  readonly header: string
  readonly imports: string
  readonly declarations: readonly Declaration[]
}

/** The types of a toolset: of each tool in the order of the design, then the shared definitions that they use. */
export function toolsetTypesView(toolset: ToolsetIr, file: ImportingFile): ToolsetTypesView {
  const imports = importSet(file)
  const definitions = readDefinitions(toolset)
  const used = new Map<string, UsedDefinition>()
  const use = (shape: Shape, form: Form): void => collectUsed(shape, form, definitions, used)
  const declare = (name: string, comment: string, shape: Shape, form: Form): Declaration => {
    use(shape, form)
    const nameOf = (definition: string): string => definitions.nameOf(definition, form)
    return { comment: docComment(comment, 0), text: declarationText(name, shape, { form, nameOf }) }
  }
  const ofTools = toolset.tools.flatMap((tool) => {
    use(shapeOf(tool.payload, toolset.defs), 'read')
    return toolDeclarations(tool, toolset.defs, definitions, declare, imports)
  })
  const ofDefinitions = [...used]
    .sort(([a], [b]) => byCodePoint(a, b))
    .map(([name, { definition, shape, form }]) =>
      declare(name, definitionComment(definition, shape, form, name), shape, form),
    )
  return { header: header(toolset.location), declarations: [...ofTools, ...ofDefinitions], imports: imports.text() }
}

type Declare = (name: string, comment: string, shape: Shape, form: Form) => Declaration

function toolDeclarations(
  tool: ToolIr,
  defs: Readonly<Record<string, Schema>>,
  definitions: Definitions,
  declare: Declare,
  imports: ImportSet,
): readonly Declaration[] {
  const { names } = tool
  const sent = shapeOf(tool.arguments, defs)
  const payload = shapeOf(tool.payload, defs)
  const comment = `What an executor of \`${tool.id}\` receives.`
  const derived = payloadFromArguments(tool, sent, payload, definitions, imports)
  return [
    declare(names.arguments, argumentsComment(tool), sent, 'sent'),
    derived === undefined
      ? declare(names.payload, comment, payload, 'read')
      : { comment: docComment(comment, 0), text: derived },
    declare(names.result, `Result of \`${tool.id}\`.`, shapeOf(tool.result, defs), 'sent'),
    ...(tool.updates === undefined
      ? []
      : [declare(names.update, `One update of \`${tool.id}\`.`, shapeOf(tool.updates, defs), 'sent')]),
  ]
}

/** Says what the tool does where that fits on the line; the call builder says it in any case. */
function argumentsComment(tool: ToolIr): string {
  const short = `Arguments of \`${tool.id}\``
  const long = `${short}: ${tool.description.trim()}`
  return docComment(long, 0).includes('\n') ? `${short}.` : long
}

interface UsedDefinition {
  readonly definition: string
  readonly shape: Shape
  readonly form: Form
}

/** Adds the definitions that a shape needs in a form, also through others. */
function collectUsed(shape: Shape, form: Form, definitions: Definitions, used: Map<string, UsedDefinition>): void {
  for (const definition of referencesOf(shape)) {
    const inner = definitions.shapes.get(definition)
    const name = definitions.nameOf(definition, form)
    if (inner === undefined || used.has(name)) continue
    used.set(name, { definition, shape: inner, form: name === definitions.nameOf(definition, 'sent') ? 'sent' : form })
    collectUsed(inner, form, definitions, used)
  }
}

function definitionComment(definition: string, shape: Shape, form: Form, name: string): string {
  const { description } = shape.schema
  if (form === 'read') return `\`${name.replace(/Read_?$/, '')}\` as an executor receives it.`
  return typeof description === 'string' && description.trim() !== ''
    ? description
    : `The shared definition \`${definition}\`.`
}

/**
 * A payload's type said in terms of the arguments' type: the same, or `Received`, which names the fields that have a
 * default, with the server-owned fields added. Absent where more differs; the payload is then written out.
 */
function payloadFromArguments(
  tool: ToolIr,
  sent: Shape,
  payload: Shape,
  definitions: Definitions,
  imports: ImportSet,
): string | undefined {
  const { names } = tool
  if (tool.serverOwned.length === 0 && !definitions.differs(payload))
    return `export type ${names.payload} = ${names.arguments}`
  if (sent.kind !== 'object' || payload.kind !== 'object') return undefined
  const simple = sent.additional === undefined && sent.fields.length > 0
  if (!simple || sent.fields.some((field) => definitions.differs(field.shape))) return undefined
  const defaulted = sent.fields.filter((field) => field.default !== undefined).map((field) => stringText(field.name))
  const received = `${imports.type(runtimeModule, 'Received')}<${[names.arguments, ...union(defaulted)].join(', ')}>`
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

function union(literals: readonly string[]): readonly string[] {
  return literals.length === 0 ? [] : [literals.join(' | ')]
}

function declaration(start: string, type: string): string {
  return start.length + type.length + 3 <= lineWidth ? `${start} ${type}` : `${start}\n  ${type}`
}
