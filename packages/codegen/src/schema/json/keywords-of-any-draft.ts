import { isObject, isSchema, mapItems, mapValues } from './json.js'
import type { Json, Schema, SchemaObject } from './json-schema.js'
import { keywords } from './keywords.js'

/** Replaces a schema; `keys` lead to it from the schema around it. */
export type ReplaceSchema = (subschema: Schema, keys: readonly string[]) => Schema

/** Keywords of older drafts that hold schemas, and how. */
const older: ReadonlyMap<string, 'schema' | 'schemas' | 'schema map'> = new Map([
  ['definitions', 'schema map'],
  ['additionalItems', 'schema'],
  ['dependencies', 'schema map'],
])

/**
 * Like `mapSubschemas`, over a schema as it was written: also in `definitions`, `dependencies`, `additionalItems` and
 * lists of `items`. What is no schema where one is expected stays as it is.
 */
export function mapSubschemasOfAnyDraft(schema: SchemaObject, replace: ReplaceSchema): SchemaObject {
  return mapValues(schema, (value, keyword) => replaced(keyword, value, replace))
}

/** Calls `visit` for every schema directly inside a schema as it was written, see {@link mapSubschemasOfAnyDraft}. */
export function eachSubschemaOfAnyDraft(
  schema: SchemaObject,
  visit: (subschema: Schema, keys: readonly string[]) => void,
): void {
  for (const [keyword, value] of Object.entries(schema)) {
    replaced(keyword, value, (subschema, keys) => {
      visit(subschema, keys)
      return subschema
    })
  }
}

function replaced(keyword: string, value: Json, replace: ReplaceSchema): Json {
  const kind = keywords.get(keyword) ?? older.get(keyword)
  const isList = kind === 'schemas' || keyword === 'items'
  if (isList && Array.isArray(value)) {
    return mapItems(value, (item, index) => (isSchema(item) ? replace(item, [keyword, String(index)]) : item))
  }
  if (kind === 'schema' && isSchema(value)) return replace(value, [keyword])
  if (kind !== 'schema map' || !isObject(value)) return value
  return mapValues(value, (item, key) => (isSchema(item) ? replace(item, [keyword, key]) : item))
}
