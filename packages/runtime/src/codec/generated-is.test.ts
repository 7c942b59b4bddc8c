import { describe, expect, it } from 'vitest'
import { loose, Mode, strict } from '../schema/mode.js'
import {
  any,
  arrayOf,
  closed,
  contains,
  each,
  equal,
  exactlyOne,
  integer,
  number,
  shallow,
  string,
  unique,
} from './generated-is.js'

/** What the `raw` of an entity of some library is: held by the instance and declared nowhere. */
class Row {
  readonly raw: unknown = { secret: true }

  get a(): string {
    return 'x'
  }
}

describe('an object with only some of its declared fields', () => {
  it('has no others, or what the mode makes of them', () => {
    const untidy = { a: 1, b: 2 }
    expect(closed(untidy, 2, strict)).toBe(true)
    expect(closed(untidy, 1, strict)).toBe(false)
    for (const [extras, accepted, marked] of [
      ['refuse', false, false],
      ['strip', true, true],
      ['keep', true, false],
      ['ignore', true, false],
    ] as const) {
      const mode = new Mode(extras, false)
      expect([extras, closed(untidy, 1, mode), mode.untidy]).toEqual([extras, accepted, marked])
    }
  })

  it('may have own undefined where it was not parsed', () => {
    const mode = new Mode('refuse', false)
    expect([closed({ a: 1, b: undefined }, 1, mode), mode.untidy]).toEqual([true, true])
  })

  it('may not where it is judged as it stands', () => {
    const mode = new Mode('refuse', false, false)
    expect(closed({ a: 1, b: undefined }, 1, mode)).toBe(false)
    expect(closed({ a: 1, b: undefined }, 1, new Mode('keep', false, false))).toBe(false)
  })

  it('is none of a class: a declared field may be inherited, and its own ones undeclared', () => {
    for (const extras of ['refuse', 'strip', 'keep'] as const) {
      expect(closed({ ...new Row() }, 1, new Mode(extras, false))).toBe(true)
      expect(Reflect.apply(closed, undefined, [new Row(), 1, new Mode(extras, false)])).toBe(false)
    }
  })
})

describe('values that are no plain JSON', () => {
  const circle: unknown[] = []
  circle.push(circle)
  const liar = new Proxy<unknown[]>([], { get: (_, key) => (key === 'length' ? 1e12 : 1) })
  const sparse = Object.assign([], { length: 4_000_000_000 })

  it.each([
    ['a circle', circle],
    ['an array whose length is a lie', liar],
    ['a sparse array', sparse],
    ['a Map', new Map()],
    ['undefined', [undefined]],
    ['infinity', [Number.POSITIVE_INFINITY]],
  ])('are refused at once: %s', (_, value) => {
    expect(any(value)).toBe(false)
  })

  it('are walked no further than they are long', () => {
    expect(each(liar, () => true, loose)).toBe(false)
    expect([shallow(sparse), shallow(circle)]).toEqual([false, false])
    expect(shallow(JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`))).toBe(true)
  })

  it('equal no literal', () => {
    expect([equal({}, {}), equal(new Map(), {}), equal([1], [1.0]), equal(new Error('no'), {})]).toEqual([
      ...[true, false, true, false],
    ])
  })
})

describe('words', () => {
  it('accept numbers within bounds, and no other values', () => {
    expect([number(0.5, 0, 1), number(2, 0, 1), number(2, 0), number('1', 0, 1)]).toEqual([true, false, true, false])
    expect([number(Number.NaN, 0), number(Number.POSITIVE_INFINITY, 0)]).toEqual([false, false])
    expect([integer(1.0, 1, 1), integer(0.5, 0, 1), integer(true, 0, 1)]).toEqual([true, false, false])
  })

  it('take arrays within bounds of items that pass', () => {
    const isText = (value: unknown): boolean => typeof value === 'string'
    expect([
      arrayOf(['a'], isText, strict),
      arrayOf([1], isText, strict),
      arrayOf({ length: 0 }, isText, strict),
    ]).toEqual([...[true, false, false]])
    expect([arrayOf([], isText, strict, 1), arrayOf(['a', 'b'], isText, strict, 0, 1)]).toEqual([false, false])
  })

  it.each([
    [0, 0, 0],
    [1, 1, 2],
    [2, 2, 3],
    [4, 4, 8],
  ])('count code points between %i and %i as they are', (least, most, units) => {
    for (let length = 0; length <= units + 1; length++) {
      for (const part of ['a', '\u{1f600}']) {
        const sample = part.repeat(length)
        expect([sample, string(sample, least, most)]).toEqual([sample, length >= least && length <= most])
      }
    }
  })

  it('count code points, items that match, and conditions', () => {
    expect([string('\u{1f600}', 2), string('\u{1f600}', 1, 1), string('ab', 0, 1), string('\ud800', 1, 1)]).toEqual([
      ...[false, true, false, true],
    ])
    const isOne = (value: unknown): boolean => value === 1
    expect([contains([1, 2, 1], isOne, loose), contains([1, 1], isOne, loose, 1, 1)]).toEqual([true, false])
    expect([exactlyOne(true, false), exactlyOne(true, true), exactlyOne()]).toEqual([true, false, false])
    expect([
      unique([1, '1', true]),
      unique([
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ]),
    ]).toEqual([true, false])
  })
})
