import { describe, expect, it } from 'vitest'
import { valueChecker } from './check-value.js'
import { refTo } from './json-pointer.js'
import type { Schema } from './json-schema.js'
import { typedValue, wireValue } from './typed-value.js'

const date: Schema = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const bytes: Schema = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }
const bigint: Schema = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', 'x-js': 'bigint' }
const text: Schema = { type: 'string' }
const defs = { When: date }
const epoch = '1970-01-01T00:00:00.000Z'

function object(properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', properties }
}

describe('a value of the design', () => {
  const schema = object({
    a: { $ref: refTo('When') },
    b: { type: 'array', items: { anyOf: [bigint, { type: 'null' }] } },
    c: { type: 'object', additionalProperties: bytes },
    d: { anyOf: [date, text] },
  })
  const typed = { a: new Date(0), b: [5n, null], c: { ['__proto__']: Uint8Array.of(1) }, d: new Date(0) }
  const wire = { a: epoch, b: ['5', null], c: { ['__proto__']: 'AQ==' }, d: epoch }

  it('is written in its wire form where the schema names the type', () => {
    expect(wireValue(typed, schema, defs)).toEqual(wire)
    expect(wireValue(wire, schema, defs)).toEqual(wire)
  })

  it('stays what it is where the schema names no type, another one, or there is no wire form', () => {
    const plain = { a: new Date(0) }
    expect(wireValue(plain, object({ a: text }), {})).toEqual(plain)
    expect(wireValue(plain, object({ a: bigint }), {})).toEqual(plain)
    const invalid = { a: new Date(Number.NaN) }
    expect(wireValue(invalid, object({ a: date }), {})).toEqual(invalid)
  })

  it('is typed again where it can be nothing else, and where it was given so', () => {
    expect(typedValue(wire, schema, defs)).toEqual({ ...typed, d: epoch })
    expect(typedValue(wire, schema, defs, typed)).toEqual(typed)
  })
})

it('texts are checked by the type', () => {
  const faults = (schema: Schema, value: string) =>
    valueChecker({}, 'refuse')(schema, value).map(({ message }) => message)
  expect(faults(date, '2016-12-31T23:59:60Z')).toEqual(['must be a date-time that a Date can hold'])
  expect(faults(bytes, 'AB==')).toEqual(['must be base64 with its padding'])
  expect(faults(bigint, '-0')).toEqual(['must be a whole number in decimal digits'])
  for (const [schema, value] of [
    [date, '2026-01-31t09:30:00+01:00'],
    [bytes, 'AAEC'],
    [bigint, '-10'],
  ] as const) {
    expect(faults(schema, value)).toEqual([])
  }
})
