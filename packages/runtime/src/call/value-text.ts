import { nearestNames } from '../schema/nearest.js'
import type { JsonValue } from '../types/json.js'

/** All lengths are in characters. */
export interface Detail {
  readonly values: number
  readonly listLength: number
  readonly textLength: number
  readonly descriptions?: boolean
  readonly fields?: boolean
}

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
