import { nearestNames } from '../schema/nearest.js'
import type { JsonValue } from '../types/json.js'

/** Limits for the text of an issue. All lengths are in characters. */
export interface Detail {
  readonly values: number
  readonly listLength: number
  /** Maximum length of a pattern, an expected type or a value. */
  readonly textLength: number
  readonly descriptions?: boolean
  /** False to omit the list of declared fields from the text about an unknown field. Default: true. */
  readonly fields?: boolean
}

/** Removes the sample (` such as 2024-05-01`) from `expected` if the text is too long. */
export function withRoomForSample(expected: string, { textLength }: Detail): string {
  return expected.length <= textLength ? expected : expected.replace(/ such as \S+/, '')
}

export function valueText(value: JsonValue, detail: Detail): string {
  return shorten(JSON.stringify(value), detail.textLength)
}

interface ValueList {
  readonly allowed: readonly JsonValue[]
  readonly more?: number | undefined
}

export function oneOf(list: ValueList, detail: Detail, received?: JsonValue): string {
  return `${list.allowed.length === 1 ? '' : 'one of '}${valueList(list, detail, received)}`
}

/** Lists allowed values, starting with the values that are most similar to `received`: `"a", "b" and 38 more`. */
export function valueList({ allowed, more }: ValueList, detail: Detail, received?: JsonValue): string {
  const texts = allowed.filter((value) => typeof value === 'string')
  const near = typeof received === 'string' ? nearestNames(received, texts, detail.values) : []
  const items = [...new Set<JsonValue>([...near, ...allowed])].map((value) => JSON.stringify(value))
  return listText(items, detail, more)
}

export function listText(items: readonly string[], { values, listLength }: Detail, more = 0): string {
  const shown: string[] = []
  let room = listLength
  for (const item of items) {
    if (shown.length === values) break
    if (item.length > room) continue
    shown.push(item)
    room -= item.length + 2
  }
  const [first] = items
  if (shown.length === 0 && first !== undefined) shown.push(shorten(first, listLength))
  const unlisted = items.length - shown.length + more
  return `${shown.join(', ')}${unlisted > 0 ? ` and ${unlisted} more` : ''}`
}

export function shorten(text: string, maximum: number): string {
  if (text.length <= maximum) return text
  const characters = [...text]
  return characters.length <= maximum ? text : `${characters.slice(0, maximum - 1).join('')}…`
}
