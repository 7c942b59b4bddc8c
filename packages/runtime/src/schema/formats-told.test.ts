import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../codec/codecs.js'

const date = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const big = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', 'x-js': 'bigint' }
const bytes = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }
const words = {
  date: 'a date-time string such as 2026-01-31T09:30:00Z',
  big: 'a decimal integer string such as -42',
  bytes: 'a base64 string such as SGVsbG8=',
}

function issuesOf(field: Record<string, unknown>, sent: unknown) {
  const schema = { type: 'object', properties: { at: field }, required: ['at'], $defs: { When: date } }
  const decoded = payloadCodec<unknown, unknown>({ schema }).decodeValue(sent)
  return decoded.ok ? [] : decoded.issues
}

describe('how a text is written', () => {
  it.each([
    ['a Date', date, words.date],
    ['a bigint', big, words.big],
    ['bytes', bytes, words.bytes],
    ['a plain format', { type: 'string', format: 'date' }, 'a date string such as 2026-01-31'],
    ['a reference', { $ref: '#/$defs/When' }, words.date],
    ['an allOf', { allOf: [{}, date] }, words.date],
    ['a nullable one', { anyOf: [date, { type: 'null' }] }, `${words.date} or null`],
    ['a format without a sample', { type: 'string', format: 'email' }, 'a string'],
    ['variants of two formats', { anyOf: [date, { type: 'string', format: 'uuid' }] }, 'a string'],
    ['variants of a date and any text', { anyOf: [date, { type: 'string' }] }, 'a string'],
  ])('is said of %s that is missing or of another type', (_, field, expected) => {
    expect(issuesOf(field, {})).toMatchObject([{ constraint: 'missing_field', expected }])
    const [issue] = issuesOf(field, { at: 5 })
    expect(issue).toMatchObject({ constraint: 'invalid_type', message: `Expected ${expected} but got a number.` })
  })

  it('is a fact of the issue', () => {
    expect(issuesOf(date, { at: 5 })).toMatchObject([{ format: 'date-time', expected: ['string'] }])
    expect(issuesOf({ type: 'string' }, { at: 5 })[0]).not.toHaveProperty('format')
    expect(issuesOf({ type: 'integer', format: 'time' }, {})).toMatchObject([{ expected: 'an integer' }])
  })
})
