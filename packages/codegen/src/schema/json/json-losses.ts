import type { Json } from './json-schema.js'
import { keysOf, pointerOf } from './pointer.js'
import { isRounded, tallyJson, type UnsafeInteger } from './tally-json.js'
import { walkJson } from './walk-json.js'

/** What reading a text as data loses. */
export type TextLoss =
  /** A key of an object stands there several times, and the last one counts. */
  | { readonly kind: 'repeated'; readonly keys: readonly (string | number)[] }
  /** An integer is rounded. */
  | (UnsafeInteger & { readonly kind: 'rounded'; readonly written: string })

/**
 * What `JSON.parse` loses of a text without a word.
 *
 * @param text valid JSON
 * @param value what it was parsed to
 */
export function jsonLosses(text: string, value: Json): readonly TextLoss[] {
  const { keys, unsafe } = tallyJson(value)
  const isWhole = keysIn(text) === keys
  if (isWhole && unsafe.length === 0) return []
  // By pointer: of what stands there several times the last one counts.
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
  walkJson(text, visitor, isWhole ? new Set(rounded.keys()) : undefined)
  return [
    ...[...repeated].map((pointer) => ({ kind: 'repeated' as const, keys: keysOf(pointer) ?? [] })),
    ...[...rounded.values()]
      .filter(({ integer, written }) => isRounded(written, integer.value))
      .map(({ integer, written }) => ({ kind: 'rounded' as const, ...integer, written })),
  ]
}

const [quote, backslash, colon] = ['"', '\\', ':'].map((character) => character.charCodeAt(0))

/** How many keys a JSON text has. It goes from text to text, so that large documents cost nothing to speak of. */
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
