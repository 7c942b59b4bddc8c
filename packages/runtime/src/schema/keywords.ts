import type { JsonKind } from '../types/codec.js'
import type { JsonSchema, JsonSchemaObject, JsonValue } from '../types/json.js'
import { deepEqual, type Fields, isContainer, isFields, setOwn } from './json-values.js'

/** A schema object and where it stands: what is needed to read a keyword and to say where it is malformed. */
interface KeywordContext {
  readonly schema: JsonSchemaObject
  readonly pointer: string
}

/** Reads an own keyword of a schema. */
export function keyword(schema: JsonSchemaObject, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined
}

/** Reads a number. */
export function numberKeyword(context: KeywordContext, name: string): number | undefined {
  return read(context, name, 'a number', (value) => (Number.isFinite(value) ? Number(value) : undefined))
}

/** Reads a whole number that is not negative. */
export function countKeyword(context: KeywordContext, name: string): number | undefined {
  return read(context, name, 'a whole number, 0 or more', (value) =>
    Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined,
  )
}

/** Reads a text. */
export function textKeyword(context: KeywordContext, name: string): string | undefined {
  return read(context, name, 'a string', (value) => (typeof value === 'string' ? value : undefined))
}

/** Reads `true` or `false`. */
export function flagKeyword(context: KeywordContext, name: string): boolean | undefined {
  return read(context, name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined))
}

/** Reads a list of any values. */
export function listKeyword(context: KeywordContext, name: string): readonly unknown[] | undefined {
  return read(context, name, 'an array', (value) => (Array.isArray(value) ? value : undefined))
}

/** Reads a list of any values that must not be empty: nothing could match it. */
export function filledListKeyword(context: KeywordContext, name: string): readonly unknown[] | undefined {
  return read(context, name, 'an array with at least one item', (value) =>
    Array.isArray(value) && value.length > 0 ? value : undefined,
  )
}

/** Reads a list of texts. */
export function namesKeyword(context: KeywordContext, name: string): readonly string[] | undefined {
  return read(context, name, 'an array of strings', namesOf)
}

/** Reads an object, as its entries in order. */
export function entriesKeyword(
  context: KeywordContext,
  name: string,
): readonly (readonly [string, unknown])[] | undefined {
  return read(context, name, 'an object', (value) => (isFields(value) ? Object.entries(value) : undefined))
}

/** The texts of a list of texts; `undefined` for anything else. */
export function namesOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined
}

/** The object form of a schema; `undefined` for the boolean forms and for what is no schema. */
export function schemaObject(schema: unknown): Fields | undefined {
  return isFields(schema) ? schema : undefined
}

function read<Value>(
  { schema, pointer }: KeywordContext,
  name: string,
  expected: string,
  accept: (value: unknown) => Value | undefined,
): Value | undefined {
  const input = keyword(schema, name)
  if (input === undefined) return undefined
  const value = accept(input)
  if (value === undefined) throw new SchemaError(`${pointer}/${name}`, `\`${name}\` must be ${expected}.`)
  return value
}

const kinds: readonly JsonKind[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

/** The kinds that `type` of a schema allows; `undefined`: all. */
export function kindsOf({ schema, pointer }: KeywordContext): readonly JsonKind[] | undefined {
  const input = keyword(schema, 'type')
  if (input === undefined) return undefined
  const names: readonly unknown[] = Array.isArray(input) ? input : [input]
  const expected = names.map((name) => {
    const kind = kinds.find((known) => known === name)
    if (kind === undefined) throw new SchemaError(`${pointer}/type`, `${JSON.stringify(name)} is not a type of JSON.`)
    return kind
  })
  return Object.freeze(expected)
}

/** The values that `const` and `enum` of a schema allow; `undefined`: all. */
export function literalsOf(context: KeywordContext): readonly JsonValue[] | undefined {
  const only = keyword(context.schema, 'const')
  const listed = filledListKeyword(context, 'enum')
  if (only === undefined) return asJson(listed)
  return asJson(listed === undefined || listed.some((value) => deepEqual(value, only)) ? [only] : [])
}

/** The values of a schema are JSON, and so is what is decoded. */
export function asJson(values: readonly unknown[] | undefined): readonly JsonValue[] | undefined {
  return values?.filter(isJson)
}

export function isJson(value: unknown): value is JsonValue {
  return value !== undefined
}

/** Layout of the schemas of a keyword: one, a list, a map by name, or one or a list (`items` of older drafts). */
type Layout = 'schema' | 'list' | 'map' | 'schema or list'

/** Keywords whose schemas apply to the same value as the schema around them. */
const inPlaceKeywords: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ...(['not', 'if', 'then', 'else'] as const).map((name) => [name, 'schema'] as const),
  ...(['allOf', 'anyOf', 'oneOf'] as const).map((name) => [name, 'list'] as const),
  ['dependentSchemas', 'map'],
])

