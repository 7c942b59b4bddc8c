import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import { exampleOf } from './examples.js'
import { validate } from './validate.js'

describe('a valid example', () => {
  it.each<[string, JsonSchema, unknown]>([
    [
      'holds the required fields only',
      { properties: { a: { type: 'string' }, b: {} }, required: ['a'] },
      { a: 'text' },
    ],
    ['prefers what the author wrote', { type: 'string', examples: ['A-1'], default: 'x' }, 'A-1'],
    ['passes over examples that are wrong', { type: 'string', examples: [1], default: 'x' }, 'x'],
    ['takes what the description names', { type: 'string', description: 'Number, e.g. A-1001' }, 'A-1001'],
    ['takes a word in a list', { type: 'string', description: 'A city (e.g. Turin, Milan) of Italy' }, 'Turin'],
    ['takes a phrase in quotes', { type: 'string', description: 'For example: "New York" in the US' }, 'New York'],
    ['takes a code within a sentence', { type: 'string', description: 'e.g. A-1001 for the first' }, 'A-1001'],
    ['takes a word at the end of a line', { type: 'string', description: 'e.g. Turin\nIn Italy.' }, 'Turin'],
    ['takes a number', { type: 'integer', description: 'A calendar year, e.g. 2025.' }, 2025],
    ['takes no begun phrase', { type: 'string', description: 'e.g. the number on the invoice' }, 'text'],
    ['takes no begun measure', { type: 'string', description: 'How long, e.g. 3 days' }, 'text'],
    ['refuses what breaks the schema', { type: 'string', description: 'e.g. A-1', pattern: '^B-\\d$' }, 'B-0'],
    ['takes the first allowed value', { enum: ['open', 'shipped'] }, 'open'],
    ['honours lengths', { type: 'string', minLength: 6, maxLength: 6 }, 'textte'],
    ['honours formats', { type: 'string', format: 'date' }, '2025-01-31'],
    ['honours simple patterns', { type: 'string', pattern: '^(?:INV|ORD)-[0-9]{3,}\\.\\w+$' }, 'INV-000.a'],
    [
      'honours the required fields that no schema declares',
      { type: 'object', properties: {}, required: ['x'] },
      { x: 'text' },
    ],
    [
      'honours a format with milliseconds',
      { type: 'string', format: 'date-time', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$' },
      '2025-01-31T12:00:00.000Z',
    ],
    ['honours a format with an end', { type: 'string', format: 'email', pattern: '@acme\\.com$' }, 'name@acme.com'],
    ['honours a format with a start', { type: 'string', format: 'email', pattern: '^ops-' }, 'ops-name@example.com'],
    [
      'honours a version of uuid',
      { format: 'uuid', type: 'string', pattern: '^.{14}7' },
      '0194b8e5-7c00-7000-8000-000000000000',
    ],
    ['honours bounds', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
    ['honours a bound from 0 on', { type: 'integer', minimum: 100, maximum: 9007199254740991 }, 100],
    ['honours a bound that leaves only less than 0', { type: 'integer', minimum: -30, maximum: -10 }, -30],
    ['shows no bound of a type', { type: 'integer', minimum: -9007199254740991, maximum: 9007199254740991 }, 1],
    ['honours multiples', { type: 'integer', multipleOf: 7, minimum: 20 }, 21],
    [
      'fills arrays with different items',
      { type: 'array', items: { type: 'integer' }, minItems: 3, uniqueItems: true },
      [1, 0, 2],
    ],
    ['fills tuples', { type: 'array', prefixItems: [{ const: 'a' }, { type: 'boolean' }], minItems: 2 }, ['a', true]],
    ['fills maps', { type: 'object', additionalProperties: { type: 'boolean' }, minProperties: 1 }, { key1: true }],
    [
      'joins the parts of allOf',
      {
        allOf: [
          { properties: { a: { const: 1 } }, required: ['a'] },
          { properties: { b: { const: 2 } }, required: ['b'] },
        ],
      },
      { a: 1, b: 2 },
    ],
    ['says null last', { type: ['null', 'boolean'] }, true],
    [
      'ends recursion',
      {
        $ref: '#/$defs/n',
        $defs: {
          n: {
            type: 'object',
            properties: { next: { type: ['object', 'null'], anyOf: [{ $ref: '#/$defs/n' }, { type: 'null' }] } },
            required: ['next'],
          },
        },
      },
      { next: null },
    ],
  ])('%s', (_, schema, example) => {
    expect(exampleOf(schema)).toEqual(example)
  })

  it.each<[string, JsonSchema]>([
    ['nothing is valid', false],
    ['bounds exclude each other', { type: 'integer', minimum: 2, maximum: 1 }],
    ['only endless values are valid', { properties: { a: { $ref: '#' } }, required: ['a'], type: 'object' }],
    ['a pattern is beyond it', { type: 'string', pattern: '^(?=b)(?!c)bc$' }],
  ])('is absent where %s', (_, schema) => {
    expect(exampleOf(schema)).toBeUndefined()
  })

  it('ends for schemas with many required ways into themselves', () => {
    const properties = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`f${index}`, { $ref: '#' }]))
    expect(exampleOf({ type: 'object', properties, required: Object.keys(properties) })).toBeUndefined()
  })
})

describe('validate', () => {
  it('checks one value by its own rule and puts its place first', () => {
    expect(validate({ type: 'object', required: ['b'] }, {}, { path: '/a' })).toMatchObject([
      { path: '/a/b', constraint: 'missing_field' },
    ])
    expect(validate({ type: 'string' }, 'x')).toEqual([])
    expect(validate({ type: 'string' }, undefined)).toMatchObject([{ path: '', constraint: 'not_json' }])
  })
})
