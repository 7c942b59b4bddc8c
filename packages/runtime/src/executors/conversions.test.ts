import { describe, expect, it } from 'vitest'
import { isToolgenError } from '../is-toolgen-error.js'
import {
  arrayToSet,
  base64ToBytes,
  bigintToString,
  bytesToBase64,
  dateTimeToDate,
  dateToDateTime,
  dateToUtcMidnight,
  integerToBigint,
  isArray,
  mapRecord,
  mapToRecord,
  recordToMap,
  setToArray,
  stringToUrl,
  urlToString,
} from './conversions.js'

const failureOf = (convert: () => unknown): string | undefined => {
  try {
    convert()
    return undefined
  } catch (error) {
    return isToolgenError(error, 'ToolFailure') ? error.reason : `not a ToolFailure: ${String(error)}`
  }
}

describe('conversions of arguments', () => {
  it('make what the method takes', () => {
    expect(dateTimeToDate('2026-01-31T10:00:00+02:00').getTime()).toBe(Date.UTC(2026, 0, 31, 8))
    expect(dateToUtcMidnight('2024-02-29').getTime()).toBe(Date.UTC(2024, 1, 29))
    expect(integerToBigint(-7)).toBe(-7n)
    expect(base64ToBytes('AAH/')).toEqual(new Uint8Array([0, 1, 255]))
    expect(Buffer.isBuffer(base64ToBytes('AAH/'))).toBe(false)
    expect(base64ToBytes('').byteLength).toBe(0)
    expect(stringToUrl('https://example.org/a?b').searchParams.has('b')).toBe(true)
    expect(arrayToSet(['a', 'b', 'a'])).toEqual(new Set(['a', 'b']))
    expect(recordToMap(JSON.parse('{"__proto__":1,"a":2}'))).toEqual(
      new Map([
        ['__proto__', 1],
        ['a', 2],
      ]),
    )
  })

  it.each([
    ['a leap second', () => dateTimeToDate('2016-12-31T23:59:60Z')],
    ['a day that is not', () => dateToUtcMidnight('2026-02-30')],
    ['a date with a time', () => dateToUtcMidnight('2026-02-20T00:00:00Z')],
    ['a huge integer', () => integerToBigint(2 ** 60)],
    ['a fraction', () => integerToBigint(0.5)],
    ['text that is not base64', () => base64ToBytes('a b!')],
    ['base64 without its padding', () => base64ToBytes('AA')],
    ['a relative URL', () => stringToUrl('/a')],
  ])('refuse %s so that the model can correct it', (_, convert) => {
    expect(failureOf(convert)).toBe('domain_rejection')
  })
})

describe('conversions of results', () => {
  it('make what JSON carries', () => {
    expect(dateToDateTime(new Date(0))).toBe('1970-01-01T00:00:00.000Z')
    expect(dateToDateTime('as it is')).toBe('as it is')
    expect(bigintToString(2n ** 70n)).toBe('1180591620717411303424')
    expect(bytesToBase64(Buffer.from('hi'))).toBe('aGk=')
    expect(bytesToBase64(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))).toBe('AgM=')
    expect(bytesToBase64(new Uint8Array([1]).buffer)).toBe('AQ==')
    expect(urlToString(new URL('https://example.org'))).toBe('https://example.org/')
    expect(setToArray(new Set([2, 1]))).toEqual([2, 1])
  })

  it.each([['an invalid date', () => dateToDateTime(new Date(Number.NaN))]])(
    'report %s as a malformed result',
    (_, convert) => {
      expect(failureOf(convert)).toBe('malformed_result')
    },
  )

  it('distinguish arrays from other values', () => {
    expect([[], [1], { length: 0 }, 'a', null].map(isArray)).toEqual([true, true, false, false, false])
  })

  it('keep hostile keys as ordinary properties', () => {
    const record = mapToRecord(
      new Map([
        ['__proto__', { polluted: true }],
        ['constructor', { polluted: true }],
      ]),
    )
    expect(Object.keys(record)).toEqual(['__proto__', 'constructor'])
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype)
    const mapped = mapRecord(record, () => 1)
    expect(Object.entries(mapped)).toEqual([
      ['__proto__', 1],
      ['constructor', 1],
    ])
    expect('polluted' in {}).toBe(false)
  })
})
