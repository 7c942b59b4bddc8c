import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../codec/codecs.js'
import type { JsonSchemaObject } from '../types/json.js'

const x = { type: 'object', properties: { x: { type: 'number' } } } as const
const y = { type: 'object', properties: { y: { type: 'number' } } } as const
const tagged = (tag: string) =>
  ({ type: 'object', properties: { tag: { const: tag }, x }, required: ['tag'] }) as const satisfies JsonSchemaObject

/** Schemas with a value that has undeclared fields at several places, and faults beside them. */
const cases: readonly (readonly [name: string, schema: JsonSchemaObject, value: unknown])[] = [
  [
    'objects within each other',
    { properties: { a: { properties: { b: x, c: x } }, d: y } },
    { u: 1, a: { u: 1, c: { x: 'one', u: 1 }, b: { u: 1, v: 2 } }, d: { y: 1, u: 1 }, v: 2 },
  ],
  [
    'objects in arrays',
    { properties: { list: { items: x } } },
    { list: [{ u: 1 }, { x: 1 }, { x: 'one', v: 1 }], u: 1 },
  ],
  ['fields that are only required', { properties: { a: x }, required: ['given', 'a'] }, { given: 1, other: 2, a: {} }],
  [
    'an object that several schemas judge',
    { properties: { a: { allOf: [x, y] }, b: x } },
    { b: { u: 1 }, a: { u: 1 }, u: 1 },
  ],
  [
    'a reference',
    { properties: { a: { $ref: '#/$defs/X' }, b: x }, $defs: { X: x } },
    { a: { u: 1 }, b: { u: 1 }, u: 1 },
  ],
  ['patterns', { properties: { a: x }, patternProperties: { '^p': x } }, { p: { u: 1 }, a: { u: 1 }, u: 1 }],
  ['fields of any name', { properties: { a: x }, additionalProperties: y }, { b: { u: 1 }, a: { u: 1 } }],
  [
    'a union',
    { properties: { one: { oneOf: [tagged('a'), tagged('b')] }, b: x } },
    { one: { tag: 'b', u: 1, x: { u: 1 } }, b: { u: 1 }, u: 1 },
  ],
  [
    'names that every object inherits',
    { properties: { toString: x, a: x } },
    { constructor: 1, toString: { u: 1 }, a: {} },
  ],
]

describe('undeclared fields', () => {
  it.each(cases)('are told alike, and in one order, by generated codecs and by schemas: %s', (_name, schema, value) => {
    const whole: JsonSchemaObject = { type: 'object', ...schema }
    const interpreted = payloadCodec({ schema: whole }).decodeValue(value)
    const compiled = payloadCodec({ schema: whole }, { is: () => false }).decodeValue(value)
    expect(compiled).toEqual(interpreted)
    expect(interpreted.ok ? [] : interpreted.issues.map(({ constraint }) => constraint)).toContain('unknown_field')
  })

  it('are not reported for a variant that a generated check accepts', () => {
    const schema: JsonSchemaObject = {
      type: 'object',
      properties: { one: { oneOf: [tagged('a'), tagged('b')] }, b: x },
    }
    const accepted: unknown[] = []
    const accept = (value: unknown): boolean => accepted.push(value) > 0
    const parts = { '/properties/one/oneOf/1': accept }
    const one = { tag: 'b', x: { x: 1 } }
    const decoded = payloadCodec({ schema }, { is: () => false, parts }).decodeValue({ one, b: 5 })
    expect(accepted).toEqual([one])
    expect(decoded.ok ? [] : decoded.issues.map(({ path }) => path)).toEqual(['/b'])
  })

  it('of a variant are found by the schema around it, where they are no faults of their own', () => {
    const schema: JsonSchemaObject = {
      type: 'object',
      oneOf: [tagged('a'), tagged('b')],
      unevaluatedProperties: false,
    }
    const options = { schema, unknown: 'strip' } as const
    const codec = payloadCodec(options, { is: () => false, parts: { '/oneOf/1': () => true } })
    const value = { tag: 'b', u: 1 }
    expect(codec.decodeValue(value)).toEqual(payloadCodec(options).decodeValue(value))
    expect(codec.decodeValue(value).ok).toBe(false)
  })
})
