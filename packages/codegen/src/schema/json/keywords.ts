import { isObject, isSchema, objectFrom, without } from './json.js'
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

/** A copy of a schema with every schema directly inside it replaced; other keywords stay as they are. */
export function mapSubschemas(
  schema: SchemaObject,
  replace: (subschema: Schema, keys: readonly string[]) => Schema,
): SchemaObject {
  return objectFrom(
    Object.entries(schema).map(([keyword, value]): readonly [string, Json] => {
      const kind = keywords.get(keyword)
      if (kind === 'schema' && isSchema(value)) return [keyword, replace(value, [keyword])]
      if (kind === 'schemas' && Array.isArray(value)) {
        const list = value.map((item: Json, index) => (isSchema(item) ? replace(item, [keyword, String(index)]) : item))
        return [keyword, list]
      }
      if (kind !== 'schema map' || !isObject(value)) return [keyword, value]
      const entries = Object.entries(value)
      return [
        keyword,
        objectFrom(entries.map(([key, item]) => [key, isSchema(item) ? replace(item, [keyword, key]) : item] as const)),
      ]
    }),
  )
}

/** Calls `visit` for every schema directly inside a schema. */
export function eachSubschema(schema: SchemaObject, visit: (subschema: Schema, keys: readonly string[]) => void): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const kind = keywords.get(keyword)
    if (kind === 'schema' && isSchema(value)) visit(value, [keyword])
    const isNested = (kind === 'schemas' && Array.isArray(value)) || (kind === 'schema map' && isObject(value))
    if (!isNested) continue
    for (const [key, item] of Object.entries(value)) if (isSchema(item)) visit(item, [keyword, key])
  }
}
