import type { Json, Schema } from '../../ir/types.js'
import { resolveShape, type Shape, shapeOf } from '../../schema/shape/shape.js'

/** What lies deeper is left out: a type that contains itself has no end. */
const deepest = 6

/** What a call has to give at least, with a stand-in for each value: for tools without an example. */
export function argumentOutline(schema: Schema, defs: Readonly<Record<string, Schema>>): Json {
  return outlineOf(shapeOf(schema, defs), defs, 0)
}

function outlineOf(shape: Shape, defs: Readonly<Record<string, Schema>>, depth: number): Json {
  const below = (inner: Shape): Json => outlineOf(inner, defs, depth + 1)
  if (depth > deepest) return null
  const found = resolveShape(shape, defs)
  switch (found.kind) {
    case 'null':
      return null
    case 'boolean':
      return true
    case 'number':
      return 1
    case 'literals':
      return found.values[0] ?? null
    case 'array':
      return [below(found.items)]
    case 'tuple':
      return found.items.slice(0, found.required).map(below)
    case 'object':
      return Object.fromEntries(
        found.fields.flatMap(({ name, shape: field, required }) => (required ? [[name, below(field)]] : [])),
      )
    case 'union':
      return found.variants[0] === undefined ? null : below(found.variants[0])
    case 'intersection':
      return Object.assign({}, ...found.parts.map(below))
    default:
      return '…'
  }
}
