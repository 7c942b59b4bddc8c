import { describe, expect, it } from 'vitest'
import { comparisonsOf } from '../../packages/codegen/src/contracts/definitions.js'
import type { Schema, SchemaObject } from '../../packages/codegen/src/schema/json-schema.js'
import { payloadCodec, resultCodec } from '../../packages/runtime/src/codec/codecs.js'

type Defs = Readonly<Record<string, Schema>>

interface Pair {
  readonly was: Schema
  readonly is: Schema
  readonly defs?: { readonly was: Defs; readonly is: Defs }
}

/** What is refused, as `aspect pointer`; behind it `?` where no value shows it. */
function refused({ was, is, defs = { was: {}, is: {} } }: Pair, fields: 'known' | 'any' = 'known'): readonly string[] {
  const makeCodec = fields === 'known' ? payloadCodec : resultCodec
  const { narrowed } = comparisonsOf(defs.was, defs.is, fields, makeCodec)
  const all = narrowed.mismatches(was, is)
  return narrowed
    .withWitnesses({ source: was, target: is, all, reported: all })
    .map(({ aspect, pointer, witness }) => `${aspect} ${pointer}${witness === undefined ? ' ?' : ''}`)
}

const text: Schema = { type: 'string' }
const object = (properties: Defs, required: readonly string[] = []): SchemaObject => ({
  type: 'object',
  properties,
  required,
})
/** Of which no value fits. */
const never: Schema = { type: 'integer', minimum: 3, maximum: 1 }
const named = (propertyNames: SchemaObject): SchemaObject => ({ type: 'object', propertyNames })
const tagged = (kind: string, more: Defs = {}): Schema => object({ kind: { const: kind }, ...more }, ['kind'])
const tree = (value: Schema): Defs => ({
  Tree: object({ value, left: { $ref: '#/$defs/Tree' }, rest: { type: 'array', items: { $ref: '#/$defs/Tree' } } }),
})
const root: Schema = { $ref: '#/$defs/Tree' }

