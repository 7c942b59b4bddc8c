import { isObject, own } from '../../schema/json/json.js'
import type { Json, SchemaObject } from '../../schema/json/json-schema.js'
import { pointerOf } from '../../schema/json/pointer.js'

/** A part of the lock, with the keys that lead there. */
export interface Part {
  readonly value: Json
  readonly keys: readonly string[]
}

/** A part of the lock is not what it must be. */
export class Malformed extends Error {
  override name = 'Malformed'

  constructor({ keys }: Part, expected: string) {
    super(`holds no ${expected} at ${pointerOf(keys) || 'its root'}`)
  }
}

/** Reads each value of an object, by its name. */
export function eachOf<T>(part: Part, read: (inner: Part, name: string) => T): ReadonlyMap<string, T> {
  return new Map(Object.keys(objectIn(part)).map((name) => [name, read(partOf(part, name), name)]))
}

/** @throws {@link Malformed} where there is none */
export function partOf(part: Part, key: string): Part {
  const value = own(objectIn(part), key)
  const inner = { value: value ?? null, keys: [...part.keys, key] }
  if (value === undefined) throw new Malformed(inner, 'value')
  return inner
}

/** The part of a key that need not be there. */
export function optional(part: Part, key: string): Part | undefined {
  return own(objectIn(part), key) === undefined ? undefined : partOf(part, key)
}

/** @throws {@link Malformed} */
export function objectIn(part: Part): SchemaObject {
  if (isObject(part.value)) return part.value
  throw new Malformed(part, 'object')
}

/** @throws {@link Malformed} */
export function listIn(part: Part): readonly Part[] {
  if (!Array.isArray(part.value)) throw new Malformed(part, 'list')
  return part.value.map((value: Json, index) => ({ value, keys: [...part.keys, String(index)] }))
}

/** @throws {@link Malformed} */
export function textIn(part: Part): string {
  if (typeof part.value === 'string') return part.value
  throw new Malformed(part, 'text')
}
