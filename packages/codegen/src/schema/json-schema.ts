import type { Diagnostic } from '../diagnostics/diagnostic.js'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON Schema. The IR (intermediate representation of a design) contains only normalized schemas. */
export type Schema = boolean | SchemaObject

export interface SchemaObject {
  readonly [keyword: string]: Json
}

export function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: Json | undefined): SchemaObject {
  return isObject(value) ? value : {}
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'boolean' || isObject(value)
}

export function own<T>(object: { readonly [key: string]: T }, key: string): T | undefined {
  const value = object[key]
  // Tests for `undefined` first, because most requested keys are absent and this test is faster.
  return value !== undefined && Object.hasOwn(object, key) ? value : undefined
}

export function entriesOf(object: SchemaObject, key: string): readonly (readonly [string, Json])[] {
  const value = own(object, key)
  return isObject(value) ? Object.entries(value) : []
}

export function stringsOf(object: SchemaObject, key: string): readonly string[] {
  const value = own(object, key)
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

export function objectFrom<T>(entries: Iterable<readonly [string, T]>): { readonly [key: string]: T } {
  // Several times faster than `Object.fromEntries`; imports create hundreds of thousands of objects.
  const object: Record<string, T> = {}
  for (const [key, value] of entries) setOwn(object, key, value)
  return object
}

export function setOwn<T>(object: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__') Object.defineProperty(object, key, { value, ...ordinary })
  else object[key] = value
}

const ordinary = { enumerable: true, configurable: true, writable: true }

export function mapValues(object: SchemaObject, replace: (value: Json, key: string) => Json): SchemaObject {
  let isSame = true
  const entries = Object.entries(object).map(([key, value]): readonly [string, Json] => {
    const replaced = replace(value, key)
    isSame &&= replaced === value
    return [key, replaced]
  })
  return isSame ? object : objectFrom(entries)
}

export function without(object: SchemaObject, keys: readonly string[]): SchemaObject {
  if (!keys.some((key) => Object.hasOwn(object, key))) return object
  return objectFrom(Object.entries(object).filter(([key]) => !keys.includes(key)))
}

export function withKey(object: SchemaObject, key: string, value: Json): SchemaObject {
  if (own(object, key) === value) return object
  if (!Object.hasOwn(object, key)) return objectFrom([...Object.entries(object), [key, value]])
  return objectFrom(Object.entries(object).map(([name, old]) => [name, name === key ? value : old] as const))
}

export interface SchemaDiagnostic extends Omit<Diagnostic, 'location'> {
  /** All keys for a plain JSON Schema, but only field names for a schema from a library such as Zod. */
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

export interface Converted<T> {
  readonly value?: T
  readonly diagnostics: readonly SchemaDiagnostic[]
}

export function hasErrors(diagnostics: readonly { readonly severity: string }[]): boolean {
  return diagnostics.some(({ severity }) => severity === 'error')
}

export function atPointer(pointer: string): string {
  return pointer === '' ? 'at the root' : `at ${pointer}`
}

export type Defs = Readonly<Record<string, Schema>>
