import type { Json } from './json-schema.js'

/** What is counted of a value. */
export interface JsonTally {
  /** How many keys all its objects have. */
  readonly keys: number
  /** The integers beyond those that JavaScript has exactly, with the keys that lead to them. */
  readonly unsafe: readonly UnsafeInteger[]
}

/** An integer beyond those that JavaScript has exactly. */
export interface UnsafeInteger {
  readonly keys: readonly (string | number)[]
  readonly value: number
}

/** Counts the keys of a value, and finds the integers that may have been rounded when it was read. */
export function tallyJson(value: Json): JsonTally {
  const unsafe: UnsafeInteger[] = []
  const way: (string | number)[] = []
  const keysIn = (part: Json): number => {
    if (typeof part === 'number' && Number.isInteger(part) && !Number.isSafeInteger(part)) {
      unsafe.push({ keys: [...way], value: part })
    }
    if (typeof part !== 'object' || part === null) return 0
    let found = 0
    for (const [key, item] of Array.isArray(part) ? part.entries() : Object.entries(part)) {
      if (typeof item !== 'object' && typeof item !== 'number') continue
      way.push(key)
      found += keysIn(item)
      way.pop()
    }
    return Array.isArray(part) ? found : found + Object.keys(part).length
  }
  return { keys: keysIn(value), unsafe }
}

/** Whether an integer was written that is neither the value that was read nor how JavaScript writes that. */
export function isRounded(written: string, value: number): boolean {
  if (!/^(?:[-+]?\d+|0x[\da-f]+|0o[0-7]+)$/i.test(written)) return false
  return BigInt(written) !== BigInt(value) && String(value) !== written
}
