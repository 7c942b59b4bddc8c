import { mapSubschemas } from '../../packages/runtime/src/projections/schemas.js'
import type { ProjectionChange } from '../../packages/runtime/src/projections.js'
import { isFields } from '../../packages/runtime/src/schema/json-values.js'

type Schema = Readonly<Record<string, unknown>>

/** Comparisons of locations, from exact to loose. Keywords that were merged from several schemas have no exact location. */
const LIKENESSES: readonly ((pointer: string) => string)[] = [
  (pointer) => pointer,
  (pointer) => pointer.replaceAll(/\/allOf\/\d+/g, ''),
  (pointer) => pointer.replaceAll(/\/(allOf|anyOf|oneOf)\/\d+/g, ''),
]

/** Removes the constraints that a projection reports as loosened. Each value that is valid for the projection must be valid for the result. */
export function relaxed(schema: Schema, changes: readonly ProjectionChange[]): Schema {
  return changes.filter((change) => change.loosens).reduce(withoutKeyword, schema)
}

function withoutKeyword(schema: Schema, change: ProjectionChange): Schema {
  for (const likeness of LIKENESSES) {
    let found = false
    const without = relaxedAt(schema, '', (part, pointer) => {
      if (likeness(pointer) !== likeness(change.pointer) || !Object.hasOwn(part, change.keyword)) return part
      found = true
      return weaker(part, change.keyword)
    })
    if (found) return without
  }
  // Keywords next to a union are copied to each variant, and the first change has removed all copies.
  return schema
}

function weaker(schema: Schema, keyword: string): Schema {
  const { [keyword]: value, ...others } = schema
  // The projection weakens these keywords instead of removing them.
  if (keyword === 'oneOf') return { ...others, anyOf: value }
  if (keyword !== 'prefixItems' || !Array.isArray(value)) return others
  return { ...others, items: { anyOf: value }, maxItems: value.length }
}

function relaxedAt(schema: Schema, pointer: string, replace: (part: Schema, pointer: string) => Schema): Schema {
  const inside = mapSubschemas(schema, pointer, (part, place) => {
    return isFields(part) ? relaxedAt(part, place, replace) : part
  })
  return replace(inside, pointer)
}