describe('takes all that was taken', () => {
  it.each<[string, Pair]>([
    [
      'a definition for what stood in place',
      { was: object({ id: text }), is: { $ref: '#/$defs/A' }, defs: { was: {}, is: { A: object({ id: text }) } } },
    ],
    [
      'a definition of another name that contains itself',
      {
        was: root,
        is: { $ref: '#/$defs/Node' },
        defs: {
          was: tree(text),
          is: {
            Node: object({
              value: text,
              left: { $ref: '#/$defs/Node' },
              rest: { type: 'array', items: { $ref: '#/$defs/Node' } },
            }),
          },
        },
      },
    ],
    [
      'a definition unrolled once',
      {
        was: root,
        is: object({ value: text, left: root, rest: { type: 'array', items: root } }),
        defs: { was: tree(text), is: tree(text) },
      },
    ],
    [
      'a wider value in a definition that contains itself',
      { was: root, is: root, defs: { was: tree(text), is: tree({ type: ['string', 'null'] }) } },
    ],
    [
      'variants in another order, and one more',
      {
        was: { oneOf: [tagged('a'), tagged('b')] },
        is: { oneOf: [tagged('c'), tagged('b', { note: text }), tagged('a')] },
      },
    ],
    [
      'one type of several, each by another variant',
      { was: { type: ['string', 'null', 'integer'] }, is: { anyOf: [{ type: 'null' }, { type: 'number' }, text] } },
    ],
    [
      'variants that overlap, unchanged beside a new field',
      {
        was: object({ a: { oneOf: [object({ x: text }), object({ y: text })] } }),
        is: object({ a: { oneOf: [object({ x: text }), object({ y: text })] }, b: text }),
      },
    ],
    [
      'parts put together',
      { was: { allOf: [object({ a: text }, ['a']), object({ b: text })] }, is: object({ a: text, b: text }) },
    ],
    ['listed values by a range', { was: { enum: [1, 2, 3] }, is: { type: 'integer', minimum: 0 } }],
    ['listed texts by a pattern', { was: { enum: ['a1', 'a2'] }, is: { type: 'string', pattern: '^a' } }],
    [
      'a tuple as a list',
      {
        was: { type: 'array', prefixItems: [text, text], items: false },
        is: { type: 'array', items: text, maxItems: 2 },
      },
    ],
    [
      'a map as a wider map',
      {
        was: { type: 'object', additionalProperties: { type: 'integer' } },
        is: { type: 'object', additionalProperties: { type: 'number' } },
      },
    ],
    ['fewer multiples', { was: { type: 'integer', multipleOf: 4 }, is: { type: 'integer', multipleOf: 2 } }],
    [
      'a value that was excluded',
      { was: { allOf: [object({ a: text })], not: { required: ['a'] } }, is: object({ a: text }) },
    ],
    [
      'a condition by what both ways allow',
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { was: { type: 'integer', minimum: 1 }, is: { type: 'integer', if: { maximum: 9 }, then: { minimum: 0 } } },
    ],
    ['multiples of a fraction', { was: { type: 'number', multipleOf: 3 }, is: { type: 'number', multipleOf: 1.5 } }],
    ['steps of fractions', { was: { type: 'number', multipleOf: 0.3 }, is: { type: 'number', multipleOf: 0.1 } }],
    ['multiples of 1 as whole numbers', { was: { type: 'number', multipleOf: 1 }, is: { type: 'integer' } }],
    ['whole numbers as multiples of 1', { was: { type: 'integer' }, is: { type: 'number', multipleOf: 0.5 } }],
    [
      'names that are listed, each by itself',
      {
        was: { ...named({ enum: ['a', 'b'] }), additionalProperties: text },
        is: { ...object({ a: text, b: text }), additionalProperties: false },
      },
    ],
    [
      'names by their pattern',
      {
        was: { ...named({ pattern: '^a' }), additionalProperties: text },
        is: { type: 'object', patternProperties: { '^a': text }, additionalProperties: false },
      },
    ],
    [
      'fields of a pattern by their names',
      {
        was: { type: 'object', patternProperties: { '^a': text }, additionalProperties: false },
        is: { ...named({ pattern: '^a' }), additionalProperties: text },
      },
    ],
    [
      'what no schema evaluates, where there is none',
      { was: { ...object({ a: text }), unevaluatedProperties: false }, is: object({ a: text }) },
    ],
    [
      'no other fields, said in another way',
      {
        was: { ...object({ a: text }), additionalProperties: false },
        is: { ...object({ a: text }), unevaluatedProperties: false },
      },
    ],
    ['a field that there cannot be', { was: object({ a: text, b: never }), is: object({ a: text }) }],
    ['a range without numbers', { was: { type: 'number', minimum: 3, maximum: 1 }, is: text }],
    ['a length without texts', { was: { type: 'string', minLength: 3, maxLength: 1 }, is: { type: 'integer' } }],
    ['arrays whose items there cannot be', { was: { type: 'array', items: never, minItems: 1 }, is: text }],
    ['what is all excluded', { was: { type: 'string', not: {} }, is: { type: 'integer' } }],
    ['a required field that there cannot be', { was: object({ a: false }, ['a']), is: object({ b: text }, ['b']) }],
  ])('%s', (_, pair) => {
    expect(refused(pair)).toEqual([])
  })
})

