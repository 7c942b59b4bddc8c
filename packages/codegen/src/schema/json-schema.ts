import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** JSON as the IR carries it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON Schema (2020-12), normalized: see `normalize.ts`. */
export type Schema = boolean | SchemaObject

/** The object form of a {@link Schema}. */
export interface SchemaObject {
  readonly [keyword: string]: Json
}

/** True for a JSON object (or the object form of a schema), false for `null`, arrays and scalars. */
export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** True for a schema in either form, as opposed to any other JSON value. */
export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

/** The value of an own key; inherited names such as `constructor` are absent. */
export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  const value = object[key]
  // Most keys that are asked for are not there at all.
  return value !== undefined && Object.hasOwn(object, key) ? value : undefined
}

/** The entries of an own object-valued key, in their order; none when the key is absent or no object. */
export function entriesOf(object: SchemaObject, key: string): readonly (readonly [string, Json])[] {
  const value = own(object, key)
  return isObject(value) ? Object.entries(value) : []
}

/** The strings of an own array-valued key. */
export function stringsOf(object: SchemaObject, key: string): readonly string[] {
  const value = own(object, key)
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

/** An object from entries in their order, in which every name, `__proto__` included, is an ordinary own key. */
export function objectFrom<T>(entries: Iterable<readonly [string, T]>): { readonly [key: string]: T } {
  // Several times faster than `Object.fromEntries`, and imports make hundreds of thousands of objects.
  const object: Record<string, T> = {}
  for (const [key, value] of entries) {
    if (key === '__proto__') Object.defineProperty(object, key, { value, ...ordinary })
    else object[key] = value
  }
  return object
}

const ordinary = { enumerable: true, configurable: true, writable: true }

/** An object with its values replaced; itself where each is replaced by itself. */
export function mapValues(object: SchemaObject, replace: (value: Json, key: string) => Json): SchemaObject {
  let isSame = true
  const entries = Object.entries(object).map(([key, value]): readonly [string, Json] => {
    const replaced = replace(value, key)
    isSame &&= replaced === value
    return [key, replaced]
  })
  return isSame ? object : objectFrom(entries)
}

/** `object` without `keys`; itself where it has none of them. */
export function without(object: SchemaObject, keys: readonly string[]): SchemaObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object
  return objectFrom(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

/** `object` with one key set, in its place when it was there; itself where it has that value. */
export function withKey(object: SchemaObject, key: string, value: Json): SchemaObject {
  if (own(object, key) === value) return object
  if (!Object.hasOwn(object, key)) return objectFrom([...Object.entries(object), [key, value]])
  return objectFrom(Object.entries(object).map(([name, old]) => [name, name === key ? value : old] as const))
}

/** A diagnostic of a schema, before the location of the schema in the design is known. */
export interface SchemaDiagnostic extends Omit<Diagnostic, 'location'> {
  /** Path to the cause: in a plain JSON Schema every key, else the names of fields. */
  readonly trail: readonly (string | number)[]
}

/** Returns an error of a schema. */
export function schemaError(
  code: string,
  message: string,
  next: string,
  trail: SchemaDiagnostic['trail'],
): SchemaDiagnostic {
  return { code, severity: 'error', message, next, trail }
}

/** Returns a warning of a schema. */
export function schemaWarning(...args: Parameters<typeof schemaError>): SchemaDiagnostic {
  return { ...schemaError(...args), severity: 'warning' }
}

/** Returns a note about a schema. */
export function schemaNote(...args: Parameters<typeof schemaError>): SchemaDiagnostic {
  return { ...schemaError(...args), severity: 'note' }
}

/** A converted schema with its diagnostics. `value` is absent if there is an error. */
export interface Converted<T> {
  readonly value?: T
  readonly diagnostics: readonly SchemaDiagnostic[]
}

/** Returns whether there is an error among diagnostics. */
export function hasErrors(diagnostics: readonly { readonly severity: string }[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

/** Describes a location in a schema: `at /properties/id`, or `at its root`. */
export function atPointer(pointer: string): string {
  return pointer === '' ? 'at its root' : `at ${pointer}`
}

export type Defs = Readonly<Record<string, Schema>>
