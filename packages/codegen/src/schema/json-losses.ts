import { parsePointer, pointerOf } from '@toolgen/runtime/schema'
import type { SourceLocation } from '../diagnostics/diagnostic.js'
import type { Json } from './json-schema.js'

/** Information that parsing a JSON text loses. */
export type TextLoss =
  /** An object has a key several times; the last one counts. */
  | { readonly kind: 'repeated'; readonly keys: readonly (string | number)[] }
  | (UnsafeInteger & { readonly kind: 'rounded'; readonly written: string })

/**
 * Returns the losses of a text that `JSON.parse` does not report.
 *
 * @param text valid JSON
 * @param value what it was parsed to
 */
export function jsonLosses(text: string, value: Json): readonly TextLoss[] {
  const { keys, unsafe } = tallyJson(value)
  const isWhole = keysIn(text) === keys
  if (isWhole && unsafe.length === 0) return []
  // By pointer: the last of several values counts.
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

const [quote, backslash, colon] = ['"', '\\', ':'].map((character) => character.charCodeAt(0))

/** Returns the number of keys of a JSON text. It jumps from string to string, to be fast for large documents. */
function keysIn(text: string): number {
  let found = 0
  for (let start = text.indexOf('"'); start !== -1; ) {
    let end = start + 1
    while (text.charCodeAt(end) !== quote) end += text.charCodeAt(end) === backslash ? 2 : 1
    let after = end + 1
    while (text.charCodeAt(after) <= 0x20) after += 1
    if (text.charCodeAt(after) === colon) found += 1
    start = text.indexOf('"', after)
  }
  return found
}

interface JsonTally {
  readonly keys: number
  /** The integers beyond those that JavaScript has exactly, with the keys that lead to them. */
  readonly unsafe: readonly UnsafeInteger[]
}

interface UnsafeInteger {
  readonly keys: readonly (string | number)[]
  readonly value: number
}

/** Counts the keys of a value, and finds the integers that may have been rounded when it was read. */
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

/** Returns whether an integer was written that is neither the value that was read nor how JavaScript writes that. */
export function isRounded(written: string, value: number): boolean {
  if (!/^(?:[-+]?\d+|0x[\da-f]+|0o[0-7]+)$/i.test(written)) return false
  return BigInt(written) !== BigInt(value) && String(value) !== written
}

type JsonLocation = Pick<SourceLocation, 'line' | 'column'>

/**
 * Returns the positions of the parts of a JSON text, by JSON Pointer: a property at its key, an item of a list at its value.
 *
 * @param text valid JSON
 * @param wanted the pointers of the parts that are asked for; default: all
 */
export function jsonLocations(text: string, wanted?: ReadonlySet<string>): ReadonlyMap<string, JsonLocation> {
  const locations = new Map<string, JsonLocation>()
  const locationAt = locationsInTurn(text)
  const keep = (pointer: string, index: number): void => {
    if (wanted?.has(pointer) !== false) locations.set(pointer, locationAt(index))
  }
  const visitor = {
    key: keep,
    value: (pointer: string, index: number): void => {
      if (!locations.has(pointer)) keep(pointer, index)
    },
  }
  walkJson(text, visitor)
  return locations
}

/** Returns lines and columns of offsets that are requested in ascending order. */
function locationsInTurn(text: string): (index: number) => JsonLocation {
  // Looked for once each: to the end of a text of one line it is far.
  let [line, lineStart, lineEnd] = [1, 0, text.indexOf('\n')]
  return (index) => {
    for (; lineEnd !== -1 && lineEnd < index; lineEnd = text.indexOf('\n', lineEnd + 1)) {
      line += 1
      lineStart = lineEnd + 1
    }
    return { line, column: index - lineStart + 1 }
  }
}

/** Receives the parts of a JSON text in their order. */
interface JsonVisitor {
  /**
   * A key of an object.
   *
   * @param index offset in the text
   * @param object stands for the object: the same for all its keys
   */
  key(pointer: string, index: number, object: object): void
  /**
   * A value.
   *
   * @param token its text; of an object or a list the bracket that opens it
   */
  value(pointer: string, index: number, token: string): void
}

/** An object or array that is being read, with the segment of its current part. */
interface Open {
  readonly pointer: string
  readonly isList: boolean
  step: string
  index: number
}

const tokens = /"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s"[\]{},:]+/g

/** Visits the parts of a valid JSON text by their JSON Pointers. */
function walkJson(text: string, visitor: JsonVisitor): void {
  const open: Open[] = []
  for (const { 0: token, index } of text.matchAll(tokens)) {
    const inside = open.at(-1)
    if (token === ']' || token === '}') open.pop()
    else if (token === ',' && inside !== undefined) {
      inside.index += 1
      inside.step = ''
    } else if (token === ':' || token === ',') continue
    else if (inside !== undefined && !inside.isList && inside.step === '') {
      const key: unknown = JSON.parse(token)
      inside.step = pointerOf([String(key)])
      visitor.key(`${inside.pointer}${inside.step}`, index, inside)
    } else {
      const pointer = inside === undefined ? '' : inside.pointer + (inside.isList ? `/${inside.index}` : inside.step)
      visitor.value(pointer, index, token)
      if (token === '{' || token === '[') open.push({ pointer, isList: token === '[', step: '', index: 0 })
    }
  }
}
