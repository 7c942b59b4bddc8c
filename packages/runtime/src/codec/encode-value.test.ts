// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema

import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import { payloadCodec, resultCodec } from './codecs.js'

const withDefault = { type: 'object', properties: { a: {}, b: { default: 1 }, c: {} } }

describe('encodeValue', () => {
  it.each<[string, JsonSchema, unknown, unknown]>([
    [
      'items that differ in a dropped field',
      { uniqueItems: true, items: { properties: { a: {} } } },
      [
        { a: 1, x: 1 },
        { a: 1, x: 2 },
      ],
      [{ a: 1 }, { a: 1 }],
    ],
    [
      'items that are equal by a default',
      { uniqueItems: true, items: withDefault },
      [{}, { b: 1 }],
      [{ b: 1 }, { b: 1 }],
    ],
    ['dependentRequired', { ...withDefault, dependentRequired: { b: ['c'] } }, { a: 1 }, { a: 1, b: 1 }],
    ['maxProperties', { ...withDefault, maxProperties: 1 }, { a: 1 }, { a: 1, b: 1 }],
    ['minProperties', { properties: { a: {} }, minProperties: 2 }, { a: 1, junk: 1 }, { a: 1 }],
    ['not', { ...withDefault, not: { required: ['b'] } }, { a: 1 }, { a: 1, b: 1 }],
    ['oneOf', { ...withDefault, oneOf: [{ required: ['a'] }, { required: ['b'] }] }, { a: 1 }, { a: 1, b: 1 }],
    [
      'if and else',
      { properties: { a: {} }, if: { minProperties: 2 }, else: { required: ['zz'] } },
      { a: 1, x: 1 },
      { a: 1 },
    ],
  ])('checks once, so that defaults and drops do no harm: %s', (_, schema, given, value) => {
    expect(resultCodec({ schema }).encodeValue(given)).toEqual({ ok: true, value, json: JSON.stringify(value) })
  })

  it('gives the value that decodeValue gives, and its canonical text', () => {
    const schema = {
      allOf: [{ properties: { b: {} } }, { properties: { 2: { default: { y: 1 } }, list: { items: withDefault } } }],
      additionalProperties: true,
    }
    const given = { z: 1, 1: 2, list: [{ c: 1 }], b: 3 }
    const codec = resultCodec<unknown, unknown>({ schema })
    const decoded = codec.decodeValue(given)
    expect(codec.encodeValue(given)).toEqual({
      ...decoded,
      json: '{"b":3,"2":{"y":1},"list":[{"b":1,"c":1}],"1":2,"z":1}',
    })
  })

  it('gives the issues of a value that breaks the schema or cannot be written, and never throws', () => {
    const codec = payloadCodec({ schema: { properties: { a: { type: 'string' } } } })
    expect(codec.encodeValue({ a: 1, b: 1 })).toMatchObject({ ok: false, issues: [{ path: '/a' }, { path: '/b' }] })
    expect(codec.encodeValue({ a: 1n })).toMatchObject({ ok: false, issues: [{ constraint: 'not_json' }] })
  })
})

describe('what is no JSON text', () => {
  it.each([5, null, undefined, true, {}, ['1'], 1n])('is refused by decode: %s', (given) => {
    const codec = payloadCodec({ schema: true })
    expect(Reflect.apply(codec.decode, codec, [given])).toMatchObject({
      ok: false,
      issues: [{ constraint: 'invalid_json', message: 'Expected JSON as a string.' }],
    })
  })
})

describe('an array whose length is a lie', () => {
  it('is not walked', () => {
    const liar = new Proxy([], { has: () => true, get: (_, key) => (key === 'length' ? 1e12 : 1) })
    expect(payloadCodec({ schema: true }).decodeValue(liar)).toMatchObject({ issues: [{ constraint: 'not_json' }] })
  })
})
