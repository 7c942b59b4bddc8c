import { isLegalPattern, mapSubschemas } from '@toolgen/runtime/schema'
import { cachedBy } from '../defined.js'
import { type Defs, isObject, isSchema, type Json, type Schema, type SchemaObject, without } from './json-schema.js'

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

export const annotations: readonly string[] = [
  ...['title', 'description', 'default', 'examples', '$comment'],
  ...['deprecated', 'readOnly', 'writeOnly'],
]

export function rulesOnly(schema: Schema): Schema {
  return typeof schema === 'boolean' ? schema : mapSubschemas(without(schema, annotations), rulesOnly)
}

export const typeNames: readonly string[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

function each(names: readonly string[], value: KeywordValue): readonly (readonly [string, KeywordValue])[] {
  return names.map((name) => [name, value])
}

export function copyOf(schema: Schema): Schema {
  return typeof schema === 'boolean' ? schema : mapSubschemas({ ...schema }, copyOf)
}

/** Returns `undefined` for a valid value or an unknown keyword, and otherwise the expected value, such as "a number above 0". */
export function expectedValue(keyword: string, value: Json): string | undefined {
  const kind = keywords.get(keyword)
  if (kind === undefined) return undefined
  const keyed = keyword === 'patternProperties' && isObject(value) ? Object.keys(value) : []
  const badKey = keyed.find((key) => !isLegalPattern(key))
  return badKey === undefined
    ? expectation(kind, value)
    : `an object with regular expressions as keys, not \`${badKey}\``
}

function expectation(kind: KeywordValue, value: Json): string | undefined {
  switch (kind) {
    case 'schema':
      return isSchema(value) ? undefined : 'a schema'
    case 'schemas':
      return isFullList(value) && value.every(isSchema) ? undefined : 'an array of at least one schema'
    case 'schema map':
      return isObject(value) && Object.values(value).every(isSchema) ? undefined : 'an object of schemas'
    case 'type':
      return isTypeList(value) ? undefined : `one or more of: ${typeNames.join(', ')}`
    case 'text':
      return typeof value === 'string' ? undefined : 'a string'
    case 'pattern':
      return typeof value === 'string' && isLegalPattern(value) ? undefined : 'a regular expression'
    case 'number':
      return typeof value === 'number' ? undefined : 'a number'
    case 'positive number':
      return typeof value === 'number' && value > 0 ? undefined : 'a number above 0'
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? undefined : 'an integer of 0 or more'
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'list':
      return Array.isArray(value) ? undefined : 'an array'
    case 'names':
      return isNames(value) ? undefined : 'an array of names'
    case 'names map':
      return isObject(value) && Object.values(value).every(isNames) ? undefined : 'an object of arrays of names'
    case 'anything':
      return undefined
  }
}

function isFullList(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isTypeList(value: Json): boolean {
  const names: readonly Json[] = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => typeof name === 'string' && typeNames.includes(name))
}

/** Cached results stay valid, because schema objects never change. */
export function knownBySchema<T>(
  read: (schema: SchemaObject, defs: Defs) => T,
): (schema: SchemaObject, defs: Defs) => T {
  const byDefs = cachedBy((defs: Defs) => cachedBy((schema: SchemaObject) => read(schema, defs)))
  return (schema, defs) => byDefs(defs)(schema)
}