describe('refuses', () => {
  it.each<[string, readonly string[], Pair]>([
    [
      'deep in a definition that contains itself',
      ['type /properties/value'],
      { was: root, is: root, defs: { was: tree({ type: ['string', 'null'] }), is: tree(text) } },
    ],
    [
      'what another variant of the union declares',
      ['field /anyOf/0/properties/b', 'field /anyOf/1/properties/b'],
      { was: { anyOf: [object({ a: text }), object({ b: text })] }, is: object({ a: text }) },
    ],
    [
      'fields of a part that several variants describe',
      ['field /anyOf/0/properties/x/properties/b', 'field /anyOf/1/properties/x/properties/b'],
      {
        was: { anyOf: [object({ x: object({ a: text }) }), object({ x: object({ b: text }) })] },
        is: object({ x: object({ a: text }) }),
      },
    ],
    [
      'a variant by its tag',
      ['variant /oneOf/1'],
      { was: { oneOf: [tagged('a'), tagged('b')] }, is: { oneOf: [tagged('a'), tagged('c')] } },
    ],
    [
      'a field in the variant that was meant',
      ['required /oneOf/1/properties/note'],
      {
        was: { oneOf: [tagged('a'), tagged('b', { note: text })] },
        is: { oneOf: [tagged('a'), object({ kind: { const: 'b' }, note: text }, ['kind', 'note'])] },
      },
    ],
    [
      'what two of `oneOf` may take',
      ['variant '],
      { was: object({ a: text }), is: { oneOf: [object({ a: text }), object({ a: text, b: text })] } },
    ],
    [
      'fields where all were open',
      ['type /properties/a', 'unknown-fields '],
      { was: { type: 'object' }, is: object({ a: text }) },
    ],
    [
      'fields that a condition closes',
      ['field /properties/a ?', 'unknown-fields '],
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      { was: { type: 'object' }, is: { type: 'object', if: { required: ['a'] }, then: { properties: { a: true } } } },
    ],
    [
      'an item of a tuple',
      ['type /prefixItems/1'],
      {
        was: { type: 'array', prefixItems: [text, text] },
        is: { type: 'array', prefixItems: [text, { type: 'integer' }] },
      },
    ],
    [
      'a new field of a map',
      ['type /properties/a'],
      {
        was: { type: 'object', additionalProperties: text },
        is: { type: 'object', properties: { a: { type: 'integer' } }, additionalProperties: text },
      },
    ],
    ['what is excluded', ['rule /not'], { was: text, is: { type: 'string', not: { pattern: '^a' } } }],
    [
      'no value for certain where nothing is proven of two patterns',
      ['pattern  ?'],
      { was: { type: 'string', pattern: '^a$' }, is: { type: 'string', pattern: '^a|b$' } },
    ],
    [
      'steps of fractions that are too small',
      ['range '],
      { was: { type: 'number', multipleOf: 0.1 }, is: { type: 'number', multipleOf: 0.2 } },
    ],
    ['multiples of fractions', ['type '], { was: { type: 'number', multipleOf: 0.5 }, is: { type: 'integer' } }],
    [
      'names that fields may have',
      ['field /properties/c'],
      {
        was: { ...named({ enum: ['a', 'b', 'c'] }), additionalProperties: text },
        is: { ...object({ a: text, b: text }), additionalProperties: false },
      },
    ],
    [
      'names that a pattern allows',
      ['unknown-fields '],
      {
        was: { ...named({ pattern: 'a' }), additionalProperties: text },
        is: { type: 'object', patternProperties: { '^a': text }, additionalProperties: false },
      },
    ],
    [
      'fields that were evaluated elsewhere',
      ['unknown-fields '],
      {
        was: { ...object({ a: text }), unevaluatedProperties: { type: 'null' } },
        is: { ...object({ a: text }), additionalProperties: false },
      },
    ],
    [
      'fields that nobody evaluates any more',
      ['rule /unevaluatedProperties'],
      {
        was: { ...object({ a: text }), additionalProperties: text },
        is: { ...object({ a: text }), unevaluatedProperties: false },
      },
    ],
    ['the only number of a range', ['type '], { was: { type: 'number', minimum: 3, maximum: 3 }, is: text }],
    [
      'fields beside one that there cannot be',
      ['field /properties/a'],
      { was: object({ a: text, b: never }), is: object({ c: text }) },
    ],
    ['some of the listed values', ['enum /enum'], { was: { enum: ['a', 'b'] }, is: { const: 'a' } }],
    ['everything', ['type '], { was: text, is: false }],
  ])('%s', (_, expected, pair) => {
    expect(refused(pair)).toEqual(expected)
  })
})