const wholeSchemas = ['additionalProperties', 'contains', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties']
const schemaMaps = ['properties', 'patternProperties', '$defs', 'definitions', 'dependencies']

/** Every keyword that holds schemas, those of older drafts included. */
const schemaKeywords: ReadonlyMap<string, Layout> = new Map<string, Layout>([
  ...inPlaceKeywords,
  ...[...wholeSchemas, 'contentSchema', 'additionalItems'].map((name) => [name, 'schema'] as const),
  ['items', 'schema or list'],
  ['prefixItems', 'list'],
  ...schemaMaps.map((name) => [name, 'map'] as const),
])

/** Returns whether a value has the form of a schema. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isFields(value)
}

/**
 * Calls a function for every schema directly inside a schema, with the path that leads there. Values that are no schema
 * are skipped.
 *
 * @example
 * eachSubschema({ properties: { id: { type: 'string' } } }, (subschema, path) => console.log(path)) // ['properties', 'id']
 */
export function eachSubschema<Schema extends JsonSchemaObject>(
  schema: Schema,
  visit: (subschema: boolean | Schema, path: readonly string[]) => void,
): void {
  visitSubschemas(schema, schemaKeywords, visit)
}

function visitSubschemas<Schema extends JsonSchemaObject>(
  schema: Schema,
  keywords: ReadonlyMap<string, Layout>,
  visit: (subschema: boolean | Schema, path: readonly string[]) => void,
): void {
  for (const name of Object.keys(schema)) {
    const layout = keywords.get(name)
    if (layout === undefined) continue
    const value: unknown = schema[name]
    if (!isContainer(value) || layout === 'schema' || (layout === 'schema or list' && !Array.isArray(value))) {
      if (layout !== 'list' && layout !== 'map' && isSchema(value)) visit(value as Schema, [name])
    } else if (Array.isArray(value) !== (layout === 'map')) {
      for (const [key, part] of Object.entries(value)) if (isSchema(part)) visit(part as Schema, [name, key])
    }
  }
}

/**
 * Returns a schema with every schema directly inside it replaced; a replacement that is `undefined` removes it. Returns
 * the schema itself where nothing changes.
 */
export function mapSubschemas<Schema extends JsonSchemaObject>(
  schema: Schema,
  replace: (subschema: boolean | Schema, path: readonly string[]) => boolean | Schema | undefined,
): Schema {
  let copy: Record<string, unknown> | undefined
  const parts = new Map<string, unknown[] | Record<string, unknown>>()
  eachSubschema(schema, (subschema, path) => {
    const made = replace(subschema, path)
    if (made === subschema) return
    copy ??= { ...schema }
    const [name = '', key] = path
    if (key === undefined) {
      if (made === undefined) delete copy[name]
      else copy[name] = made
      return
    }
    const held = parts.get(name) ?? cloneContainer(schema[name])
    parts.set(name, held)
    copy[name] = held
    if (Array.isArray(held)) held[Number(key)] = made
    else if (made === undefined) delete held[key]
    else setOwn(held, key, made)
  })
  for (const [name, held] of parts) {
    if (copy !== undefined && Array.isArray(held)) copy[name] = held.filter((part) => part !== undefined)
  }
  return (copy ?? schema) as Schema // only schemas in it were replaced
}

function cloneContainer(value: unknown): unknown[] | Record<string, unknown> {
  if (Array.isArray(value)) return [...value]
  const copy: Record<string, unknown> = {}
  for (const [key, part] of Object.entries(value ?? {})) setOwn(copy, key, part)
  return copy
}

/** Returns every schema directly inside a schema, with its path. */
export function subschemasOf(
  schema: Fields,
  keywords: ReadonlyMap<string, Layout> = schemaKeywords,
): readonly Subschema[] {
  const found: Subschema[] = []
  visitSubschemas(schema, keywords, (subschema, path) => found.push([subschema, ...path]))
  return found
}

/** A schema with the path below the schema around it. */
type Subschema = readonly [schema: JsonSchema, ...path: string[]]

/** Returns the schemas that apply to the same value as the schema around them. */
export function inPlaceSubschemas(schema: Fields): readonly Subschema[] {
  return subschemasOf(schema, inPlaceKeywords)
}

/**
 * A schema that cannot be prepared: a malformed keyword, a bad pattern, a reference that leads nowhere, to another
 * document or back to itself. Thrown when a codec is first used; values never cause it.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  /** JSON Pointer of the error in the schema. */
  readonly pointer: string

  constructor(pointer: string, problem: string, options?: ErrorOptions) {
    super(`Schema at ${pointer === '' ? 'its root' : pointer}: ${problem}`, options)
    this.pointer = pointer
  }
}
