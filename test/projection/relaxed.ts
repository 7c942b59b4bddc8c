import { mapSubschemas } from '../../packages/runtime/src/projections/schemas.js'
import type { ProjectionChange } from '../../packages/runtime/src/projections.js'
import { isFields } from '../../packages/runtime/src/schema/json-values.js'

type Schema = Readonly<Record<string, unknown>>

/** From the exact place to anywhere: what was merged from several schemas has no place of its own. */
const LIKENESSES: readonly ((pointer: string) => string)[] = [
  (pointer) => pointer,
  (pointer) => pointer.replaceAll(/\/allOf\/\d+/g, ''),
  (pointer) => pointer.replaceAll(/\/(allOf|anyOf|oneOf)\/\d+/g, ''),
]

/** A schema without what a projection says that it loosened: whatever the projection takes must be valid here. */
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
  // What stood beside a union is written into every variant of it, and was taken out with the first.
  return schema
}

function weaker(schema: Schema, keyword: string): Schema {
  const { [keyword]: value, ...others } = schema
  // These are said in a weaker form rather than not at all.
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
