import { nearest } from '../diagnostics/near.js'

/** Fields inside a field of the configuration, or what is wrong with them. */
export type FieldsReading<Fields> =
  | { readonly fields: Fields }
  | { readonly fault: 'type'; readonly path: string; readonly expected: string; readonly value: unknown }
  | {
      readonly fault: 'unknown'
      readonly path: string
      readonly near: readonly string[]
      readonly known: readonly string[]
    }

/** What a field must be. */
export interface FieldTest<Value> {
  /** In words, behind "must be". */
  readonly expected: string
  readonly test: (value: unknown) => value is Value
}

/** Checks an object whose fields may all be left out; `undefined` counts as left out. */
export function readFields<Fields extends object>(
  value: unknown,
  at: string,
  tests: { readonly [Name in keyof Fields]-?: FieldTest<NonNullable<Fields[Name]>> },
): FieldsReading<Fields> {
  if (!isPlainObject(value)) {
    return { fault: 'type', path: at, expected: 'an object', value }
  }
  const known = Object.keys(tests)
  const byName = new Map<string, FieldTest<unknown>>(Object.entries(tests))
  for (const [name, given] of Object.entries(value)) {
    const path = `${at}.${name}`
    const field = byName.get(name)
    if (field === undefined) return { fault: 'unknown', path, near: nearest(name, known), known }
    if (given !== undefined && !field.test(given))
      return { fault: 'type', path, expected: field.expected, value: given }
  }
  const fields = Object.fromEntries(Object.entries(value).filter(([, given]) => given !== undefined))
  if (!isChecked<Fields>(fields, byName)) throw new TypeError('fields that were checked do not pass')
  return { fields }
}

function isChecked<Fields>(fields: object, tests: ReadonlyMap<string, FieldTest<unknown>>): fields is Fields & object {
  return Object.entries(fields).every(([name, given]) => tests.get(name)?.test(given) === true)
}

/** A test for one of a list of values. */
export function oneOf<Value extends string>(values: readonly Value[]): (value: unknown) => value is Value {
  return (value): value is Value => values.some((each) => each === value)
}

/** Whether a value is an object whose fields are all its own: what it inherits, by `__proto__: {}` for example, nobody reads. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** Whether a value is 0, 1, 2 and so on. */
export function isWholeNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}
