import type { Json, MetaPath, Schema, ToolIr, ToolsetIr } from '../ir/types.js'
import { isObject } from '../schema/json-schema.js'
import { type Shape, shapeOf } from '../schema/shape.js'
import { typeText } from '../schema/type-text.js'
import { byCodePoint, keyText, lineWidth, literalText, stringText } from '../text.js'
import { type ImportSet, runtimeModule } from './imports.js'
import { isInheritedName } from './use-binding.js'

/** True when `{}` is a call's arguments. */
export function requiresNothing(tool: ToolIr, toolset: ToolsetIr): boolean {
  const shape = shapeOf(tool.arguments, toolset.defs)
  if (shape.kind !== 'object') return false
  // `{}` has a `toString`, and it is no value of an optional field of that name.
  if (shape.fields.some((field) => isInheritedName(field.name))) return false
  return shape.fields.every((field) => !field.required || field.default !== undefined)
}

/** A readonly member whose type has arguments. */
interface TypeMember {
  /** As it is written, with its `?` where it is optional. */
  readonly name: string
  readonly type: string
  readonly parameters: readonly string[]
  /** How far the member is indented, in columns. */
  readonly indent: number
}

/** The member on one line, else its type on the next one, else each argument of its type on its own. */
export function typeMember({ name, type, parameters, indent }: TypeMember): string {
  const start = `readonly ${name}:`
  const flat = `${type}<${parameters.join(', ')}>`
  const margin = ' '.repeat(indent)
  if (indent + start.length + 1 + flat.length <= lineWidth) return `${start} ${flat}`
  if (indent + 2 + flat.length <= lineWidth) return `${start}\n${margin}  ${flat}`
  return `${start} ${type}<\n${parameters.map((each) => `${margin}  ${each}`).join(',\n')}\n${margin}>`
}

/**
 * An entry of an object literal whose type has choices, as code. Below a name that every object inherits the literal is
 * typed by itself: for the checker its choices would be any text otherwise.
 */
export function typedEntry(key: string, value: Json, indent: number): string {
  const start = `${keyText(key)}: `
  const end = hasInheritedName({ [key]: value }) ? ' as const' : ''
  return `${start}${literalText(value, { indent, used: indent + start.length + end.length + 1 })}${end}`
}

function hasInheritedName(value: Json): boolean {
  if (Array.isArray(value)) return value.some(hasInheritedName)
  return isObject(value) && Object.entries(value).some(([key, part]) => isInheritedName(key) || hasInheritedName(part))
}

/** The type of what a tool's payload codec yields: the payload, before its server-owned fields are filled. */
export function decodedType(tool: ToolIr, types: string, imports: ImportSet): string {
  const payload = `${types}.${tool.names.payload}`
  if (tool.serverOwned.length === 0) return payload
  const fields = literalUnion(tool.serverOwned.map((owned) => owned.field))
  return `${imports.type(runtimeModule, 'Unfilled')}<${payload}, ${fields}>`
}

/**
 * The meta fields that a call of a tool needs, as a union; `never` where it needs none.
 *
 * @param nested the fields that the tools of the agents need which serve the toolset
 */
export function needsType(tool: ToolIr, nested: readonly MetaPath[]): string {
  return literalUnion([...tool.serverOwned.map((owned) => owned.from), ...nested]) || 'never'
}

function literalUnion(texts: readonly string[]): string {
  return [...new Set(texts)].sort(byCodePoint).map(stringText).join(' | ')
}

/** The two forms of a type: what is sent, and what is read of it. */
export type Form = 'sent' | 'read'

/** The shared definitions of a toolset as types. */
export interface Definitions {
  /** The type's name of a definition in a form; both forms share a name where they do not differ. */
  nameOf(definition: string, form: Form): string
  /** True when a type is written differently in the two forms. */
  differs(shape: Shape): boolean
  readonly shapes: ReadonlyMap<string, Shape>
}

/** Reads the definitions of a toolset and finds out which of them need two types. */
export function readDefinitions(toolset: ToolsetIr): Definitions {
  const shapes = new Map(
    Object.entries(toolset.defs).map(([name, schema]) => [name, typeShape(name, schema, toolset.defs)] as const),
  )
  const twofold = new Set([...shapes].filter(([, shape]) => formsDiffer(shape)).map(([name]) => name))
  spread(twofold, shapes)
  const differs = (shape: Shape): boolean =>
    formsDiffer(shape) || [...referencesOf(shape)].some((name) => twofold.has(name))
  const nameOf = (definition: string, form: Form): string => {
    const names = Object.hasOwn(toolset.names.defs, definition) ? toolset.names.defs[definition] : undefined
    if (names === undefined) return 'unknown'
    return twofold.has(definition) ? names[form] : names.sent
  }
  return { nameOf, differs, shapes }
}

/** The definitions that a type refers to directly. */
export function referencesOf(shape: Shape): ReadonlySet<string> {
  const names = new Set<string>()
  typeText(shape, { form: 'read', nameOf: (name) => names.add(name) && name })
  return names
}

function formsDiffer(shape: Shape): boolean {
  const nameOf = (name: string): string => name
  return typeText(shape, { form: 'sent', nameOf }) !== typeText(shape, { form: 'read', nameOf })
}

/** Adds every definition that refers to one of `names`. */
function spread(names: Set<string>, shapes: ReadonlyMap<string, Shape>): void {
  for (let before = -1; before !== names.size; ) {
    before = names.size
    for (const [name, shape] of shapes) {
      if ([...referencesOf(shape)].some((reference) => names.has(reference))) names.add(name)
    }
  }
}

/** A definition's shape; one that consists of itself allows everything, and TypeScript has no other type for it. */
function typeShape(name: string, schema: Schema, defs: Readonly<Record<string, Schema>>): Shape {
  return reachesItself(name, defs) ? { kind: 'unknown', schema: {} } : shapeOf(schema, defs)
}

/** True when an alias of this definition would be circular: it reaches itself without an object or a list between. */
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
