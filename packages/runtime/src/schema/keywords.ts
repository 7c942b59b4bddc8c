import type { JsonKind } from '../types/codec.js'
import type { JsonSchemaObject, JsonValue } from '../types/json.js'
import { deepEqual, type Fields, isFields, kindOf } from './json-values.js'

interface KeywordContext {
  readonly schema: JsonSchemaObject
  readonly pointer: string
}

export function keyword(schema: JsonSchemaObject, name: string): unknown {
  return Object.hasOwn(schema, name) ? schema[name] : undefined
}

export function numberKeyword(context: KeywordContext, name: string): number | undefined {
  return read(context, name, 'a number', (value) => (Number.isFinite(value) ? Number(value) : undefined))
}

export function countKeyword(context: KeywordContext, name: string): number | undefined {
  return read(context, name, 'an integer of at least 0', (value) =>
    Number.isInteger(value) && Number(value) >= 0 ? Number(value) : undefined,
  )
}

export function textKeyword(context: KeywordContext, name: string): string | undefined {
  return read(context, name, 'a string', (value) => (typeof value === 'string' ? value : undefined))
}

export function flagKeyword(context: KeywordContext, name: string): boolean | undefined {
  return read(context, name, 'true or false', (value) => (typeof value === 'boolean' ? value : undefined))
}

export function listKeyword(context: KeywordContext, name: string): readonly unknown[] | undefined {
  return read(context, name, 'an array', (value) => (Array.isArray(value) ? value : undefined))
}

/** An empty array is an error, because an empty `enum` would reject every value. */
export function filledListKeyword(context: KeywordContext, name: string): readonly unknown[] | undefined {
  return read(context, name, 'an array with at least one item', (value) =>
    Array.isArray(value) && value.length > 0 ? value : undefined,
  )
}

export function namesKeyword(context: KeywordContext, name: string): readonly string[] | undefined {
  return read(context, name, 'an array of strings', namesOf)
}

export function entriesKeyword(
  context: KeywordContext,
  name: string,
): readonly (readonly [string, unknown])[] | undefined {
  return read(context, name, 'an object', (value) => (isFields(value) ? Object.entries(value) : undefined))
}

export function namesOf(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.every((name) => typeof name === 'string') ? value : undefined
}

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

export function kindsOf({ schema, pointer }: KeywordContext): readonly JsonKind[] | undefined {
  const input = keyword(schema, 'type')
  if (input === undefined) return undefined
  const names: readonly unknown[] = Array.isArray(input) ? input : [input]
  const expected = names.map((name) => {
    const kind = kinds.find((known) => known === name)
    if (kind !== undefined) return kind
    const problem = `${JSON.stringify(name)} is not a JSON type; use one of ${kinds.join(', ')}.`
    throw new SchemaError(`${pointer}/type`, problem)
  })
  return Object.freeze(expected)
}

export function hasKind(value: unknown, allowed: readonly JsonKind[] | undefined): boolean {
  if (allowed === undefined || allowed.includes(kindOf(value))) return true
  return allowed.includes('integer') && Number.isInteger(value)
}

export function literalsOf(context: KeywordContext): readonly JsonValue[] | undefined {
  const only = keyword(context.schema, 'const')
  const listed = filledListKeyword(context, 'enum')
  if (only === undefined) return asJson(listed)
  return asJson(listed === undefined || listed.some((value) => deepEqual(value, only)) ? [only] : [])
}

export function asJson(values: readonly unknown[] | undefined): readonly JsonValue[] | undefined {
  return values?.filter(isJson)
}

export function isJson(value: unknown): value is JsonValue {
  return value !== undefined
}

/**
 * Error in a schema, thrown when its codec is first used. Reasons: a malformed keyword, an unsupported pattern, or an
 * invalid reference. A reference is invalid if its target does not exist, is in another document, or is the reference
 * itself. The validated values never cause this error.
 */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  /** JSON Pointer to the error in the schema. */
  readonly pointer: string

  constructor(pointer: string, problem: string, options?: ErrorOptions) {
    super(`Schema at ${pointer === '' ? 'its root' : pointer}: ${problem}`, options)
    this.pointer = pointer
  }
}
