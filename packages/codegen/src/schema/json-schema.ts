import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** A JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON Schema: a boolean or an object. A schema in the IR has the canonical form that `normalize` creates. */
export type Schema = boolean | SchemaObject

/** A JSON Schema that is an object: its keywords and their values. */
export interface SchemaObject {
  readonly [keyword: string]: Json
}

/** Checks whether a value is a JSON object. Returns `false` for `null`, arrays and scalars. */
export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object. Returns an empty object for all other values. */
export function objectOf(value: Json | undefined): SchemaObject {
  return isObject(value) ? value : {}
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/** Returns `object[key]` if it is an own property. Returns `undefined` for missing and for inherited properties, such as `constructor`. */
export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  const value = object[key]
  // Tests for `undefined` first, because most requested keys are absent and this test is faster.
  return value !== undefined && Object.hasOwn(object, key) ? value : undefined
}

/** Returns the entries of the object in the own property `key`; empty if the property is not an object. */
export function entriesOf(object: SchemaObject, key: string): readonly (readonly [string, Json])[] {
  const value = own(object, key)
  return isObject(value) ? Object.entries(value) : []
}

/** Returns the strings of the array in the own property `key`; empty if the property is not an array. */
export function stringsOf(object: SchemaObject, key: string): readonly string[] {
  const value = own(object, key)
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

/** Creates an object from entries. The key `__proto__` becomes an ordinary own property. */
export function objectFrom<T>(entries: Iterable<readonly [string, T]>): { readonly [key: string]: T } {
  // Several times faster than `Object.fromEntries`; imports create hundreds of thousands of objects.
  const object: Record<string, T> = {}
  for (const [key, value] of entries) setOwn(object, key, value)
  return object
}

/** Sets an own property, also if its key is `__proto__`. */
export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, ...ordinary })
  else object[key] = value
}

const ordinary = { enumerable: true, configurable: true, writable: true }

/** Replaces each value of an object by the result of `replace`. Returns the same object if no value changed. */
export function mapValues(object: SchemaObject, replace: (value: Json, key: string) => Json): SchemaObject {
  let isSame = true
  const entries = Object.entries(object).map(([key, value]): readonly [string, Json] => {
    const replaced = replace(value, key)
    isSame &&= replaced === value
    return [key, replaced]
  })
  return isSame ? object : objectFrom(entries)
}

/** Returns a copy of an object without the properties `keys`. If the object has none of these properties, returns the object itself. */
export function without(object: SchemaObject, keys: readonly string[]): SchemaObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object
  return objectFrom(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/**
 * Returns a copy of an object with the property `key` set to `value`. An existing property keeps its position. Returns the same object if
 * the property already has this value.
 */
export function withKey(object: SchemaObject, key: string, value: Json): SchemaObject {
  if (own(object, key) === value) return object
  if (!Object.hasOwn(object, key)) return objectFrom([...Object.entries(object), [key, value]])
  return objectFrom(Object.entries(object).map(([name, old]) => [name, name === key ? value : old] as const))
}

/** A diagnostic about a schema. It contains a path within the schema, from which its location in the design is determined later. */
export interface SchemaDiagnostic extends Omit<Diagnostic, 'location'> {
  /** Path to the cause: all keys of a plain JSON Schema, or only the field names of a schema from a library such as Zod. */
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

/** Result of a conversion with its diagnostics. `value` is absent if a diagnostic is an error. */
export interface Converted<T> {
  readonly value?: T
  readonly diagnostics: readonly SchemaDiagnostic[]
}

export function hasErrors(diagnostics: readonly { readonly severity: string }[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** Describes a JSON Pointer in a message: `at /properties/id`, or `at the root` for the empty pointer. */
export function atPointer(pointer: string): string {
  return pointer === '' ? 'at the root' : `at ${pointer}`
}

export type Defs = Readonly<Record<string, Schema>>
