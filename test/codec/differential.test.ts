import { expect, it } from 'vitest'
import type { Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { codecPair } from './differential/compiled-codecs.js'
import { runCases } from './differential/run-cases.js'

it('generated checks, writers and pickers, the interpreter and Ajv agree on random schemas and values', () => {
  const found = runCases(1, (pairs) => pairs < 4000)
  expect(found.faults.join('\n\n')).toBe('')
  expect(found.compiled / found.schemas).toBeGreaterThan(0.6)
  expect(found.picked / found.schemas).toBeGreaterThan(0.08)
  expect(found.valid / found.pairs).toBeGreaterThan(0.2)
})

const size: Schema = { type: 'integer', minimum: 1, default: 1 }
const line: Schema = {
  type: 'object',
  properties: { size, tags: { type: 'array', items: { type: 'string' }, default: ['a'] }, sku: { type: 'string' } },
}

it.each<[string, Schema, Record<string, Schema>, readonly unknown[]]>([
  ['fields', line, {}, [{}, { sku: 'x' }, { sku: 'x', size: 2 }, { tags: [], sku: 'x' }, { size: 0 }, { other: 1 }]],
  [
    'nullable fields',
    { type: 'object', properties: { a: { type: ['string', 'null'], default: null } } },
    {},
    [{}, { a: null }],
  ],
  ['items', { type: 'array', items: line }, {}, [[], [{}, { sku: 'x', size: 3 }], [{ sku: 1 }]]],
  [
    'nested objects and references',
    {
      type: 'object',
      properties: { other: { type: 'object', properties: { b: size } }, line: { $ref: '#/$defs/Line' }, 'a-b': size },
    },
    { Line: line },
    [{}, { line: {} }, { line: { sku: 'x' }, other: {} }, { 'a-b': 3, other: { b: 2 } }],
  ],
  [
    'recursive objects',
    { $ref: '#/$defs/Node' },
    { Node: { type: 'object', properties: { size, next: { $ref: '#/$defs/Node' } } } },
    [{}, { next: { next: {} } }, { next: { size: 4 } }, { next: { size: 'x' } }],
  ],
  [
    'variants',
    {
      oneOf: [
        { type: 'object', properties: { kind: { const: 'a' }, size }, required: ['kind'] },
        { type: 'object', properties: { kind: { const: 'b' }, note: { type: 'string' } }, required: ['kind'] },
        { type: 'null' },
      ],
    },
    {},
    [null, { kind: 'a' }, { kind: 'b' }, { size: 2, kind: 'a' }, { kind: 'b', size: 2 }],
  ],
])('generated functions add defaults to %s as the interpreter does', (_, schema, defs, values) => {
  const { compiled, unpicked, interpreted } = codecPair({ schema, defs }, 'reject')
  expect(unpicked).toBeDefined()
  for (const value of values) {
    const [text, untidy] = [
      JSON.stringify(value),
      value === null || Array.isArray(value) ? value : { ...Object(value), absent: undefined },
    ]
    for (const codec of [compiled, unpicked]) {
      expect(codec?.decode(text)).toStrictEqual(interpreted.decode(text))
      for (const part of [value, untidy]) expect(codec?.decodeValue(part)).toStrictEqual(interpreted.decodeValue(part))
    }
    expect(JSON.stringify(compiled?.decode(text))).toBe(JSON.stringify(unpicked?.decode(text)))
  }
})

it.each([
  ['no fields', { type: 'object', properties: {}, additionalProperties: false }],
  ['no more fields', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
  ['fields that are left out', { type: 'object', properties: {} }],
] as const)('a part that may have %s loses one that is `undefined`, picked or not', (_, part) => {
  const source = { schema: { type: 'object', properties: { part } }, defs: {} }
  const { compiled, unpicked, interpreted } = codecPair(source, 'strip')
  expect(unpicked).toBeDefined()
  for (const codec of [compiled, unpicked, interpreted])
    expect(codec?.decodeValue({ part: { other: undefined } })).toStrictEqual({ ok: true, value: { part: {} } })
})
