import type { Schema } from './json-schema.js'
import { isObject } from './json-schema.js'
import { resolveShape, type Shape, shapeOf } from './shape.js'

/**
 * Returns the alternatives of a shape: it without references, unions and intersections around it. A definition that may be itself adds nothing
 * to what else it may be.
 *
 * @param within the definitions that are gone into right now
 */
export function alternativesOf(
  shape: Shape,
  defs: Readonly<Record<string, Schema>>,
  within: readonly string[] = [],
): readonly Shape[] {
  if (shape.kind === 'ref' && within.includes(shape.name)) return []
  const inside = shape.kind === 'ref' ? [...within, shape.name] : within
  const resolved = resolveShape(shape, defs)
  const below = (part: Shape): readonly Shape[] => alternativesOf(part, defs, inside)
  if (resolved.kind === 'union') return resolved.variants.flatMap(below)
  if (resolved.kind === 'intersection') return resolved.parts.flatMap(below)
  return [resolved]
}

/** Returns the shapes at a key of a shape: a field's name or an item's index; none where there is no such part. */
export function stepInto(shape: Shape, key: string): readonly Shape[] {
  if (shape.kind === 'unknown') return [shape]
  if (shape.kind === 'object') {
    const field = shape.fields.find(({ name }) => name === key)
    if (field !== undefined) return [field.shape]
    return shape.additional === undefined ? [] : [shape.additional]
  }
  if (!/^\d+$/.test(key)) return []
  if (shape.kind === 'array') return [shape.items]
  if (shape.kind !== 'tuple') return []
  const item = shape.items[Number(key)] ?? shape.rest
  return item === undefined ? [] : [item]
}

type Defs = Readonly<Record<string, Schema>>

/** Results by the name of a definition. A definition that is being read counts as possible. */
export type KnownParts = Map<string, readonly string[] | undefined>

/**
 * Returns the path of required fields to the part for which no value fits a schema, empty
 * when the schema itself does; undefined for a schema that some value may fit.
 *
 * @param known results of earlier calls with the same definitions. Default: none
 */
export function impossiblePart(
  schema: Schema,
  defs: Defs,
  known: KnownParts = new Map(),
): readonly string[] | undefined {
  return partIn(shapeOf(schema, defs), defs, known)
}

function partIn(shape: Shape, defs: Defs, known: KnownParts): readonly string[] | undefined {
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

/** Checks whether a payload is an object, or a union whose every variant is one. */
export function isObjectPayload(payload: Schema, defs: Readonly<Record<string, Schema>>): boolean {
  const isObject = (shape: Shape): boolean => {
    const resolved = resolveShape(shape, defs)
    if (resolved.kind === 'union') return resolved.variants.every(isObject)
    if (resolved.kind === 'intersection') return resolved.parts.every(isObject)
    return resolved.kind === 'object'
  }
  return isObject(shapeOf(payload, defs))
}
