import { describe, expect, it } from 'vitest'
import { valueValidator } from './definitions.js'
import type { Schema } from './json-schema.js'
import { refTo } from './references.js'
import { typedValue, wireValue } from './shape-parts.js'

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
  const diagnostics = (schema: Schema, value: string) =>
    valueValidator({}, 'reject')(schema, value).map(({ message }) => message)
  expect(diagnostics(date, '2016-12-31T23:59:60Z')).toEqual([
    '"2016-12-31T23:59:60Z" is out of range; seconds must be 00 to 59 and the UTC year 0000 to 9999',
  ])
  expect(diagnostics(bytes, 'AB==')).toEqual([
    '"AB==" is not a valid base64; use only A-Z, a-z, 0-9, + and /, and pad with = to a multiple of 4 characters',
  ])
  expect(diagnostics(bigint, '-0')).toEqual([
    '"-0" is not a valid decimal integer; send only digits and an optional minus sign, such as "-42", at most 1000 characters',
  ])
  for (const [schema, value] of [
    [date, '2026-01-31t09:30:00+01:00'],
    [bytes, 'AAEC'],
    [bigint, '-10'],
  ] as const) {
    expect(diagnostics(schema, value)).toEqual([])
  }
})
