import { pointerToken } from '../schema/json-pointer.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { CutPart } from '../types/outcome.js'
import type { MaxResult } from '../types/tool.js'
import { MAX_TOKEN_HUNDREDTHS, tokenHundredths } from './estimate-tokens.js'

/** The size of a text must be the sum of the sizes of its parts. */
interface Measure {
  readonly of: (text: string) => number
  readonly limit: number
  /** Maximum result of `of` for one UTF-16 code unit, for example 3 if `of` counts the bytes of UTF-8. */
  readonly largest: number
}

function measureOf({ tokens, bytes }: MaxResult): Measure | undefined {
  if (tokens !== undefined) return { of: tokenHundredths, limit: tokens * 100, largest: MAX_TOKEN_HUNDREDTHS }
  return bytes === undefined ? undefined : { of: utf8Bytes, limit: bytes, largest: 3 }
}

export function utf8Bytes(text: string): number {
  let sum = text.length
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x80) continue
    // Each half of a surrogate pair counts two of the four bytes of the pair.
    sum += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2
  }
  return sum
}

/** If `max` limits the number of items, the result can be true even for JSON within the limit. */
export function exceeds(json: JsonText, max: MaxResult): boolean {
  const measure = measureOf(max)
  if (measure !== undefined) return json.length * measure.largest > measure.limit && measure.of(json) > measure.limit
  // An array with more than `items` items contains at least `items` commas.
  let commas = 0
  for (let at = json.indexOf(','); at >= 0; at = json.indexOf(',', at + 1)) {
    commas += 1
    if (commas >= (max.items ?? Number.POSITIVE_INFINITY)) return true
  }
  return false
}

export interface NextCall {
  readonly tool: string
  readonly arguments: { readonly [name: string]: JsonValue }
}

export interface CutRequest {
  readonly value: JsonValue
  readonly max: MaxResult
  /** JSON Pointer of `value` in the whole result. */
  readonly pointer?: string
  readonly offset?: number
  readonly count?: number
  readonly isWrapped?: boolean
  readonly more: (part: CutPart) => readonly NextCall[]
}

export interface CutText {
  readonly text: JsonText
  readonly parts: readonly CutPart[]
}

/**
 * Small parts stay whole. The largest arrays, objects and strings keep only their first items, properties and characters. In a shortened text,
 * `result` is the last property, so that a model first reads that the value is incomplete.
 */
export function cutJson(request: CutRequest): CutText {
  const { value, max, pointer = '', offset = 0, count = Number.POSITIVE_INFINITY, isWrapped = false, more } = request
  const measure = measureOf(max)
  const slice: Slice = { pointer, offset, count }
  const shown = (part: Part): CutText => {
    const parts = part.cuts.map(({ part }) => part)
    const main = part.cuts.reduce<Removed | undefined>(
      (a, b) => (a !== undefined && a.size >= b.size ? a : b),
      undefined,
    )
    if (main === undefined) return { text: isWrapped ? `{"result":${part.text}}` : part.text, parts }
    const calls = more(main.part)
    const next = calls.length === 0 ? '' : `"more":${JSON.stringify(calls)},`
    return { text: `{"cut":${JSON.stringify(parts)},${next}"result":${part.text}}`, parts }
  }
  const cutter = new Cutter(measure, max.items)
  if (measure === undefined)
    return shown(cutter.cut(value, Number.POSITIVE_INFINITY, slice) ?? cutter.least(value, slice))
  let room = measure.limit
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const part = cutter.cut(value, room, slice)
    const [own] = part?.cuts ?? []
    if (part === undefined || (own?.part.pointer === pointer && own.part.shown === 0)) break
    const result = shown(part)
    const excess = measure.of(result.text) - measure.limit
    if (excess <= 0) return result
    // The notes need this space. The cutter already reserves space for `cut`, but only a cut value tells the calls in `more`.
    room -= excess
  }
  // Long pointers can need more space than the limit. One item is then better than none, because reading on would not end.
  const one = shown(cutter.one(value, slice))
  return measure.of(one.text) <= 2 * measure.limit ? one : shown(cutter.least(value, slice))
}

const MAX_ATTEMPTS = 30

const SHORT_TEXT = 'x'.repeat(32)

interface Slice {
  readonly pointer: string
  readonly offset: number
  readonly count: number
}

interface Removed {
  readonly part: CutPart
  readonly size: number
}

/** `size` includes the notes about omitted content. */
interface Part {
  readonly text: JsonText
  readonly size: number
  readonly cuts: readonly Removed[]
}

type Container = readonly JsonValue[] | { readonly [key: string]: JsonValue }

class Cutter {
  readonly #measure: Measure | undefined
  readonly #items: number
  readonly #sizes = new Map<Container, number>()

