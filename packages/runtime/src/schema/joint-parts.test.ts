import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../codec/codecs.js'
import type { JsonSchemaObject } from '../types/json.js'

const withX = { type: 'object', properties: { x: { type: 'number' } } } as const
const withY = { type: 'object', properties: { y: { type: 'number' } } } as const
const b = { type: 'string' } as const

/** Schemas by which two schemas apply to `a`, of which the one at the pointer is checked by generated code. */
const joint: readonly (readonly [how: string, schema: JsonSchemaObject, pointer: string])[] = [
  ['allOf', { properties: { a: withX, b }, allOf: [{ properties: { a: withY } }] }, '/properties/a'],
  [
    'allOf further out',
    {
      properties: { p: { properties: { a: withX, b } } },
      allOf: [{ properties: { p: { properties: { a: withY } } } }],
    },
    '/properties/p/properties/a',
  ],
  ['a pattern', { properties: { a: withX, b }, patternProperties: { '^a': withY } }, '/properties/a'],
  [
    'a reference beside',
    { $ref: '#/$defs/A', properties: { a: withX, b }, $defs: { A: { properties: { a: withY } } } },
    '/properties/a',
  ],
  [
    'a reference into it',
    { properties: { a: withX, b }, allOf: [{ properties: { a: { $ref: '#/$defs/Y' } } }], $defs: { Y: withY } },
    '/properties/a',
  ],
]

describe('a part that a generated check accepts', () => {
  it.each(joint)('has nothing undeclared where another schema applies by %s', (how, schema, pointer) => {
    const accepted: unknown[] = []
    const isWithX = (value: unknown): boolean => {
      accepted.push(value)
      return true
    }
    const codec = payloadCodec(
      { schema: { type: 'object', ...schema } },
      { is: () => false, parts: { [pointer]: isWithX } },
    )
    const inner = { a: { x: 1 }, b: 5 }
    const decoded = codec.decodeValue(how === 'allOf further out' ? { p: inner } : inner)
    expect(accepted).toEqual([{ x: 1 }])
    expect(
      decoded.ok ? [] : decoded.issues.map(({ path, constraint }) => [path.split('/').at(-1), constraint]),
    ).toEqual([['b', 'invalid_type']])
  })
})
