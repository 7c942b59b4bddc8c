import type { Schema } from '../json/json-schema.js'
import { resolveShape, type Shape } from './shape.js'

/**
 * What a shape may be: it without references, unions and intersections around it. A definition that may be itself adds nothing
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

/** What stands at a key of a shape: a field's name, or the index of an item; none where there is no such part. */
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
