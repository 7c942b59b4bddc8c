import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exampleOf } from '../schema/examples.js'
import { deepEqual } from '../schema/json-values.js'

import { payloadCodec, resultCodec } from './codecs.js'

const date = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const big = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' }
const bytes = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }
const noon = '2026-01-31T12:00:00.000Z'

type Keywords = Readonly<Record<string, unknown>>

function codecOf(fields: Keywords, rest: Keywords = {}) {
  return payloadCodec<unknown, unknown>({ schema: { ...fieldsOf(fields), ...rest } })
}

function fieldsOf(fields: Keywords): Keywords {
  return { type: 'object', properties: fields }
}

function issuesOf(outcome: { readonly ok: boolean; readonly issues?: readonly unknown[] }) {
  return outcome.issues ?? []
}

describe('typed values', () => {
  const codec = codecOf({ at: date, count: big, data: bytes }, { required: ['at', 'count', 'data'] })
  const value = { at: new Date(noon), count: -12345678901234567890n, data: new Uint8Array([1, 2, 255]) }
  const text = `{"at":"${noon}","count":"-12345678901234567890","data":"AQL/"}`

  it('are read from their wire forms and written back', () => {
    expect(codec.decode(text)).toEqual({ ok: true, value })
    expect(codec.decodeValue(JSON.parse(text))).toEqual({ ok: true, value })
    expect(codec.decodeValue(value)).toEqual({ ok: true, value })
    expect(codec.encode(value)).toBe(text)
    expect(codec.encode(JSON.parse(text))).toBe(text)
    expect(codec.encodeValue(value)).toEqual({ ok: true, value, json: text })
    expect(codec.encodeValue(JSON.parse(text))).toEqual({ ok: true, value, json: text })
  })

  it('are copies that the caller does not share', () => {
    const given = { ...value, at: new Date(noon), data: Buffer.from([1, 2, 255]) }
    const decoded = codec.decodeValue(given)
    given.at.setTime(0)
    given.data.fill(0)
    expect(decoded).toEqual({ ok: true, value })
  })

  it('are found within arrays, tuples, records and references', () => {
    const schema = {
      ...fieldsOf({
        list: { type: 'array', items: bytes },
        pair: { type: 'array', prefixItems: [big, { type: 'string' }] },
        record: { type: 'object', additionalProperties: date },
        tree: { $ref: '#/$defs/Tree' },
        maybe: { anyOf: [date, { type: 'null' }] },
        also: { type: ['string', 'null'], 'x-js': 'bigint' },
      }),
      $defs: {
        Tree: fieldsOf({ at: { $ref: '#/$defs/When' }, children: { type: 'array', items: { $ref: '#/$defs/Tree' } } }),
        When: date,
      },
    }
    const wire = {
      list: ['', 'AA=='],
      pair: ['7', '7'],
      record: JSON.parse(`{"__proto__":"${noon}"}`),
      tree: { at: noon, children: [{ at: noon, children: [] }] },
      maybe: null,
      also: '0',
    }
    const typed = {
      list: [new Uint8Array(), new Uint8Array(1)],
      pair: [7n, '7'],
      record: Object.fromEntries([['__proto__', new Date(noon)]]),
      tree: { at: new Date(noon), children: [{ at: new Date(noon), children: [] }] },
      maybe: null,
      also: 0n,
    }
    const codec = resultCodec<unknown, unknown>({ schema })
    expect(codec.decode(JSON.stringify(wire))).toEqual({ ok: true, value: typed })
    expect(codec.encodeValue(typed)).toEqual({ ok: true, value: typed, json: JSON.stringify(wire) })
    expect(codec.encode(typed)).toBe(JSON.stringify(wire))
  })

  it('are distinguished from other values of their type', () => {
    expect(codec.is(value)).toBe(true)
    expect(codec.is(JSON.parse(text))).toBe(false)
    expect(codec.is({ ...value, at: new Date(Number.NaN) })).toBe(false)
    expect(deepEqual({ at: new Date(0) }, { at: new Date(1) })).toBe(false)
    expect(deepEqual(new Date(0), {})).toBe(false)
    expect(deepEqual([Uint8Array.of(1)], [Buffer.from([1])])).toBe(true)
  })

  it('may be the whole value', () => {
    const root = resultCodec<unknown, unknown>({ schema: date })
    expect(root.decode(JSON.stringify(noon))).toEqual({ ok: true, value: new Date(noon) })
    expect(root.encode(new Date(noon))).toBe(JSON.stringify(noon))
    expect(resultCodec<unknown, unknown>({ schema: big }).encodeValue(5n)).toEqual({ ok: true, value: 5n, json: '"5"' })
    expect(resultCodec<unknown, unknown>({ schema: { type: 'null' } }).decode('null')).toEqual({
      ok: true,
      value: null,
    })
  })

  it('come from defaults, a new one each time', () => {
    const filled = codecOf({
      at: { ...date, default: noon },
      data: { ...bytes, default: 'AQ==' },
      inner: { ...fieldsOf({ count: { ...big, default: '3' } }), default: {} },
    })
    const expected = { at: new Date(noon), data: new Uint8Array([1]), inner: { count: 3n } }
    const [first, second] = [filled.decode('{}'), filled.decode('{}')]
    expect(first).toEqual({ ok: true, value: expected })
    expect(first.ok && second.ok && (first.value as typeof expected).at !== (second.value as typeof expected).at).toBe(
      true,
    )
    expect(filled.encodeValue({})).toEqual({
      ok: true,
      value: expected,
      json: `{"at":"${noon}","data":"AQ==","inner":{"count":"3"}}`,
    })
    expect(codecOf({ at: { ...date, default: '2016-12-31T23:59:60Z' } }).decode('{}')).toEqual({ ok: true, value: {} })
  })

  it('are rejected with one issue if the string is invalid', () => {
    const wrong = codec.decode('{"at":"2016-12-31T23:59:60Z","count":"-0","data":"AQ=="}')
    expect(issuesOf(wrong)).toEqual([
      {
        path: '/at',
        constraint: 'invalid_format',
        format: 'date-time',
        received: '2016-12-31T23:59:60Z',
        message: '"2016-12-31T23:59:60Z" is out of range; seconds must be 00 to 59 and the UTC year 0000 to 9999.',
      },
      {
        path: '/count',
        constraint: 'invalid_format',
        format: 'decimal integer',
        received: '-0',
        message:
          '"-0" is not a valid decimal integer; send only digits and an optional minus sign, such as "-42", at most 1000 characters.',
      },
    ])
    expect(issuesOf(codec.decode('{"at":"soon","count":"1e3","data":"AQ="}'))).toMatchObject([
      { path: '/at', message: '"soon" is not a valid date-time.' },
      { path: '/count', constraint: 'invalid_format' },
      { path: '/data', constraint: 'invalid_format', format: 'base64' },
    ])
  })

  it('are refused where they have no wire form, or are of another type', () => {
    expect(issuesOf(codec.decodeValue({ ...value, at: new Date(Number.NaN) }))).toMatchObject([
      { path: '/at', constraint: 'invalid_format', received: 'an invalid date' },
    ])
    expect(issuesOf(codec.encodeValue({ ...value, count: 10n ** 2000n }))).toMatchObject([
      { path: '/count', constraint: 'invalid_format', format: 'decimal integer' },
    ])
    const swapped = issuesOf(codec.decodeValue({ ...value, at: 5n, data: new Uint16Array(2) }))
    expect(swapped).toMatchObject([
      { path: '/at', constraint: 'invalid_format' },
      { path: '/at', constraint: 'not_json', received: 'a bigint' },
      { path: '/data', constraint: 'not_json', received: 'an instance of Uint16Array' },
    ])
  })

  it('stay issues where no schema names their type', () => {
    const plain = [{ path: '/at', constraint: 'not_json', received: 'an instance of Date' }]
    const given = { at: new Date(noon) }
    expect(issuesOf(codecOf({ at: { type: 'string' } }).decodeValue(given))).toMatchObject(plain)
    expect(issuesOf(codecOf({ at: { type: 'string' }, on: date }).decodeValue(given))).toMatchObject(plain)
    expect(codecOf({ at: { type: 'string', format: 'date-time' } }).decode(`{"at":"${noon}"}`)).toEqual({
      ok: true,
      value: { at: noon },
    })
    expect(resultCodec<unknown, unknown>({ schema: fieldsOf({ on: date }) }).encode(given)).toBe('{}')
  })

  it('of a union are what the first matching variant says', () => {
    const text = { type: 'string' }
    const dateFirst = codecOf({ at: { anyOf: [date, text] } })
    const textFirst = codecOf({ at: { anyOf: [text, date] } })
    expect(dateFirst.decode(`{"at":"${noon}"}`)).toEqual({ ok: true, value: { at: new Date(noon) } })
    expect(dateFirst.decode('{"at":"soon"}')).toEqual({ ok: true, value: { at: 'soon' } })
    expect(textFirst.decode(`{"at":"${noon}"}`)).toEqual({ ok: true, value: { at: noon } })
    for (const codec of [dateFirst, textFirst]) {
      expect(codec.encode({ at: new Date(noon) })).toBe(`{"at":"${noon}"}`)
      expect(issuesOf(codec.decodeValue({ at: 5n }))).not.toEqual([])
    }
    expect(textFirst.encode({ at: '2026-01-31T12:00:00+00:00' })).toBe('{"at":"2026-01-31T12:00:00+00:00"}')
  })

  it('choose the variant of a union of objects that names their type', () => {
    const union = resultCodec<unknown, unknown>({
      schema: { anyOf: [fieldsOf({ at: { type: 'string' } }), fieldsOf({ at: date })] },
    })
    expect(union.decodeValue({ at: new Date(noon) })).toEqual({ ok: true, value: { at: new Date(noon) } })
    expect(union.decodeValue({ at: noon })).toEqual({ ok: true, value: { at: noon } })
    const more = resultCodec<unknown, unknown>({
      schema: { anyOf: [fieldsOf({ id: { type: 'string' } }), fieldsOf({ id: { type: 'string' }, at: date })] },
    })
    expect(more.decodeValue({ id: 'a', at: noon })).toEqual({ ok: true, value: { id: 'a', at: new Date(noon) } })
  })

  it('keep the other rules of their schema, written and read alike', () => {
    const bounded = codecOf({ data: { ...bytes, maxLength: 4 }, at: { allOf: [date, { not: { const: noon } }] } })
    expect(issuesOf(bounded.decodeValue({ data: new Uint8Array(4) }))).toMatchObject([{ constraint: 'invalid_length' }])
    expect(issuesOf(bounded.decodeValue({ at: new Date(noon) }))).toMatchObject([{ constraint: 'not_allowed' }])
    expect(bounded.encode({ at: new Date(0) })).toBe('{"at":"1970-01-01T00:00:00.000Z"}')
    const unique = codecOf({ list: { type: 'array', items: date, uniqueItems: true } })
    expect(issuesOf(unique.decodeValue({ list: [new Date(0), new Date(0)] }))).toMatchObject([
      { constraint: 'not_unique' },
    ])
  })

  it('read and write the same, whichever way they come', () => {
    const dates = fc.date({ min: new Date(0), max: new Date('9999-01-01T00:00:00Z'), noInvalidDate: true })
    const leaves = fc.oneof(
      fc.tuple(fc.constant(date), dates),
      fc.tuple(fc.constant(big), fc.bigInt()),
      fc.tuple(fc.constant(bytes), fc.uint8Array({ maxLength: 5 })),
      fc.tuple(fc.constant({ type: 'string' }), fc.string()),
      fc.tuple(fc.constant({ anyOf: [date, { type: 'null' }] }), fc.option(dates)),
      fc.tuple(fc.constant({ anyOf: [{ type: 'integer' }, big] }), fc.oneof(fc.integer(), fc.bigInt())),
    )
    const cases = fc.letrec<{ any: readonly [Keywords, unknown] }>((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        leaves,
        tie('any').map(([items, item]) => [{ type: 'array', items }, [item, item]] as const),
        fc.tuple(tie('any'), tie('any')).map(
          ([[a, first], [b, second]]) =>
            [
              { type: 'object', properties: { a }, additionalProperties: b },
              { a: first, rest: second },
            ] as const,
        ),
        tie('any').map(([inner, value]) => [{ anyOf: [{ type: 'boolean' }, inner] }, value] as const),
        tie('any').map(([inner, value]) => [{ allOf: [inner, {}] }, value] as const),
      ),
    })).any
    fc.assert(
      fc.property(cases, ([schema, value]) => {
        const codec = resultCodec<unknown, unknown>({ schema })
        const written = codec.encodeValue(value)
        if (!written.ok) throw new Error(JSON.stringify(written.issues))
        expect(written.value).toEqual(value)
        expect(codec.encode(value)).toBe(written.json)
        expect(codec.decodeValue(value)).toEqual({ ok: true, value })
        expect(codec.decode(written.json)).toEqual({ ok: true, value })
        expect(codec.encode(JSON.parse(written.json))).toBe(written.json)
      }),
      { numRuns: 500 },
    )
  })

  it('have examples that decode', () => {
    for (const schema of [date, big, bytes]) {
      const example = exampleOf(schema)
      expect(resultCodec<unknown, unknown>({ schema }).decodeValue(example).ok).toBe(true)
    }
    const list = exampleOf({ type: 'array', items: big, minItems: 3, uniqueItems: true })
    expect(list).toEqual(['1', '2', '3'])
  })
})
