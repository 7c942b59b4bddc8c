import { isObject, isSchema, mapItems, mapValues, without } from './json.js'
import type { Json, Schema, SchemaObject } from './json-schema.js'

/** What the value of a keyword must be. */
export type KeywordValue =
  | 'schema'
  | 'schemas'
  | 'schema map'
  | 'type'
  | 'text'
  | 'pattern'
  | 'number'
  | 'positive number'
  | 'count'
  | 'flag'
  | 'list'
  | 'names'
  | 'names map'
  | 'anything'

/** Every keyword of JSON Schema 2020-12 that is understood, with what its value must be. */
export const keywords: ReadonlyMap<string, KeywordValue> = new Map<string, KeywordValue>([
  ...each(['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'items', 'unevaluatedItems'], 'schema'),
  ...each(['contains', 'not', 'if', 'then', 'else', 'contentSchema'], 'schema'),
  ...each(['allOf', 'anyOf', 'oneOf', 'prefixItems'], 'schemas'),
  ...each(['properties', 'patternProperties', 'dependentSchemas', '$defs'], 'schema map'),
  ...each(['type'], 'type'),
  ...each(['title', 'description', '$ref', '$schema', '$id', '$anchor', '$comment', 'format'], 'text'),
  ...each(['contentEncoding', 'contentMediaType'], 'text'),
  ...each(['pattern'], 'pattern'),
  ...each(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], 'number'),
  ...each(['multipleOf'], 'positive number'),
  ...each(['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'], 'count'),
  ...each(['minProperties', 'maxProperties'], 'count'),
  ...each(['uniqueItems', 'deprecated', 'readOnly', 'writeOnly'], 'flag'),
  ...each(['enum', 'examples'], 'list'),
  ...each(['required'], 'names'),
  ...each(['dependentRequired'], 'names map'),
  ...each(['const', 'default'], 'anything'),
])

/** Keywords that restrict nothing: what people and models read of a schema. */
export const annotations: readonly string[] = [
  ...['title', 'description', 'default', 'examples', '$comment'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]

/** A schema without what restricts nothing; many schemas differ in that alone. */
export function rulesOnly(schema: Schema): Schema {
  return typeof schema === 'boolean' ? schema : mapSubschemas(without(schema, annotations), rulesOnly)
}

/** The names that `type` may have. */
export const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

function each(names: readonly string[], value: KeywordValue): readonly (readonly [string, KeywordValue])[] {
  return names.map((name) => [name, value])
}

/** A schema with every schema directly inside it replaced; other keywords stay as they are. Itself where nothing changes. */
export function mapSubschemas(
  schema: SchemaObject,
  replace: (subschema: Schema, keys: readonly string[]) => Schema,
): SchemaObject {
  return mapValues(schema, (value, keyword) => {
    const kind = keywords.get(keyword)
    if (kind === 'schema') return isSchema(value) ? replace(value, [keyword]) : value
    const part = (item: Json, key: string | number): Json =>
      isSchema(item) ? replace(item, [keyword, String(key)]) : item
    if (kind === 'schemas' && Array.isArray(value)) return mapItems(value, part)
    return kind === 'schema map' && isObject(value) ? mapValues(value, part) : value
  })
}

/** A copy that shares no schema with the original. */
export function copyOf(schema: Schema): Schema {
  return typeof schema === 'boolean' ? schema : mapSubschemas({ ...schema }, copyOf)
}

/** Calls `visit` for every schema directly inside a schema. */
export function eachSubschema(schema: SchemaObject, visit: (subschema: Schema, keys: readonly string[]) => void): void {
  for (const keyword of Object.keys(schema)) {
    const kind = keywords.get(keyword)
    if (kind !== 'schema' && kind !== 'schemas' && kind !== 'schema map') continue
    const value = schema[keyword]
    if (kind === 'schema') {
      if (isSchema(value)) visit(value, [keyword])
      continue
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value) !== (kind === 'schemas')) continue
    for (const [key, item] of Object.entries(value)) if (isSchema(item)) visit(item, [keyword, key])
  }
}
