import fc from 'fast-check'
import { expect, it } from 'vitest'
import { byCodePoint } from './text.js'

it('orders by code points, not by locale and not by code units', () => {
  expect(['b', 'a', 'B', 'é', '\u{1f600}', '\uff21'].sort(byCodePoint)).toEqual([
    'B',
    'a',
    'b',
    'é',
    '\uff21',
    '\u{1f600}',
  ])
})

it('agrees with a comparison of the lists of code points', () => {
  const points = (text: string) => Array.from(text, (character) => character.codePointAt(0) ?? 0)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      const [left, right] = [points(a), points(b)]
      const index = left.findIndex((point, at) => point !== right[at])
      const expected = index === -1 ? left.length - right.length : (left[index] ?? 0) - (right[index] ?? -1)
      expect(Math.sign(byCodePoint(a, b))).toBe(Math.sign(expected))
    }),
  )
})
