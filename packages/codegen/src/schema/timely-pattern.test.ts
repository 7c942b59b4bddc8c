import { expect, it } from 'vitest'
import { timelyPattern, valueChecker } from './check-value.js'

const check = valueChecker({}, 'refuse', timelyPattern)

it('takes a text that a pattern cannot be tried on in time for one that does not fit', () => {
  const slow = { type: 'string', pattern: '^(a+)+$' }
  expect(check(slow, 'aaa')).toEqual([])
  expect(check(slow, `${'a'.repeat(40)}b`)).toEqual([
    { pointer: '', message: 'must match pattern "^(a+)+$", which takes too long to try' },
  ])
})

it('does so of the names of fields', () => {
  const slow = { type: 'object', patternProperties: { '^(b|b)*$': false } }
  expect(check(slow, { [`${'b'.repeat(40)}a`]: 1 })).toMatchObject([{ message: expect.stringContaining('(b|b)*') }])
})

it('tries every other text as the engine does', () => {
  const date = { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }
  expect(check(date, '2026-11-22')).toEqual([])
  expect(check(date, 'today')).toMatchObject([{ message: expect.stringContaining('must match pattern') }])
})
