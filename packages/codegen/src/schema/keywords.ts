import {
  isObject,
  isSchema,
  type Json,
  mapItems,
  mapValues,
  type Schema,
  type SchemaObject,
  without,
} from './json-schema.js'

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

/**
 * What the value of a keyword should have been, as "a number above 0"; `undefined` when it is right, and for what is no
 * keyword.
 *
 * @example
 * expectedValue('required', 'id') // 'a list of names'
 */
export function expectedValue(keyword: string, value: Json): string | undefined {
  const kind = keywords.get(keyword)
  if (kind === undefined) return undefined
  const keyed = keyword === 'patternProperties' && isObject(value) ? Object.keys(value) : []
  const badKey = keyed.find((key) => !isPattern(key))
  return badKey === undefined ? expectation(kind, value) : `keyed by regular expressions, not \`${badKey}\``
}

function expectation(kind: KeywordValue, value: Json): string | undefined {
  switch (kind) {
    case 'schema':
      return isSchema(value) ? undefined : 'a schema'
    case 'schemas':
      return isFullList(value) && value.every(isSchema) ? undefined : 'a list of at least one schema'
    case 'schema map':
      return isObject(value) && Object.values(value).every(isSchema) ? undefined : 'an object of schemas'
    case 'type':
      return isTypeList(value) ? undefined : `one or several of: ${typeNames.join(', ')}`
    case 'text':
      return typeof value === 'string' ? undefined : 'a text'
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? undefined : 'a regular expression'
    case 'number':
      return typeof value === 'number' ? undefined : 'a number'
    case 'positive number':
      return typeof value === 'number' && value > 0 ? undefined : 'a number above 0'
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? undefined : 'a whole number from 0 on'
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'list':
      return Array.isArray(value) ? undefined : 'a list'
    case 'names':
      return isNames(value) ? undefined : 'a list of names'
    case 'names map':
      return isObject(value) && Object.values(value).every(isNames) ? undefined : 'an object of lists of names'
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

/** Whether a text is a pattern: tried as a Unicode pattern first, as validators do; older ones may be valid without. */
export function isPattern(source: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      new RegExp(source, flags)
      return true
    } catch {
      // The engine says that it is no pattern by throwing.
      return false
    }
  })
}

/** The runtime compiles no longer ones. */
export const longestPattern = 10_000

/** Brackets and escapes as a whole, so that what they hold is not read as a group or a reference. */
const patternTokens = /\[(?:\\.|[^\]\\])*\]|\\0\d|\\.|\(\?(?:<?[=!]|[:<])?|./gs

/**
 * What keeps a pattern from being matched in linear time, as "a back reference"; `undefined` where nothing does. No engine
 * has a limit in time for back references, so codecs take no pattern with one.
 */
export function nonlinearPart(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `more than ${longestPattern.toLocaleString('en')} characters`
  const tokens: readonly string[] = pattern.match(patternTokens) ?? []
  if (tokens.some((token) => /^\\(?:[1-9k]|0\d)/.test(token))) return 'a back reference'
  return tokens.includes('(?') ? 'inline flags' : undefined
}

/** Replaces a schema; `keys` lead to it from the schema around it. */
type ReplaceSchema = (subschema: Schema, keys: readonly string[]) => Schema

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

/** Definitions by name. */
type Defs = Readonly<Record<string, Schema>>

/**
 * A function of a schema over definitions that remembers what it gave: types and the makers of checks, writers and
 * pickers ask the same of the same schemas, and of what they lead to, again and again. Schemas never change.
 */
export function knownBySchema<T>(
  read: (schema: SchemaObject, defs: Defs) => T,
): (schema: SchemaObject, defs: Defs) => T {
  const byDefs = new WeakMap<Defs, WeakMap<SchemaObject, { readonly value: T }>>()
  return (schema, defs) => {
    const known = byDefs.get(defs) ?? new WeakMap<SchemaObject, { readonly value: T }>()
    const given = known.get(schema) ?? { value: read(schema, defs) }
    byDefs.set(defs, known.set(schema, given))
    return given.value
  }
}
