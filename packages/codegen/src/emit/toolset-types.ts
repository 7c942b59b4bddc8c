import { cachedBy } from '../defined.js'
import type { Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import type { EmittedFile } from '../output/files.js'
import { shapeOf } from '../schema/read-shape.js'
import type { Shape, ShapeField } from '../schema/shape.js'
import { declarationText, typeText } from '../schema/type-text.js'
import { byCodePoint, docComment, lineWidth, propertyNameText, stringText } from '../text.js'
import { failureNames, failuresOf } from './design-queries.js'
import { type GeneratedFile, openApiRuntime } from './generated-file.js'

/**
 * `sent` is the type of values that your code passes to toolgen. `read` is the type of decoded values, in which fields with a default are always
 * present.
 */
export type Form = 'sent' | 'read'

export interface Definitions {
  /** Both kinds have the same name if their types are equal. */
  nameOf(definition: string, form: Form): string
  differs(shape: Shape): boolean
  readonly shapes: ReadonlyMap<string, Shape>
}

export function readDefinitions(toolset: ToolsetIr): Definitions {
  const shapes = new Map(
    Object.entries(toolset.defs).map(([name, schema]): [string, Shape] => [
      name,
      // A definition that only references itself allows any value; TypeScript has no other type for it.
      reachesItself(name, toolset.defs) ? { kind: 'unknown', schema: {} } : shapeOf(schema, toolset.defs),
    ]),
  )
  const twofold = new Set<string>()
  const differs = (shape: Shape): boolean =>
    factsOf(shape).differs || [...referencesOf(shape)].some((name) => twofold.has(name))
  for (let before = -1; before !== twofold.size; ) {
    before = twofold.size
    for (const [name, shape] of shapes) if (differs(shape)) twofold.add(name)
  }
  const nameOf = (definition: string, form: Form): string => {
    const names = Object.hasOwn(toolset.names.defs, definition) ? toolset.names.defs[definition] : undefined
    if (names === undefined) return 'unknown'
    return twofold.has(definition) ? names[form] : names.sent
  }
  return { nameOf, differs, shapes }
}

export function referencesOf(shape: Shape): ReadonlySet<string> {
  return factsOf(shape).references
}

const factsOf = cachedBy((shape: Shape) => {
  const references = new Set<string>()
  const read = typeText(shape, { form: 'read', nameOf: (name) => references.add(name) && name })
  return { references, differs: typeText(shape, { form: 'sent', nameOf: (name) => name }) !== read }
})

/** TypeScript rejects a type alias that references itself without an object or array in between. */
function reachesItself(name: string, defs: Readonly<Record<string, Schema>>): boolean {
  const seen = new Set<string>()
  const visit = (shape: Shape): boolean => {
    if (shape.kind === 'union') return shape.variants.some(visit)
    if (shape.kind === 'intersection') return shape.parts.some(visit)
    if (shape.kind !== 'ref') return false
    if (shape.name === name) return true
    const target = Object.hasOwn(defs, shape.name) ? defs[shape.name] : undefined
    if (target === undefined || seen.has(shape.name)) return false
    seen.add(shape.name)
    return visit(shapeOf(target, defs))
  }
  return visit(shapeOf(defs[name] ?? true, defs))
}

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
    return { comment: docComment(comment), text: declarationText(name, shape, { form, nameOf }) }
  }
  const errorType = ({ id, errors = {}, names }: ToolIr): readonly Declaration[] => {
    if (names.errors === undefined) return []
    const fields = Object.entries(errors).map(([name, schema]): ShapeField => {
      const shape = shapeOf(schema, toolset.defs)
      use(shape, 'sent')
      return { name, required: true, shape }
    })
    const start = `export type ${names.errors.type} = ${file.type('ApiErrors', openApiRuntime)}<`
    const nameOf = (definition: string): string => definitions.nameOf(definition, 'sent')
    const bodies: Shape = { kind: 'object', fields, schema: {} }
    const text = typeText(bodies, { form: 'sent', nameOf }, { indent: 0, used: start.length + 1 })
    return [{ comment: docComment(`Errors of \`${id}\`, by status.`), text: `${start}${text}>` }]
  }
  const failuresType = ({
    id,
    failures = [],
    errors = {},
    statusFailures = {},
    names,
  }: ToolIr): readonly Declaration[] => {
    if (names.failures === undefined) return []
    const members = failures.map(({ name, schema }) => {
      const data = schema === undefined ? 'undefined' : failureNames(toolset, name).data
      return `\n  | { readonly reason: ${stringText(name)}; readonly data: ${data} }`
    })
    for (const [status, name] of Object.entries(statusFailures)) {
      const shape = shapeOf(errors[status] ?? true, toolset.defs)
      use(shape, 'sent')
      const nameOf = (definition: string): string => definitions.nameOf(definition, 'sent')
      const start = `  | { readonly reason: ${stringText(name)}; readonly data: `
      const data = typeText(shape, { form: 'sent', nameOf }, { indent: 2, used: start.length + 2 })
      members.push(`\n${start}${data} }`)
    }
    return [
      {
        comment: docComment(`Failures that \`${id}\` declares.`),
        text: `export type ${names.failures.type} =${members.join('')}`,
      },
    ]
  }
  const ofFailures = failuresOf(toolset).flatMap(({ name, schema, description }) => {
    if (schema === undefined) return []
    const comment = `Data of the failure \`${name}\`${description === undefined ? '.' : `: ${description}`}`
    return [declare(failureNames(toolset, name).data, comment, shapeOf(schema, toolset.defs), 'sent')]
  })
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
        : { comment: docComment(comment), text: derived },
      declare(names.result, `Result of \`${id}\`.`, shapeOf(tool.result, toolset.defs), 'sent'),
      ...(updates === undefined
        ? []
        : [declare(names.update, `An update of \`${id}\`.`, shapeOf(updates, toolset.defs), 'sent')]),
      ...errorType(tool),
      ...failuresType(tool),
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
  return file.print('toolset-types', toolset.location, { declarations: [...ofTools, ...ofFailures, ...shared] })
}

interface Declaration {
  readonly comment: string
  readonly text: string
}

function argumentsComment(tool: ToolIr): string {
  const short = `Arguments of \`${tool.id}\``
  const long = `${short}: ${tool.description.trim()}`
  return docComment(long).includes('\n') ? `${short}.` : long
}

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
