// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema

import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import { payloadCodec, resultCodec } from './codecs.js'

const a = { type: 'object', properties: { a: { type: 'string' } } }
const b = { type: 'object', properties: { b: { type: 'string' } } }

function unknownIn(schema: JsonSchema, value: unknown): readonly string[] {
  const outcome = payloadCodec<unknown, unknown>({ schema }).decodeValue(value)
  return outcome.ok ? [] : outcome.issues.map((issue) => `${issue.constraint} ${issue.path}`)
}

function kept(schema: JsonSchema, value: unknown): unknown {
  const outcome = payloadCodec<unknown, unknown>({ schema, unknown: 'strip' }).decodeValue(value)
  return outcome.ok ? outcome.value : outcome.issues
}

describe('fields are known when an applicable schema declares them', () => {
  it.each<[string, JsonSchema]>([
    ['allOf', { allOf: [a, b] }],
    ['allOf beside properties', { ...a, allOf: [b] }],
    ['a reference', { ...a, $ref: '#/$defs/b', $defs: { b } }],
    ['anyOf where both match', { anyOf: [a, b] }],
    ['then', { ...a, if: { required: ['a'] }, then: b }],
    ['else', { ...a, if: { required: ['zzz'] }, else: b }],
    ['dependentSchemas', { ...a, dependentSchemas: { a: b } }],
  ])('by %s', (_, schema) => {
    expect(unknownIn(schema, { a: 'x', b: 'y' })).toEqual([])
    expect(unknownIn(schema, { a: 'x', b: 'y', c: 'z' })).toEqual(['unknown_field /c'])
    expect(kept(schema, { a: 'x', b: 'y', c: 'z' })).toEqual({ a: 'x', b: 'y' })
  })

  it('but not by a variant that does not match, nor by not', () => {
    const only = (tag: string, field: string): JsonSchema => ({
      type: 'object',
      properties: { tag: { const: tag }, [field]: {} },
      required: ['tag'],
    })
    expect(unknownIn({ oneOf: [only('x', 'a'), only('y', 'b')] }, { tag: 'x', b: 1 })).toEqual(['unknown_field /b'])
    expect(unknownIn({ ...a, not: { ...b, required: ['b'], properties: { b: { const: 1 } } } }, { b: 2 })).toEqual([
      'unknown_field /b',
    ])
  })

  it('also deep within values to which several schemas apply', () => {
    const schema = { allOf: [{ properties: { x: a } }, { properties: { x: b } }] }
    expect(unknownIn(schema, { x: { a: '1', b: '2' } })).toEqual([])
    expect(unknownIn(schema, { x: { a: '1', c: '2' } })).toEqual(['unknown_field /x/c'])
  })

  it('in the items of arrays and tuples', () => {
    const schema = { prefixItems: [a], items: b }
    expect(unknownIn(schema, [{ b: '1' }, { a: '2' }])).toEqual(['unknown_field /0/b', 'unknown_field /1/a'])
    expect(kept(schema, [{ b: '1' }, { b: '2', a: '3' }])).toEqual([{}, { b: '2' }])
  })
})

describe('open objects keep their fields', () => {
  it.each<[string, JsonSchema]>([
    ['no schema at all', {}],
    ['true', true],
    ['an object schema that lists no fields', { type: 'object' }],
    ['additionalProperties: true', { ...a, additionalProperties: true }],
    ['additionalProperties with a schema', { additionalProperties: { type: 'string' } }],
    ['a matching pattern', { ...a, patternProperties: { '^k': {} } }],
    ['unevaluatedProperties: true', { ...a, unevaluatedProperties: true }],
    ['names from a list', { type: 'object', propertyNames: { enum: ['key'] } }],
    ['a union with an open variant', { anyOf: [{ type: 'object' }, a] }],
    ['an open part of an allOf with constraints only', { allOf: [{ type: 'object' }, { minProperties: 1 }] }],
  ])('%s', (_, schema) => {
    expect(unknownIn(schema, { key: 'x' })).toEqual([])
    expect(kept(schema, { key: 'x' })).toEqual({ key: 'x' })
  })

  it('but a variant that only constrains does not open an object whose fields are listed', () => {
    const schema = { ...a, anyOf: [{ required: ['a'] }, { required: ['b'] }] }
    expect(unknownIn(schema, { a: 'x', c: 1 })).toEqual(['unknown_field /c'])
  })

  it('and an object that lists no field by name is closed', () => {
    expect(unknownIn({ type: 'object', properties: {} }, { a: 1 })).toEqual(['unknown_field /a'])
  })
})

describe('a required field that no schema declares', () => {
  const schema = { ...a, required: ['a', 'x'] }

  it('is known, so that the value can be given', () => {
    expect(unknownIn(schema, { a: 'y' })).toEqual(['missing_field /x'])
    expect(unknownIn(schema, { a: 'y', x: 1 })).toEqual([])
    expect(kept(schema, { a: 'y', x: { z: 1 } })).toEqual({ a: 'y', x: { z: 1 } })
    expect(resultCodec({ schema }).encodeValue({ x: 1, a: 'y', z: 1 })).toMatchObject({ json: '{"a":"y","x":1}' })
  })

  it('is among the names that are offered', () => {
    const outcome = payloadCodec({ schema }).decodeValue({ a: 'y', x: 1, q: 1 })
    expect(outcome).toMatchObject({ issues: [{ field: 'q', allowed: ['a', 'x'] }] })
  })

  it('is known where it is required beside the fields, by a variant too', () => {
    const either = { ...a, anyOf: [{ required: ['b'] }, { required: ['c'] }] }
    expect(unknownIn(either, { c: 1 })).toEqual([])
    expect(unknownIn(either, { c: 1, d: 1 })).toEqual(['unknown_field /d'])
  })

  it('is still refused where the schema itself refuses it', () => {
    expect(unknownIn({ ...schema, additionalProperties: false }, { a: 'y', x: 1 })).toEqual(['unknown_field /x'])
    expect(unknownIn({ ...schema, unevaluatedProperties: false }, { a: 'y', x: 1 })).toEqual(['unknown_field /x'])
  })
})

describe('additionalProperties: false and unevaluatedProperties: false', () => {
  it('refuse in every mode', () => {
    for (const schema of [
      { ...a, additionalProperties: false },
      { ...a, unevaluatedProperties: false },
    ]) {
      for (const unknown of ['reject', 'strip', 'keep'] as const) {
        const outcome = payloadCodec({ schema, unknown }).decodeValue({ ab: 1 })
        expect(outcome).toMatchObject({
          ok: false,
          issues: [{ constraint: 'unknown_field', field: 'ab', allowed: ['a'] }],
        })
      }
    }
  })
})

describe('fields that are kept', () => {
  it('come back unchanged with keep, after the declared ones', () => {
    const outcome = payloadCodec({ schema: { properties: { b: {} } }, unknown: 'keep' }).decode('{"a":{"x":1},"b":2}')
    expect(JSON.stringify(outcome)).toBe('{"ok":true,"value":{"b":2,"a":{"x":1}}}')
  })
})
