import { own } from '../../schema/json/json.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { resolveShape, type Shape, type ShapeField, shapeOf } from '../../schema/shape/shape.js'

/** A field of what is sent or answered, at whatever depth. */
export interface Field {
  /** As people read it: `lines[].sku`. */
  readonly path: string
  /** The names that lead to it: `['lines', 'sku']`. */
  readonly names: readonly string[]
  readonly name: string
  /** What it holds: references followed, and `null` left out where there is something else. */
  readonly shape: Shape
  readonly required: boolean
  /** What is said of it, there or at the definition that it refers to. */
  readonly description?: string
}

type Defs = Readonly<Record<string, Schema>>

interface Walk {
  readonly defs: Defs
  /** By path: variants of a union often have a field in common. */
  readonly found: Map<string, Field>
}

/** Fields beyond these are not looked at: no model reads them either. */
const most = 2_000

/** Every field of a schema with those inside it, in the order of the design; what contains itself is gone into once. */
export function fieldsOf(schema: Schema, defs: Defs): readonly Field[] {
  const found = new Map<string, Field>()
  walk(shapeOf(schema, defs), { path: '', names: [] }, [], { defs, found })
  return [...found.values()]
}

/** The shape without references and without `null` beside one other shape. */
export function plainShape(shape: Shape, defs: Defs): Shape {
  const resolved = resolveShape(shape, defs)
  if (resolved.kind !== 'union') return resolved
  const [first, ...others] = resolved.variants.filter(({ kind }) => kind !== 'null')
  return first !== undefined && others.length === 0 ? resolveShape(first, defs) : resolved
}

type Above = Pick<Field, 'path' | 'names'>

function walk(shape: Shape, above: Above, open: readonly string[], context: Walk): void {
  if (context.found.size > most) return
  if (shape.kind === 'ref') {
    if (open.includes(shape.name)) return
    walk(shapeOf(own(context.defs, shape.name) ?? true, context.defs), above, [...open, shape.name], context)
    return
  }
  const each = (parts: readonly Shape[], place: Above): void => {
    for (const part of parts) walk(part, place, open, context)
  }
  const listed = { ...above, path: `${above.path}[]` }
  if (shape.kind === 'array') each([shape.items], listed)
  else if (shape.kind === 'tuple') each([...shape.items, ...(shape.rest === undefined ? [] : [shape.rest])], listed)
  else if (shape.kind === 'union') each(shape.variants, above)
  else if (shape.kind === 'intersection') each(shape.parts, above)
  else if (shape.kind === 'object') {
    for (const field of shape.fields) enter(field, above, open, context)
    if (shape.additional !== undefined) each([shape.additional], { ...above, path: join(above.path, '*') })
  }
}

function enter(field: ShapeField, above: Above, open: readonly string[], context: Walk): void {
  const place = { path: join(above.path, field.name), names: [...above.names, field.name] }
  const shape = plainShape(field.shape, context.defs)
  const known = context.found.get(place.path)
  // A variant that only requires a field says nothing of it.
  if (known !== undefined && (known.shape.kind !== 'unknown' || shape.kind === 'unknown')) return
  const description = field.description ?? describedBy(shape)
  const { name, required } = field
  context.found.set(place.path, { ...place, name, shape, required, ...(description !== undefined && { description }) })
  walk(field.shape, place, open, context)
}

/** What a definition says of itself, or a list of its items. */
function describedBy(shape: Shape): string | undefined {
  const said = own(shape.schema, 'description')
  if (typeof said === 'string') return said
  return shape.kind === 'array' && shape.items.kind !== 'ref' ? describedBy(shape.items) : undefined
}

function join(above: string, name: string): string {
  return above === '' ? name : `${above}.${name}`
}