describe('defect 15: ranges that are divided', () => {
  const integer = (minimum?: number, maximum?: number, more: SchemaObject = {}): SchemaObject => ({
    type: 'integer',
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...more,
  })
  const number = (bounds: SchemaObject): SchemaObject => ({ type: 'number', ...bounds })
  const length = (minLength: number, maxLength: number): SchemaObject => ({ type: 'string', minLength, maxLength })
  const halves: Schema = { anyOf: [integer(0, 5), integer(6, 10)] }

  it.each<[string, Schema, Schema]>([
    ['adjacent ranges', integer(0, 10), halves],
    ['adjacent ranges, the other way round', halves, integer(0, 10)],
    ['adjacent ranges of which one alone may fit', integer(0, 10), { oneOf: [integer(0, 5), integer(6, 10)] }],
    ['adjacent ranges of many numbers', integer(0, 1e6), { oneOf: [integer(0, 499_999), integer(500_000, 1e6)] }],
    ['ranges that overlap', integer(0, 10), { anyOf: [integer(0, 7), integer(3, 10)] }],
    ['ranges without an end', integer(), { anyOf: [integer(undefined, -1), { const: 0 }, integer(1)] }],
    [
      'exclusive bounds',
      integer(undefined, undefined, { exclusiveMinimum: -1, exclusiveMaximum: 11 }),
      { anyOf: [integer(undefined, undefined, { exclusiveMaximum: 6 }), integer(6)] },
    ],
    ['a list of all that there is', integer(0, 3), { enum: [0, 1, 2, 3, 'none'] }],
    ['a list of all that there is, with null', { ...integer(0, 1), type: ['integer', 'null'] }, { enum: [null, 1, 0] }],
    ['a list beside a range', integer(0, 10), { anyOf: [{ enum: [0, 1] }, integer(2, 9), { const: 10 }] }],
    ['a list of multiples', integer(0, 10, { multipleOf: 5 }), { enum: [0, 5, 10] }],
    [
      'a gap that holds no multiple',
      integer(0, 30, { multipleOf: 10 }),
      { anyOf: [integer(0, 15), integer(20, 30, { multipleOf: 5 })] },
    ],
    [
      'a gap that is excluded',
      { allOf: [integer(0, 10), { not: { const: 5 } }] },
      { anyOf: [integer(0, 4), integer(6, 10)] },
    ],
    ['unions within unions', integer(0, 10), { anyOf: [{ anyOf: [integer(0, 2), integer(3, 5)] }, integer(6, 10)] }],
    ['other kinds beside them', { type: ['integer', 'string'] }, { anyOf: [text, integer(undefined, 0), integer(1)] }],
    [
      'items of fields',
      object({ a: { type: 'array', items: integer(0, 10) } }),
      object({ a: { type: 'array', items: halves } }),
    ],
    [
      'fractions with a common bound',
      number({ minimum: 0, maximum: 10 }),
      { anyOf: [number({ exclusiveMaximum: 5 }), number({ minimum: 5 })] },
    ],
    ['lengths of texts', length(0, 10), { oneOf: [length(0, 5), length(6, 10)] }],
    ['lengths of arrays', { type: 'array' }, { anyOf: [{ maxItems: 2 }, { type: 'array', minItems: 3 }] }],
  ])('fit %s', (_, was, is) => {
    expect(refused({ was, is })).toEqual([])
    expect(refused({ was, is }, 'any')).toEqual([])
  })

  it('do not fit with fractions between integers', () => {
    expect(refused({ was: number({ minimum: 0, maximum: 10 }), is: halves })).not.toEqual([])
  })

  it.each<[string, Schema, Schema]>([
    ['a gap', integer(0, 10), { anyOf: [integer(0, 4), integer(6, 10)] }],
    ['an integer that fits two of the ranges', integer(0, 10), { oneOf: [integer(0, 5), integer(5, 10)] }],
    ['a missing end', integer(), { anyOf: [integer(undefined, -1), integer(1)] }],
    [
      'a common bound that is excluded',
      number({}),
      { anyOf: [number({ exclusiveMaximum: 5 }), number({ exclusiveMinimum: 5 })] },
    ],
    ['an integer that is not listed', integer(0, 3), { enum: [0, 1, 3] }],
    ['a text between the lengths', length(0, 10), { anyOf: [length(0, 4), length(6, 10)] }],
  ])('do not fit with %s, and a value shows it', (_, was, is) => {
    const found = refused({ was, is })
    expect(found).not.toEqual([])
    expect(found.filter((each) => each.endsWith('?'))).toEqual([])
  })
})

it('does not mind further fields where results are read, and misses those that are gone', () => {
  const closed: Schema = { type: 'object', properties: { a: text }, additionalProperties: false }
  expect(refused({ was: object({ a: text, b: text }), is: closed }, 'any')).toEqual([])
  expect(refused({ was: object({ a: text }), is: object({ a: text, b: text }) }, 'any')).toEqual([
    'field /properties/b',
  ])
})

it('reads patterns with nested repetitions as codecs do, in linear time', () => {
  const slow = `${'a'.repeat(40)}!`
  expect(refused({ was: { enum: [slow] }, is: { type: 'string', pattern: '^(a+)+$' } })).toEqual(['enum /enum ?'])
  const named: Schema = { type: 'object', patternProperties: { '^(a+)+$': text } }
  expect(refused({ was: object({ [slow]: text }), is: named })).toEqual([`field /properties/${slow}`])
})

it('gives up, and says so, where definitions multiply without end', () => {
  const names = Array.from({ length: 20 }, (_, index) => `D${index}`)
  const defs = (value: Schema): Defs =>
    Object.fromEntries(
      names.map((name) => [
        name,
        { anyOf: names.map((other) => object({ [other]: { $ref: `#/$defs/${other}` }, value })) },
      ]),
    )
  const found = refused({
    was: { $ref: '#/$defs/D0' },
    is: { $ref: '#/$defs/D0' },
    defs: { was: defs(text), is: defs({ type: 'string', pattern: 'a' }) },
  })
  expect(found.length).toBeGreaterThan(0)
})
