import type { JsonKind } from '../types/codec.js'
import { cloneTyped, isTyped, jsTypeOf, typedText } from './typed-values.js'
import { TypedPart } from './unwritable.js'

/** Test keys with `Object.hasOwn`, because an inherited property such as `constructor` can have the same name. */
export type Fields = Readonly<Record<string, unknown>>

export function kindOf(value: unknown): JsonKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  if (type === 'string' || type === 'number' || type === 'boolean') return type
  return value instanceof TypedPart ? 'string' : 'object'
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const NO_FIELDS: object = Object.freeze({})

/**
 * Copies the own properties. If an object literal begins with the spread of another object and the new object is then frozen or extended, Node 20
 * creates a hidden class for each object. Every access to such objects is slow.
 */
export function shallowCopy<Value extends object>(value: Value): Value {
  return { ...NO_FIELDS, ...value }
}

export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** An assignment to the property `__proto__` would change the prototype. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  target[key] = value
}

/** Checks of inherited names, such as `toString`, need the slower `Object.hasOwn`. For all other names, `value[name] !== undefined` is enough. */
export function isInherited(name: string): boolean {
  return name in Object.prototype
}

/** `value` must be plain JSON, and `inherited` must be the result of `isInherited(name)`. */
export function hasField(value: Readonly<Record<string, unknown>>, name: string, inherited: boolean): boolean {
  return inherited ? Object.hasOwn(value, name) : value[name] !== undefined
}

/** Returns the number of keys of an object, including inherited keys. This function is faster than `Object.keys`, because it creates no array. */
export function keyCount(value: object): number {
  let count = 0
  for (const _key in value) count += 1
  return count
}

export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isFields(value)) return value
  const typed = cloneTyped(value)
  if (typed !== undefined) return typed
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]))
  return copy
}

/** Returns whether two decoded values are equal as JSON. Ignores the order of keys. Compares dates and bytes by content. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => deepEqual(item, b[index]))
  }
  if (!isFields(a) || !isFields(b)) return false
  if (isTyped(a) || isTyped(b)) {
    return isTyped(a) && isTyped(b) && jsTypeOf(a) === jsTypeOf(b) && typedText(a) === typedText(b)
  }
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every((key) => Object.hasOwn(b, key) && deepEqual(a[key], b[key]))
}

/** The outermost array or object has depth 1. */
export const MAX_DEPTH = 500

/**
 * Returns a string key for a value. Equal JSON values have the same key, and different values have different keys. A date, bigint or byte array has
 * the key of its string form.
 */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`
  if (isTyped(value)) return JSON.stringify(typedText(value)) ?? 'undefined'
  if (!isContainer(value)) return JSON.stringify(value) ?? 'undefined'
  if (value instanceof TypedPart) return JSON.stringify(value.text)
  // A field that is `undefined` is absent.
  const present = Object.entries(value).filter(([, part]) => part !== undefined)
  const entries = present.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${equalityKey(part)}`).join(',')}}`
}

/** Skips dates and bytes: `Object.freeze` throws an error for a `Uint8Array` with elements, and does not make a `Date` immutable. */
export function freezeJson(value: unknown): unknown {
  if (isContainer(value) && !isTyped(value)) {
    for (const part of Object.values(value)) freezeJson(part)
    Object.freeze(value)
  }
  return value
}
