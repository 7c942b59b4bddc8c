import type { JsonKind } from '../types/codec.js'
import {
  cloneTyped,
  isTyped,
  jsTypeOf,
  type Owned,
  TypedPart,
  type TypedValue,
  typedText,
  Unwritable,
} from './typed-values.js'

/** A JSON object with unknown content. Its keys come from users: read them with `Object.hasOwn`. */
export type Fields = Readonly<Record<string, unknown>>

/** The kind of a JSON value; numbers are `number`, whether whole or not. A typed value is the text that it travels as. */
export function kindOf(value: unknown): JsonKind {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  switch (typeof value) {
    case 'string':
      return 'string'
    case 'number':
      return 'number'
    case 'boolean':
      return 'boolean'
    default:
      return value instanceof TypedPart ? 'string' : 'object'
  }
}

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns whether a value has parts: an array or an object. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/**
 * Sets an own property, also where the key is `__proto__`: a plain assignment would change the prototype instead.
 */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
    return
  }
  target[key] = value
}

/**
 * Returns whether every object inherits something of this name. A field of any other name is there where a plain JSON object
 * has a value for it, which costs less to ask than `Object.hasOwn`.
 */
export function isInherited(name: string): boolean {
  return name in Object.prototype
}

/** Returns whether a plain JSON object has a field; `inherited` as {@link isInherited} says of the name. */
export function hasField(value: Readonly<Record<string, unknown>>, name: string, inherited: boolean): boolean {
  return inherited ? Object.hasOwn(value, name) : value[name] !== undefined
}

/** Returns the number of keys of an object, inherited ones included; plain objects inherit none. Makes no list. */
export function keyCount(value: object): number {
  let count = 0
  for (const _key in value) count += 1
  return count
}

/** A copy of a decoded value (plain JSON, dates, bigints and bytes) that shares nothing with it. */
export function cloneJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cloneJson)
  if (!isFields(value)) return value
  const typed = cloneTyped(value)
  if (typed !== undefined) return typed
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) setOwn(copy, key, cloneJson(value[key]))
  return copy
}

interface Copied {
  readonly copy: unknown
  /** Number of containers within each other here; 0 for anything else. */
  readonly height: number
}

/**
 * Copies a value of any origin into plain JSON: own `undefined` fields are absent, symbol keys are left out, and what
 * JSON cannot carry becomes an {@link Unwritable}: functions, symbols, infinite numbers, cycles, too deep nesting, and
 * instances of classes (`toJSON` is not called). A `Date`, a bigint and bytes become a {@link TypedPart}.
 */
export function copyJson(input: unknown): Owned {
  let hasUnwritable = false
  const done = new Map<object, Copied | 'under way'>()

  function refuse(received: string): Copied {
    hasUnwritable = true
    return { copy: new Unwritable({ constraint: 'not_json', received }), height: 0 }
  }

  /** A typed value is judged where it is known what the schema wants. */
  function stand(value: TypedValue, received: string): Copied {
    hasUnwritable = true
    return { copy: new TypedPart(jsTypeOf(value), value, received), height: 0 }
  }

  function refuseDepth(): Copied {
    hasUnwritable = true
    return { copy: new Unwritable({ constraint: 'too_deep', maximum: MAX_DEPTH }), height: 0 }
  }

  function copy(value: unknown, depth: number): Copied {
    switch (typeof value) {
      case 'string':
      case 'boolean':
        return { copy: value, height: 0 }
      case 'number':
        return Number.isFinite(value) ? { copy: value, height: 0 } : refuse(String(value))
      case 'object':
        return value === null ? { copy: null, height: 0 } : copyContainer(value, depth)
      case 'undefined':
        return refuse('undefined')
      case 'bigint':
        return stand(value, 'a bigint')
      default:
        return refuse(`a ${typeof value}`)
    }
  }

  function copyContainer(value: object, depth: number): Copied {
    const known = done.get(value)
    if (known === 'under way') return refuse('a value that contains itself')
    if (known !== undefined) return depth - 1 + known.height > MAX_DEPTH ? refuseDepth() : known
    if (depth > MAX_DEPTH) return refuseDepth()
    done.set(value, 'under way')
    const copied = copyParts(value, depth)
    done.set(value, copied)
    return copied
  }

  function copyParts(value: object, depth: number): Copied {
    try {
      return Array.isArray(value) ? copyItems(value, depth) : copyFields(value, depth)
    } catch {
      // A getter or a proxy of the caller threw: decoding never throws, and the value cannot be written.
      return refuse('a value that cannot be read')
    }
  }

  function copyItems(items: readonly unknown[], depth: number): Copied {
    const copies: unknown[] = []
    let height = 0
    // A proxy may claim any length.
    if (Object.getOwnPropertyDescriptor(items, 'length')?.value !== items.length) return refuse('an array with holes')
    for (let index = 0; index < items.length; index++) {
      // A few items may claim a length of billions.
      if (!(index in items)) return refuse('an array with holes')
      const item = copy(items[index], depth + 1)
      copies.push(item.copy)
      height = Math.max(height, item.height)
    }
    return { copy: copies, height: height + 1 }
  }

  function copyFields(value: object, depth: number): Copied {
    const instance = classOf(value)
    if (instance !== undefined) return isTyped(value) ? stand(value, instance) : refuse(instance)
    const copies: Record<string, unknown> = {}
    let height = 0
    for (const [key, part] of Object.entries(value)) {
      if (part === undefined) continue
      const field = copy(part, depth + 1)
      setOwn(copies, key, field.copy)
      height = Math.max(height, field.height)
    }
    return { copy: copies, height: height + 1 }
  }

  const { copy: value } = copy(input, 1)
  return { value, hasUnwritable }
}

/**
 * Names the class of an instance that does not show what it holds, such as a `Map`; `undefined` for plain objects, also
 * of another realm, and for instances of classes that are read by their own fields.
 */
function classOf(value: object): string | undefined {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === null || prototype === Object.prototype) return undefined
  const tag = Object.prototype.toString.call(value)
  const isOtherRealms = Object.getPrototypeOf(prototype) === null
  if (tag === '[object Object]' && (isOtherRealms || Object.keys(value).length > 0)) return undefined
  const name: unknown = value.constructor?.name
  return typeof name === 'string' && name !== '' ? `an instance of ${name}` : 'an instance of a class'
}

/**
 * Returns whether two decoded values are the same: `1` and `1.0` are, `0` and `false` are not, the order of keys is nothing; dates
 * and bytes are by what they hold.
 */
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

/** Maximum depth of arrays and objects within each other, the outermost included. */
export const MAX_DEPTH = 500

/** A text that two JSON values share exactly when they are deeply equal. A typed value is the text that it travels as. */
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

/** Freezes a decoded value with all its parts, except dates and bytes, which nothing freezes. Returns the value. */
export function freezeJson(value: unknown): unknown {
  if (isContainer(value) && !isTyped(value)) {
    for (const part of Object.values(value)) freezeJson(part)
    Object.freeze(value)
  }
  return value
}
