import type { JsonKind } from '../types/issue.js'
import type { JsonSchemaObject, JsonValue } from '../types/json.js'
import type { Segment } from './json-pointer.js'
import { deepEqual, type Fields, isFields } from './json-values.js'

/** A schema object and where it stands: what is needed to read a keyword and to say where it is malformed. */
interface KeywordPlace {
  readonly schema: JsonSchemaObject
  readonly pointer: string
}

/** Reads an own keyword of a schema. */
export function keyword(schema: JsonSchemaObject, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined
}

/** Reads a number. */
export function numberKeyword(place: KeywordPlace, name: string): number | undefined {
  return read(place, name, 'a number', (value) => (Number.isFinite(value) ? Number(value) : undefined))
}

/** Reads a whole number that is not negative. */
export function countKeyword(place: KeywordPlace, name: string): number | undefined {
  return read(place, name, 'a whole number, 0 or more', (value) =>
    Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined,
  )
}

/** Reads a text. */
export function textKeyword(place: KeywordPlace, name: string): string | undefined {
  return read(place, name, 'a string', (value) => (typeof value === 'string' ? value : undefined))
}

/** Reads `true` or `false`. */
export function flagKeyword(place: KeywordPlace, name: string): boolean | undefined {
  return read(place, name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined))
}

/** Reads a list of any values. */
export function listKeyword(place: KeywordPlace, name: string): readonly unknown[] | undefined {
  return read(place, name, 'an array', (value) => (Array.isArray(value) ? value : undefined))
}

/** Reads a list of any values that must not be empty: nothing could match it. */
export function filledListKeyword(place: KeywordPlace, name: string): readonly unknown[] | undefined {
  return read(place, name, 'an array with at least one item', (value) =>
    Array.isArray(value) && value.length > 0 ? value : undefined,
  )
}

/** Reads a list of texts. */
export function namesKeyword(place: KeywordPlace, name: string): readonly string[] | undefined {
  return read(place, name, 'an array of strings', namesOf)
}

/** Reads an object, as its entries in order. */
export function entriesKeyword(place: KeywordPlace, name: string): readonly (readonly [string, unknown])[] | undefined {
  return read(place, name, 'an object', (value) => (isFields(value) ? Object.entries(value) : undefined))
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
  { schema, pointer }: KeywordPlace,
  name: string,
  expected: string,
  accept: (value: unknown) => Value | undefined,
): Value | undefined {
  const given = keyword(schema, name)
  if (given === undefined) return undefined
  const value = accept(given)
  if (value === undefined) throw new SchemaError(`${pointer}/${name}`, `\`${name}\` must be ${expected}.`)
  return value
}

const kinds: readonly JsonKind[] = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']

/** The kinds that `type` of a schema allows; `undefined`: all. */
export function kindsOf({ schema, pointer }: KeywordPlace): readonly JsonKind[] | undefined {
  const given = keyword(schema, 'type')
  if (given === undefined) return undefined
  const names: readonly unknown[] = Array.isArray(given) ? given : [given]
  const expected = names.map((name) => {
    const kind = kinds.find((known) => known === name)
    if (kind === undefined) throw new SchemaError(`${pointer}/type`, `${JSON.stringify(name)} is not a type of JSON.`)
    return kind
  })
  return Object.freeze(expected)
}

/** The values that `const` and `enum` of a schema allow; `undefined`: all. */
export function literalsOf(place: KeywordPlace): readonly JsonValue[] | undefined {
  const only = keyword(place.schema, 'const')
  const listed = filledListKeyword(place, 'enum')
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

/** A subschema with its path below the schema that holds it. */
type Subschema = readonly [schema: unknown, ...path: Segment[]]

const inPlace = {
  single: ['not', 'if', 'then', 'else'],
  lists: ['allOf', 'anyOf', 'oneOf'],
  maps: ['dependentSchemas'],
} as const

const others = {
  single: [
    'items',
    'additionalProperties',
    'contains',
    'propertyNames',
    'unevaluatedItems',
    'unevaluatedProperties',
    'contentSchema',
  ],
  lists: ['prefixItems'],
  maps: ['properties', 'patternProperties', '$defs', 'definitions'],
} as const

/** The subschemas that apply to the same value as the schema itself. */
export function inPlaceSubschemas(schema: Fields): readonly Subschema[] {
  return subschemasOf(schema, inPlace)
}

/** All subschemas. */
export function allSubschemas(schema: Fields): readonly Subschema[] {
  return [...subschemasOf(schema, inPlace), ...subschemasOf(schema, others)]
}

function subschemasOf(
  schema: Fields,
  names: { readonly single: readonly string[]; readonly lists: readonly string[]; readonly maps: readonly string[] },
): readonly Subschema[] {
  const found: Subschema[] = []
  for (const name of names.single) if (Object.hasOwn(schema, name)) found.push([schema[name], name])
  for (const name of names.lists) {
    const list = keyword(schema, name)
    if (Array.isArray(list)) for (const [index, part] of list.entries()) found.push([part, name, index])
  }
  for (const name of names.maps) {
    const map = keyword(schema, name)
    if (isFields(map)) for (const [key, part] of Object.entries(map)) found.push([part, name, key])
  }
  return found
}

/**
 * A schema that cannot be prepared: a malformed keyword, a bad pattern, a reference that leads nowhere, to another
 * document or back to itself. Thrown when a codec is first used; values never cause it.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  /** JSON Pointer of the faulty place in the schema. */
  readonly pointer: string

  constructor(pointer: string, problem: string, options?: ErrorOptions) {
    super(`Schema at ${pointer === '' ? 'its root' : pointer}: ${problem}`, options)
    this.pointer = pointer
  }
}
