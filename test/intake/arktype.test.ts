import { type } from 'arktype'
import { describe, expect, it } from 'vitest'
import { codecOf, codesOf, read } from './read.fixture.js'

const order = type({
  id: 'string.uuid.v4',
  email: 'string.email',
  status: "'open' | 'shipped'",
  lines: type({ sku: 'string > 0', amount: '1 <= number.integer <= 99' }).array().atLeastLength(1),
  note: 'string | null',
  'gift?': 'boolean',
  limit: 'number = 20',
})

describe('ArkType', () => {
  it('describes payloads: what has a default is optional and says it', () => {
    const { value, diagnostics } = read(order)
    expect(diagnostics).toEqual([])
    expect(value?.root).toMatchObject({
      type: 'object',
      required: ['email', 'id', 'lines', 'note', 'status'],
      properties: {
        status: { enum: ['open', 'shipped'] },
        lines: {
          type: 'array',
          minItems: 1,
          items: { type: 'object', properties: { amount: { type: 'integer', minimum: 1, maximum: 99 } } },
        },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        limit: { type: 'number', default: 20 },
      },
    })
  })

  it('describes results: what has a default is always there', () => {
    expect(read(order, 'output').value?.root).toMatchObject({
      required: ['email', 'id', 'limit', 'lines', 'note', 'status'],
    })
  })

  it('agrees with its own codec about values', () => {
    const codec = codecOf(order)
    const good = {
      id: '8c4f3f0e-5b5e-4c6b-9d3e-0a1b2c3d4e5f',
      email: 'a@example.com',
      status: 'open',
      lines: [{ sku: 'x', amount: 1 }],
      note: null,
    }
    const bad = [
      { ...good, id: 'x' },
      { ...good, email: 'a' },
      { ...good, status: 'lost' },
      { ...good, lines: [] },
      { ...good, lines: [{ sku: '', amount: 1 }] },
      { ...good, lines: [{ sku: 'x', amount: 1.5 }] },
      { ...good, note: 3 },
      { ...good, gift: 'yes' },
    ]
    expect(codec.decodeValue(good)).toEqual({ ok: true, value: order.assert(good) })
    for (const value of bad) {
      expect([value, codec.decodeValue(value).ok, order.allows(value)]).toEqual([value, false, false])
    }
  })

  it('says it where fields are closed, tuples and records', () => {
    expect(read(type({ '+': 'reject', a: 'string' })).value?.root).toHaveProperty('additionalProperties', false)
    expect(read(type({ a: ['string', 'number'] })).value?.root).toMatchObject({
      properties: { a: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 } },
    })
    expect(read(type({ '[string]': 'number' })).value?.root).toMatchObject({ additionalProperties: { type: 'number' } })
  })

  it('keeps both of two patterns', () => {
    const both = type({ a: type('/^a/').and('/b$/') })
    expect(read(both).value?.root).toMatchObject({ properties: { a: { pattern: '^a', allOf: [{ pattern: 'b$' }] } } })
  })

  it.each([
    ['a parsed text', type({ a: 'string.numeric.parse' })],
    ['a changed text', type({ a: 'string.trim' })],
    ['a function', type({ a: type('string').pipe((text) => text.length) })],
    ['a function with a type after it', type({ a: type('string').pipe((text) => text.trim(), type('string')) })],
  ])('is refused as a payload with a morph: %s', (_, schema) => {
    const { value, diagnostics } = read(schema)
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([
      { code: 'TG3005', message: expect.stringContaining('morph'), next: expect.stringContaining('mapper') },
    ])
  })

  it('is taken as a result for the outcome of a morph, and refused where nothing describes it', () => {
    expect(read(type({ a: 'string.numeric.parse' }), 'output').value?.root).toMatchObject({
      properties: { a: { type: 'number' } },
    })
    expect(codesOf(type({ a: type('string').pipe((text) => text.length) }), 'output')).toEqual(['TG3005'])
  })

  it('may contain itself; definitions are named after where they are used, not after what was made before', () => {
    const { node } = type.module({ node: { 'next?': 'node', name: 'string = "x"' } })
    const { value, diagnostics } = read(type({ tree: node }))
    expect(diagnostics).toEqual([])
    expect([...(value?.defs.keys() ?? [])]).toEqual(['Tree'])
    expect(value?.root).toMatchObject({ properties: { tree: { $ref: '#/$defs/Tree' } } })
    expect(value?.defs.get('Tree')).toMatchObject({
      properties: { name: { default: 'x' }, next: { $ref: '#/$defs/Tree' } },
    })
  })

  it('has its predicates found', () => {
    const refined = type({ a: 'number', b: 'number' }).narrow(({ a, b }) => a < b)
    expect(read(refined).value?.refinements).toEqual([[]])
    expect(read(refined, 'output').value?.refinements).toEqual([[]])
    expect(read(order).value?.refinements).toEqual([])
  })

  it.each([
    ['a Date', type({ a: 'Date' })],
    ['a bigint', type({ a: 'bigint' })],
    ['a symbol', type({ a: 'symbol' })],
    ['undefined', type({ a: 'string | undefined' })],
    ['an instance of a class', type({ a: type.instanceOf(Map) })],
  ])('is refused with what JSON cannot carry: %s', (_, schema) => {
    expect(codesOf(schema)).toEqual(['TG3004'])
    expect(codesOf(schema, 'output')).toEqual(['TG3004'])
  })

  it('is refused with patterns that have flags, and where it says nothing', () => {
    expect(codesOf(type({ a: /^a$/i }))).toEqual(['TG3009'])
    expect(codesOf(type('unknown'))).toEqual(['TG3003'])
  })
})
