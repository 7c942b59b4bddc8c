import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import { endOfString, walkJson } from './json-locations.js'
import type { Json } from './json-schema.js'

/** `JSON.parse` loses duplicate keys and the exact values of large integers without an error. */
export type TextLoss =
  | { readonly kind: 'repeated'; readonly keys: readonly (string | number)[] }
  | (UnsafeInteger & { readonly kind: 'rounded'; readonly written: string })

export function jsonLosses(text: string, value: Json): readonly TextLoss[] {
  const { keys, unsafe } = tallyJson(value)
  const isWhole = keysIn(text) === keys
  if (isWhole && unsafe.length === 0) return []
  // Keyed by pointer: for a duplicate key, the last value replaces the earlier ones, as in `JSON.parse`.
  const repeated = new Set<string>()
  const rounded = new Map(unsafe.map((integer) => [pointerOf(integer.keys), { integer, written: '' }]))
  const known = new Map<object, Set<string>>()
  const visitor = {
    key(pointer: string, _: number, object: object): void {
      const before = known.get(object) ?? new Set()
      if (before.has(pointer)) repeated.add(pointer)
      known.set(object, before.add(pointer))
    },
    value(pointer: string, _: number, token: string): void {
      const found = rounded.get(pointer)
      if (found !== undefined) found.written = token
    },
  }
  walkJson(text, visitor)
  return [
    ...[...repeated].map((pointer) => ({ kind: 'repeated' as const, keys: parsePointer(pointer) ?? [] })),
    ...[...rounded.values()]
      .filter(({ integer, written }) => isRounded(written, integer.value))
      .map(({ integer, written }) => ({ kind: 'rounded' as const, ...integer, written })),
  ]
}

const colon = ':'.charCodeAt(0)

/** Examines only string literals, so that the function is fast for large documents. */
function keysIn(text: string): number {
  let found = 0
  for (let start = text.indexOf('"'); start !== -1; ) {
    let after = endOfString(text, start) + 1
    while (text.charCodeAt(after) <= 0x20) after += 1
    if (text.charCodeAt(after) === colon) found += 1
    start = text.indexOf('"', after)
  }
  return found
}

interface JsonTally {
  readonly keys: number
  readonly unsafe: readonly UnsafeInteger[]
}

interface UnsafeInteger {
  readonly keys: readonly (string | number)[]
  readonly value: number
}

export function tallyJson(value: Json): JsonTally {
  const unsafe: UnsafeInteger[] = []
  const path: (string | number)[] = []
  const keysIn = (part: Json): number => {
    if (typeof part === 'number' && Number.isInteger(part) && !Number.isSafeInteger(part)) {
      unsafe.push({ keys: [...path], value: part })
    }
    if (typeof part !== 'object' || part === null) return 0
    let found = 0
    for (const [key, item] of Array.isArray(part) ? part.entries() : Object.entries(part)) {
      if (typeof item !== 'object' && typeof item !== 'number') continue
      path.push(key)
      found += keysIn(item)
      path.pop()
    }
    return Array.isArray(part) ? found : found + Object.keys(part).length
  }
  return { keys: keysIn(value), unsafe }
}

export function isRounded(written: string, value: number): boolean {
  if (!/^(?:[-+]?\d+|0x[\da-f]+|0o[0-7]+)$/i.test(written)) return false
  return BigInt(written) !== BigInt(value) && String(value) !== written
}
