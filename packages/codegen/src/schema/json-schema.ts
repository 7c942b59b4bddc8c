import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A normalized JSON Schema (2020-12); see `normalize.ts`. */
export type Schema = boolean | SchemaObject

/** A schema in object form. */
export interface SchemaObject {
  readonly [keyword: string]: Json
}

/** Checks for a JSON object: not `null`, an array or a scalar. */
export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/** Returns the value of an own key; `undefined` for inherited names such as `constructor`. */
export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  const value = object[key]
  // Tests for `undefined` first, because most requested keys are absent and this test is faster.
  return value !== undefined && Object.hasOwn(object, key) ? value : undefined
}

/** Returns the entries of an object-valued own key; empty if the value is not an object. */
export function entriesOf(object: SchemaObject, key: string): readonly (readonly [string, Json])[] {
  const value = own(object, key)
  return isObject(value) ? Object.entries(value) : []
}

/** Returns the strings of an array-valued own key. */
export function stringsOf(object: SchemaObject, key: string): readonly string[] {
  const value = own(object, key)
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

/** Creates an object from entries, with `__proto__` as an ordinary own key. */
export function objectFrom<T>(entries: Iterable<readonly [string, T]>): { readonly [key: string]: T } {
  // Several times faster than `Object.fromEntries`; imports create hundreds of thousands of objects.
  const object: Record<string, T> = {}
  for (const [key, value] of entries) {
    if (key === '__proto__') Object.defineProperty(object, key, { value, ...ordinary })
    else object[key] = value
  }
  return object
}

const ordinary = { enumerable: true, configurable: true, writable: true }

/** Replaces the values of an object; returns the same object if none changed. */
export function mapValues(object: SchemaObject, replace: (value: Json, key: string) => Json): SchemaObject {
  let isSame = true
  const entries = Object.entries(object).map(([key, value]): readonly [string, Json] => {
    const replaced = replace(value, key)
    isSame &&= replaced === value
    return [key, replaced]
  })
  return isSame ? object : objectFrom(entries)
}

/** Returns an object without some keys; the same object if it has none of them. */
export function without(object: SchemaObject, keys: readonly string[]): SchemaObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object
  return objectFrom(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** Returns an object with one key set. An existing key keeps its position. If the value is equal, returns the same object. */
export function withKey(object: SchemaObject, key: string, value: Json): SchemaObject {
  if (own(object, key) === value) return object
  if (!Object.hasOwn(object, key)) return objectFrom([...Object.entries(object), [key, value]])
  return objectFrom(Object.entries(object).map(([name, old]) => [name, name === key ? value : old] as const))
}

/** A diagnostic of a schema before its location in the design is known. */
export interface SchemaDiagnostic extends Omit<Diagnostic, 'location'> {
  /** Path to the cause: all keys in a plain JSON Schema, only field names in a schema of a library. */
  readonly trail: readonly (string | number)[]
}

export function schemaError(
  code: string,
  message: string,
  next: string,
  trail: SchemaDiagnostic['trail'],
): SchemaDiagnostic {
  return { code, severity: 'error', message, next, trail }
}

export function schemaWarning(...args: Parameters<typeof schemaError>): SchemaDiagnostic {
  return { ...schemaError(...args), severity: 'warning' }
}

export function schemaNote(...args: Parameters<typeof schemaError>): SchemaDiagnostic {
  return { ...schemaError(...args), severity: 'note' }
}

/** A converted schema with its diagnostics. `value` is absent after an error. */
export interface Converted<T> {
  readonly value?: T
  readonly diagnostics: readonly SchemaDiagnostic[]
}

export function hasErrors(diagnostics: readonly { readonly severity: string }[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** Describes a location in a schema: `at /properties/id` or `at the root`. */
export function atPointer(pointer: string): string {
  return pointer === '' ? 'at the root' : `at ${pointer}`
}

export type Defs = Readonly<Record<string, Schema>>
