import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  bigintFromText,
  bigintText,
  bytesFromText,
  bytesText,
  canonicalWireText,
  dateFromText,
  dateText,
  isTyped,
  typedFromText,
  typedText,
} from './typed-values.js'

describe('dates', () => {
  it.each([
    ['2026-01-31T09:30:00Z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31t09:30:00z', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T09:30:00.5+01:00', '2026-01-31T08:30:00.500Z'],
    ['2026-01-31T23:59:59.123456-23:59', '2026-02-01T23:58:59.123Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0042-06-01T00:00:00Z', '0042-06-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, written) => {
    const date = dateFromText(text)
    expect(date?.toISOString()).toBe(written)
    expect(canonicalWireText('Date', text)).toBe(written)
  })

  it.each([
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['a year before 0000 in UTC', '0000-01-01T00:00:00+01:00'],
    ['a year after 9999 in UTC', '9999-12-31T23:59:59-01:00'],
    ['a day that does not exist', '2026-02-29T00:00:00Z'],
    ['no offset', '2026-01-31T09:30:00'],
    ['a date', '2026-01-31'],
    ['nothing', ''],
  ])('%s is none', (_, text) => expect(dateFromText(text)).toBeUndefined())

  it('are written in UTC, where they can be', () => {
    expect(dateText(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
    for (const time of [Number.NaN, 8.64e15, -8.64e15]) expect(dateText(new Date(time))).toBeUndefined()
  })

  it('come back from their text', () => {
    const dates = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(dates, (date) => {
        expect(dateFromText(dateText(date) ?? '')).toEqual(date)
      }),
    )
  })
})

describe('bigints', () => {
  it.each(['-0', '00', '01', '+1', '1.0', '1e3', '0x10', ' 1', '1 ', '', '-', '१', '9'.repeat(1001)])(
    '%j is none',
    (text) => {
      expect(bigintFromText(text)).toBeUndefined()
    },
  )

  it('have at most 1000 characters', () => {
    expect(bigintText(10n ** 1000n)).toBeUndefined()
    expect(bigintText(10n ** 1000n - 1n)).toHaveLength(1000)
    expect(bigintText(-(10n ** 999n))).toBeUndefined()
    expect(bigintText(1n - 10n ** 999n)).toHaveLength(1000)
  })

  it('come back from their text, and texts from their bigint', () => {
    fc.assert(
      fc.property(fc.bigInt(), (value) => {
        expect(bigintFromText(bigintText(value) ?? '')).toBe(value)
      }),
    )
  })
})

describe('bytes', () => {
  it.each([
    'A',
    'AA',
    'AAA',
    'AA=',
    'AA===',
    'A===',
    '=',
    '====',
    'AB==',
    'AAB=',
    'AA==AA==',
    'AA-_',
    'AA\n=',
    ' AA=',
    'ÀA==',
    'AA=A',
    '=AAA',
    'AA\u{1F600}',
  ])('%j is none', (text) => expect(bytesFromText(text)).toBeUndefined())

  it('agree with the base64 of Node, in both directions', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        expect(bytesText(bytes)).toBe(text)
        expect(bytesFromText(text)).toEqual(bytes)
      }),
    )
  })

  it('are read exactly where writing them gives the text again', () => {
    const texts = fc.string({ unit: fc.constantFrom('A', 'B', 'z', '9', '+', '/', '=', '-'), maxLength: 12 })
    fc.assert(
      fc.property(texts, (text) => {
        const isBase64 = Buffer.from(text, 'base64').toString('base64') === text
        expect(bytesFromText(text) !== undefined).toBe(isBase64)
      }),
      { numRuns: 2000 },
    )
  })

  it('of megabytes take linear CPU time', () => {
    const large = new Uint8Array(3 * 2 ** 20).fill(7)
    const started = process.cpuUsage()
    expect(bytesFromText(bytesText(large))).toHaveLength(large.length)
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(10_000)
  })
})

describe('typed values', () => {
  it('are distinguished from all other values, whatever their names', () => {
    const pretender = { [Symbol.toStringTag]: 'Date' }
    const thrower = {
      get [Symbol.toStringTag]() {
        throw new Error('no')
      },
    }
    for (const other of [
      pretender,
      thrower,
      {},
      [],
      null,
      undefined,
      1,
      'a',
      new Uint16Array(1),
      new ArrayBuffer(1),
      new Proxy(new Date(), {}),
    ]) {
      expect(isTyped(other)).toBe(false)
    }
    for (const typed of [new Date(), 1n, new Uint8Array(), Buffer.from('a')]) expect(isTyped(typed)).toBe(true)
  })

  it('have the wire form of their type', () => {
    expect(typedText(typedFromText('Uint8Array', 'AQ==') ?? 0n)).toBe('AQ==')
    expect(typedText(typedFromText('bigint', '12') ?? 0n)).toBe('12')
  })
})
