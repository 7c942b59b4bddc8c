import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** JSON as the IR carries it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON Schema (2020-12), normalised: see `canonical/normalise.ts`. */
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

/** A finding about a schema, before it is known where the schema stands in the design. */
export interface SchemaFault extends Omit<Diagnostic, 'location'> {
  /** The keys that lead to the fault in the source: of a plain JSON Schema all keys, else the names of the fields. */
  readonly trail: readonly (string | number)[]
}

/** A schema and what was found while it was made. `value` is absent when an error makes it meaningless. */
export interface Converted<T> {
  readonly value?: T
  readonly faults: readonly SchemaFault[]
}

/** Whether some fault is an error. */
export function hasErrors(faults: readonly { readonly severity: string }[]): boolean {
  return faults.some((fault) => fault.severity === 'error')
}

/** Where in a schema, for a person: `at /properties/id`, or `at its root`. */
export function atPointer(pointer: string): string {
  return pointer === '' ? 'at its root' : `at ${pointer}`
}
