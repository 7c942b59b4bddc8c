import type { Schema } from './json-schema.js'
import { resolveShape, shapeOf } from './read-shape.js'
import type { Shape } from './shape.js'

/** `undefined` for a definition that accepts values, and for a definition whose check is not finished. */
export type KnownParts = Map<string, readonly string[] | undefined>

/**
 * Finds the part that makes a schema impossible, such as a required field with the schema `false`. Returns the field names on the path to this
 * part, or `undefined` if a value can match the schema. The array is empty if the path contains no field. `known` stores results for one `defs`.
 */
export function impossiblePart(
  schema: Schema,
  defs: Readonly<Record<string, Schema>>,
  known: KnownParts = new Map(),
): readonly string[] | undefined {
  return partIn(shapeOf(schema, defs), defs, known)
}

function partIn(
  shape: Shape,
  defs: Readonly<Record<string, Schema>>,
  known: KnownParts,
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

export function isObjectPayload(payload: Schema, defs: Readonly<Record<string, Schema>>): boolean {
  const isObjectShape = (shape: Shape): boolean => {
    const resolved = resolveShape(shape, defs)
    if (resolved.kind === 'union') return resolved.variants.every(isObjectShape)
    if (resolved.kind === 'intersection') return resolved.parts.every(isObjectShape)
    return resolved.kind === 'object'
  }
  return isObjectShape(shapeOf(payload, defs))
}
