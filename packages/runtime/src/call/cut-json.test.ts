import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonValue } from '../types/json.js'
import type { CutPart } from '../types/outcome.js'
import type { MaxResult } from '../types/tool.js'
import { cutJson, exceeds, type NextCall, utf8Bytes } from './cut-json.js'
import { tokenHundredths } from './estimate-tokens.js'

const id = 'call_0123456789abcdef01234567'

const more = ({ pointer, offset = 0, shown }: CutPart): readonly NextCall[] => [
  { tool: 'read_result', arguments: { id, pointer, offset: offset + shown } },
]

const long = fc.oneof(fc.string({ maxLength: 1_500 }), fc.string({ unit: 'binary', maxLength: 200 }))

const values: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.double({ noNaN: true, noDefaultInfinity: true }), long),
    fc.array(tie('value'), { maxLength: 40 }),
    fc.dictionary(
      fc.string({ maxLength: 12 }).filter((key) => key !== '__proto__'),
      tie('value'),
      { maxKeys: 30, noNullPrototype: true },
    ),
  ),
})).value

const limits: fc.Arbitrary<MaxResult> = fc.oneof(
  fc.integer({ min: 500, max: 4_000 }).map((bytes) => ({ bytes })),
  fc.integer({ min: 200, max: 2_000 }).map((tokens) => ({ tokens })),
)

function sizeOf(text: string, max: MaxResult): number {
  return max.tokens === undefined ? utf8Bytes(text) : Math.ceil(tokenHundredths(text) / 100)
}

/** Reads a value as a model does: follows the notes of each text until nothing is missing. */
function readWhole(whole: JsonValue, max: MaxResult): unknown {
  const root = { value: undefined as unknown }
  const reads = [{ pointer: '', offset: 0 }]
  for (let count = 0; count < reads.length; count += 1) {
    const { pointer, offset } = reads[count] as (typeof reads)[number]
    const { text, parts } = cutJson({ value: at(whole, pointer) as JsonValue, max, pointer, offset, more })
    const limit = max.tokens ?? max.bytes ?? 0
    // The notes may exceed the limit if the pointer is long. Then the text shows only one item.
    const isShort = parts[0]?.pointer === pointer && parts[0].shown <= 32
    expect(sizeOf(text, max)).toBeLessThanOrEqual(isShort && pointer.length > 20 ? 2 * limit : limit)
    const parsed = JSON.parse(text)
    const shown = { value: parts.length === 0 ? parsed : parsed.result }
    for (const part of parts) {
      expect(part.pointer === pointer && part.shown === 0).toBe(false)
      reads.push({ pointer: part.pointer, offset: (part.offset ?? 0) + part.shown })
      if (part.unit === 'characters') unmark(shown, segments(part.pointer.slice(pointer.length)), offset)
    }
    append(root, pointer, shown.value)
  }
  return root.value
}

