import type { Schema } from '../json/json-schema.js'
import { type Shape, shapeOf } from './shape.js'

type Defs = Readonly<Record<string, Schema>>

/**
 * Where a schema that no value fits asks for what there is not: the names of the required fields that lead there, none
 * when the schema itself does; undefined for a schema that some value may fit.
 */
export function impossiblePart(schema: Schema, defs: Defs): readonly string[] | undefined {
  return partIn(shapeOf(schema, defs), defs, new Map())
}

/** `known` holds what was found for definitions; one that is still being read is taken to be possible. */
function partIn(
  shape: Shape,
  defs: Defs,
  known: Map<string, readonly string[] | undefined>,
): readonly string[] | undefined {
  const first = (shapes: readonly Shape[]): readonly string[] | undefined =>
    shapes.map((each) => partIn(each, defs, known)).find((found) => found !== undefined)
  switch (shape.kind) {
    case 'never':
      return []
    case 'ref': {
      const { name } = shape
      const target = Object.hasOwn(defs, name) ? defs[name] : undefined
      if (known.has(name) || target === undefined) return known.get(name)
      known.set(name, undefined)
      const found = partIn(shapeOf(target, defs), defs, known)
      known.set(name, found)
      return found
    }
    case 'object':
      for (const { name, required, shape: inner } of shape.fields) {
        const found = required ? partIn(inner, defs, known) : undefined
        if (found !== undefined) return [name, ...found]
      }
      return undefined
    case 'tuple':
      return first(shape.items.slice(0, shape.required))
    case 'intersection':
      return first(shape.parts)
    case 'union': {
      const parts = shape.variants.map((variant) => partIn(variant, defs, known))
      return parts.every((part) => part !== undefined) ? parts[0] : undefined
    }
    default:
      return undefined
  }
}
