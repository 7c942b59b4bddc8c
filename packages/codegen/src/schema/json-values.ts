import { pointerOf } from '@toolgen/runtime/schema'
import { type Json, setOwn } from './json-schema.js'

export type JsonCopy =
  | { readonly ok: true; readonly json: Json }
  | { readonly ok: false; readonly keys: readonly (string | number)[]; readonly message: string }

const deepest = 200

/**
 * Rejects functions, dates, cycles and other values that JSON cannot represent, but removes properties with the value `undefined`, like
 * `JSON.stringify`.
 */
export function toJson(value: unknown): JsonCopy {
  try {
    return { ok: true, json: copy(value, { keys: [], open: [] }) }
  } catch (error) {
    if (error instanceof NoJson) return { ok: false, keys: error.keys, message: error.message }
    throw error
  }
}

class NoJson extends Error {
  override readonly name: string = 'NoJson'
  readonly keys: readonly (string | number)[]

  constructor(what: string, keys: readonly (string | number)[]) {
    super(`${what} ${keys.length === 0 ? 'is not JSON' : `at ${shortPointer(keys)} is not JSON`}`)
    this.keys = keys
  }
}

function shortPointer(keys: readonly (string | number)[]): string {
  return keys.length > 20 ? `${pointerOf(keys.slice(0, 10))}/…` : pointerOf(keys)
}

interface Position {
  readonly keys: (string | number)[]
  readonly open: object[]
}

function copy(value: unknown, path: Position): Json {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  const { keys, open } = path
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value === 0 ? 0 : value
    throw new NoJson(`The number ${value}`, keys)
  }
  if (typeof value !== 'object') throw new NoJson(`A value of type ${typeof value}`, keys)
  if (open.includes(value)) throw new NoJson('An object that contains itself', keys)
  if (open.length > deepest) throw new NoJson(`A value more than ${deepest} levels deep`, keys)
  open.push(value)
  const copied = Array.isArray(value)
    ? Array.from(value, (item: unknown, index) => copyPart(index, item, path))
    : copyObject(value, path)
  open.pop()
  return copied
}

function copyObject(value: object, path: Position): Json {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    throw new NoJson(`An instance of ${value.constructor.name}`, path.keys)
  }
  const copied: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    const item: unknown = Reflect.get(value, key)
    if (item !== undefined) setOwn(copied, key, copyPart(key, item, path))
  }
  return copied
}

function copyPart(key: string | number, item: unknown, path: Position): Json {
  path.keys.push(key)
  const copied = copy(item, path)
  path.keys.pop()
  return copied
}