function segments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((each) => each.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function at(value: unknown, pointer: string): unknown {
  return segments(pointer).reduce<any>((inner, segment) => inner[segment], value)
}

/** Removes the mark at the end of a cut string. `offset` is the index of the first shown item. */
function unmark(shown: { value: unknown }, path: readonly string[], offset: number): void {
  const inside = path.map((each, index) =>
    index === 0 && Array.isArray(shown.value) ? String(Number(each) - offset) : each,
  )
  const all = ['value', ...inside]
  const parent = all.slice(0, -1).reduce<any>((inner, segment) => inner[segment], shown)
  const key = all.at(-1) as string
  expect(parent[key].endsWith('…')).toBe(true)
  parent[key] = parent[key].slice(0, -1)
}

function append(root: { value: unknown }, pointer: string, more: any): void {
  const path = ['value', ...segments(pointer)]
  const parent = path.slice(0, -1).reduce<any>((inner, segment) => inner[segment], root)
  const key = path.at(-1) as string
  const shown = parent[key]
  if (typeof shown === 'string') parent[key] = shown + more
  else if (Array.isArray(shown)) parent[key] = [...shown, ...more]
  else if (typeof shown === 'object' && shown !== null) parent[key] = { ...shown, ...more }
  else parent[key] = more
}

describe('cutJson', () => {
  it('returns JSON within the limit, from which reading on reconstructs the whole value', () => {
    fc.assert(
      fc.property(values, limits, (value, max) => {
        // JSON has no negative zero.
        const plain = JSON.parse(JSON.stringify(value))
        expect(readWhole(plain, max)).toEqual(plain)
      }),
      { numRuns: 40, endOnFailure: true },
    )
  })

  it('returns a value within the limit unchanged, and recognizes it without parsing', () => {
    fc.assert(
      fc.property(values, limits, (value, max) => {
        const json = JSON.stringify(value)
        const { text, parts } = cutJson({ value: JSON.parse(json), max, more })
        expect(exceeds(json, max)).toBe(sizeOf(json, max) > (max.tokens ?? max.bytes ?? 0))
        expect(exceeds(json, max)).toBe(parts.length > 0)
        if (parts.length === 0) expect(text).toBe(json)
      }),
    )
  })

  it('cuts the largest parts, and keeps small ones and all properties', () => {
    const items = Array.from({ length: 250 }, (_, index) => ({ id: `A-${index}`, total: index }))
    const value = { query: 'open', items, next: null, tags: ['a', 'b'] }
    const { text, parts } = cutJson({ value, max: { bytes: 500 }, more })
    expect(JSON.parse(text).result).toEqual({ ...value, items: items.slice(0, parts[0]?.shown) })
    expect(text).toMatchInlineSnapshot(
      `"{"cut":[{"pointer":"/items","shown":10,"total":250,"unit":"items"}],"more":[{"tool":"read_result","arguments":{"id":"call_0123456789abcdef01234567","pointer":"/items","offset":10}}],"result":{"query":"open","items":[{"id":"A-0","total":0},{"id":"A-1","total":1},{"id":"A-2","total":2},{"id":"A-3","total":3},{"id":"A-4","total":4},{"id":"A-5","total":5},{"id":"A-6","total":6},{"id":"A-7","total":7},{"id":"A-8","total":8},{"id":"A-9","total":9}],"next":null,"tags":["a","b"]}}"`,
    )
    expect(parts).toEqual([{ pointer: '/items', shown: parts[0]?.shown, total: 250, unit: 'items' }])
  })

  it('limits each array to a number of items, also nested ones', () => {
    const value = { rows: [[1, 2, 3], [4]], names: ['a', 'b'] }
    const { text } = cutJson({ value, max: { items: 1 }, more: () => [] })
    expect(JSON.parse(text)).toEqual({
      cut: [
        { pointer: '/rows', shown: 1, total: 2, unit: 'items' },
        { pointer: '/rows/0', shown: 1, total: 3, unit: 'items' },
        { pointer: '/names', shown: 1, total: 2, unit: 'items' },
      ],
      result: { rows: [[1]], names: ['a'] },
    })
  })

  it('cuts strings between characters', () => {
    const { text, parts } = cutJson({ value: { text: '👍'.repeat(1_000), ok: true }, max: { bytes: 500 }, more })
    expect(JSON.parse(text).result).toEqual({ text: `${'👍'.repeat((parts[0]?.shown ?? 0) / 2)}…`, ok: true })
  })

  it('keeps the first properties of an object with too many', () => {
    const value = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`key${index}`, index]))
    const { text, parts } = cutJson({ value, max: { tokens: 200 }, more })
    expect(parts).toEqual([{ pointer: '', shown: parts[0]?.shown, total: 400, unit: 'properties' }])
    expect(Object.keys(JSON.parse(text).result)).toEqual(Object.keys(value).slice(0, parts[0]?.shown))
  })

  it('copies a property __proto__ as it is', () => {
    const value = JSON.parse(`{"__proto__":{"a":1},"text":"${'x'.repeat(900)}"}`)
    expect(cutJson({ value, max: { bytes: 500 }, more }).text).toContain('"result":{"__proto__":{"a":1},"text":"xxx')
  })

  it('cuts values that are nested deeply or have very long property names', () => {
    for (const value of [
      Array.from({ length: 500 }).reduce<JsonValue>((inner) => ({ next: inner, n: 1 }), 0),
      { ['k'.repeat(5_000)]: 1 },
      [{ ['k'.repeat(5_000)]: 'v'.repeat(5_000) }],
    ]) {
      const { text, parts } = cutJson({ value, max: { bytes: 500 }, more })
      expect(JSON.parse(text).result).toBeDefined()
      expect(utf8Bytes(text)).toBeLessThanOrEqual(500)
      expect(parts.length).toBeGreaterThan(0)
    }
  })
})
