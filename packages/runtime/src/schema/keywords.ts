import type { JsonKind } from '../types/codec.js'
import type { JsonSchemaObject, JsonValue } from '../types/json.js'
import { deepEqual, type Fields, isFields } from './json-values.js'

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
