import type { JsonSchemaObject } from '../../contract/json.js'
import { type Fields, isFields } from '../json/kind.js'
import { SchemaError } from './schema-error.js'

/** A schema object and where it stands: what is needed to read a keyword and to say where it is malformed. */
export interface KeywordPlace {
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