  constructor(measure: Measure | undefined, items: number | undefined) {
    this.#measure = measure
    this.#items = items ?? Number.POSITIVE_INFINITY
  }

  #of(text: string): number {
    return this.#measure?.of(text) ?? 0
  }

  cut(value: JsonValue, room: number, slice: Slice): Part | undefined {
    if (typeof value === 'string') return this.#cutString(value, room, slice)
    if (typeof value !== 'object' || value === null) return this.#whole(value, room)
    const canBeWhole = slice.offset === 0 && slice.count === Number.POSITIVE_INFINITY && this.#measure !== undefined
    if (canBeWhole && this.#size(value) <= room) return this.#whole(value, room)
    return isArray(value) ? this.#cutArray(value, room, slice) : this.#cutObject(value, room, slice)
  }

  least(value: JsonValue, slice: Slice): Part {
    if (typeof value === 'string') {
      const total = value.length
      if (total <= SHORT_TEXT.length) return this.#part(JSON.stringify(value), [])
      return this.#part('"…"', [], { slice, shown: 0, total, unit: 'characters' }, value)
    }
    if (typeof value !== 'object' || value === null) return this.#part(JSON.stringify(value), [])
    if (Array.isArray(value)) return this.#part('[]', [], { slice, shown: 0, total: value.length, unit: 'items' })
    return this.#part('{}', [], { slice, shown: 0, total: Object.keys(value).length, unit: 'properties' })
  }

  one(value: JsonValue, slice: Slice): Part {
    if (typeof value === 'string') {
      const first = { ...slice, count: Math.min(slice.count, SHORT_TEXT.length) }
      return this.#cutString(value, Number.POSITIVE_INFINITY, first) ?? this.least(value, slice)
    }
    if (typeof value !== 'object' || value === null) return this.least(value, slice)
    const keys = Object.keys(value)
    const key = keys[slice.offset]
    if (key === undefined) return this.least(value, slice)
    const part = this.least(Reflect.get(value, key), this.#inside(slice, key))
    const missing = Object.values(value).slice(slice.offset + 1)
    const own = { slice, shown: 1, total: keys.length }
    return Array.isArray(value)
      ? this.#part(`[${part.text}]`, [part], { ...own, unit: 'items' }, missing)
      : this.#part(`{${JSON.stringify(key)}:${part.text}}`, [part], { ...own, unit: 'properties' }, missing)
  }

  #whole(value: JsonValue, room: number): Part | undefined {
    const text = JSON.stringify(value)
    const size = this.#of(text)
    return size <= room ? { text, size, cuts: [] } : undefined
  }

  #cutString(value: string, room: number, slice: Slice): Part | undefined {
    const total = value.length
    // An offset inside a surrogate pair would show half of a character.
    const start = isInsidePair(value, slice.offset) ? slice.offset - 1 : Math.min(slice.offset, total)
    const wanted = Math.min(total, start + slice.count)
    if (wanted === total) {
      const rest = this.#whole(value.slice(start), room)
      if (rest !== undefined) return rest
    }
    const own = { ...slice, offset: start }
    let left = room - this.#of('"…"') - this.#noteSize(own, total, 'characters')
    if (left < 0) return undefined
    let end = start
    while (end < wanted) {
      const character = String.fromCodePoint(value.codePointAt(end) ?? 0)
      const size = this.#of(JSON.stringify(character).slice(1, -1))
      if (size > left) break
      left -= size
      end += character.length
    }
    const text = JSON.stringify(`${value.slice(start, end)}…`)
    return this.#part(text, [], { slice: own, shown: end - start, total, unit: 'characters' }, value.slice(end))
  }

  #cutArray(value: readonly JsonValue[], room: number, slice: Slice): Part | undefined {
    const total = value.length
    const end = Math.min(total, slice.offset + Math.min(slice.count, this.#items))
    const space = room - this.#of('[]') - this.#noteSize(slice, total, 'items')
    if (space < 0) return undefined
    const parts: Part[] = []
    let left = space
    for (let index = slice.offset; index < end; index += 1) {
      const comma = parts.length === 0 ? 0 : this.#of(',')
      const item = value[index] ?? null
      const isWhole = this.#size(item) + comma <= left
      // The next item is worth cutting if it would otherwise leave most of the space empty.
      if (!isWhole && parts.length > 0 && left * 2 <= space) break
      const part = this.cut(item, left - comma, this.#inside(slice, index))
      if (part === undefined) break
      parts.push(part)
      left -= part.size + comma
      if (!isWhole) break
    }
    const text = `[${parts.map((part) => part.text).join(',')}]`
    const next = slice.offset + parts.length
    const cut = { slice, shown: parts.length, total, unit: 'items' } as const
    return this.#part(text, parts, cut, next < total ? value.slice(next) : undefined)
  }

  #cutObject(value: { readonly [key: string]: JsonValue }, room: number, slice: Slice): Part | undefined {
    const all = Object.keys(value)
    const keys = all.slice(slice.offset, slice.offset + slice.count)
    const children = keys.map((key, index) => {
      const child = value[key] ?? null
      const inside = this.#inside(slice, key)
      const frame = this.#of(`${JSON.stringify(key)}:${index === 0 ? '' : ','}`)
      const size = this.#size(child)
      return { key, child, inside, frame, size, least: Math.min(size, this.#leastSize(child, inside)) }
    })
    const needed = ({ frame, least }: (typeof children)[number]): number => frame + least
    const braces = this.#of('{}')
    let left = room - braces - children.reduce((sum, child) => sum + needed(child), 0)
    let kept = children
    if (left < 0 || slice.offset + keys.length < all.length) {
      left = room - braces - this.#noteSize(slice, all.length, 'properties')
      if (left < 0) return undefined
      let count = 0
      for (const child of children) {
        if (needed(child) > left) break
        left -= needed(child)
        count += 1
      }
      kept = children.slice(0, count)
    }
    // The smallest properties get their space first, so that only the largest ones are cut.
    const parts = new Map<string, Part>()
    const bySize = [...kept].sort((a, b) => a.size - a.least - (b.size - b.least))
    for (const [index, { key, child, inside, size, least }] of bySize.entries()) {
      const share = least + Math.min(size - least, Math.floor(left / (bySize.length - index)))
      const part = this.cut(child, share, inside) ?? this.least(child, inside)
      parts.set(key, part)
      left -= part.size - least
    }
    const ordered = kept.map(({ key }) => ({ key, part: parts.get(key) as Part }))
    const text = `{${ordered.map(({ key, part }) => `${JSON.stringify(key)}:${part.text}`).join(',')}}`
    const cut = { slice, shown: kept.length, total: all.length, unit: 'properties' } as const
    const missing = all.slice(slice.offset + kept.length).map((key) => value[key] ?? null)
    const inner = ordered.map(({ part }) => part)
    return this.#part(text, inner, cut, missing.length === 0 ? undefined : missing)
  }

  #part(text: JsonText, inner: readonly Part[], own?: OwnCut, missing?: JsonValue): Part {
    const inside = inner.flatMap(({ cuts }) => cuts)
    const isCut = own !== undefined && own.slice.offset + own.shown < own.total
    const removed = (cut: OwnCut): number =>
      this.#measure === undefined || missing === undefined ? cut.total - cut.shown : this.#size(missing)
    const cuts = isCut ? [{ part: partOf(own), size: removed(own) }, ...inside] : inside
    const size = cuts.reduce((sum, { part }) => sum + this.#of(`${JSON.stringify(part)},`), this.#of(text))
    return { text, size, cuts }
  }

  #size(value: JsonValue): number {
    if (typeof value !== 'object' || value === null) return this.#of(JSON.stringify(value))
    const known = this.#sizes.get(value)
    if (known !== undefined) return known
    let size = this.#of('[]')
    let isFirst = true
    const comma = this.#of(',')
    for (const [key, child] of Object.entries(value)) {
      size +=
        (isFirst ? 0 : comma) + (Array.isArray(value) ? 0 : this.#of(`${JSON.stringify(key)}:`)) + this.#size(child)
      isFirst = false
    }
    this.#sizes.set(value, size)
    return size
  }

  #leastSize(value: JsonValue, slice: Slice): number {
    if (typeof value === 'string') {
      return this.#of('"…"') + this.#of(SHORT_TEXT) + this.#noteSize(slice, value.length, 'characters')
    }
    if (typeof value !== 'object' || value === null) return Number.POSITIVE_INFINITY
    if (Array.isArray(value)) return this.#of('[]') + this.#noteSize(slice, value.length, 'items')
    return this.#of('{}') + this.#noteSize(slice, Object.keys(value).length, 'properties')
  }

  #noteSize(slice: Slice, total: number, unit: CutPart['unit']): number {
    return this.#of(`${JSON.stringify(partOf({ slice, shown: total, total, unit }))},`)
  }

  #inside({ pointer }: Slice, segment: string | number): Slice {
    return { pointer: pointer + pointerToken(segment), offset: 0, count: Number.POSITIVE_INFINITY }
  }
}

interface OwnCut {
  readonly slice: Slice
  readonly shown: number
  readonly total: number
  readonly unit: CutPart['unit']
}

function partOf({ slice: { pointer, offset }, shown, total, unit }: OwnCut): CutPart {
  return { pointer, ...(offset > 0 && { offset }), shown, total, unit }
}

function isArray(value: Container): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isInsidePair(text: string, offset: number): boolean {
  return (
    offset > 0 && offset < text.length && /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(offset - 1, offset + 1))
  )
}
