import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { codecOf, codesOf, read } from './read.fixture.js'

const definition = v.object({
  id: v.pipe(v.string(), v.uuid()),
  when: v.pipe(v.string(), v.isoTimestamp()),
  status: v.picklist(['open', 'shipped']),
  lines: v.pipe(
    v.array(
      v.object({ sku: v.pipe(v.string(), v.minLength(1)), amount: v.pipe(v.number(), v.integer(), v.minValue(1)) }),
    ),
    v.minLength(1),
  ),
  contact: v.union([v.object({ email: v.pipe(v.string(), v.email()) }), v.object({ phone: v.string() })]),
  note: v.nullable(v.string()),
  gift: v.optional(v.boolean()),
  limit: v.optional(v.number(), 20),
})
const order = toStandardJsonSchema(definition)

describe('Valibot with its wrapper for Standard JSON Schema', () => {
  it('describes payloads: what has a default is optional and says it', () => {
    const { value, diagnostics } = read(order)
    expect(diagnostics).toEqual([])
    expect(value?.root).toMatchObject({
      type: 'object',
      required: ['id', 'when', 'status', 'lines', 'contact', 'note'],
      properties: {
        id: { type: 'string', format: 'uuid' },
        when: { type: 'string', format: 'date-time' },
        status: { enum: ['open', 'shipped'] },
        lines: { type: 'array', minItems: 1, items: { properties: { amount: { type: 'integer', minimum: 1 } } } },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        limit: { type: 'number', default: 20 },
      },
    })
  })

  it('describes results, in which its converter does not require what has a default', () => {
    expect(read(order, 'output').value?.root).toEqual(read(order).value?.root)
  })

  it('agrees with its own codec about values', () => {
    const codec = codecOf(order)
    const good = {
      id: '8c4f3f0e-5b5e-4c6b-9d3e-0a1b2c3d4e5f',
      when: '2026-03-01T10:00:00Z',
      status: 'open',
      lines: [{ sku: 'x', amount: 1 }],
      contact: { phone: '1' },
      note: null,
    }
    const bad = [
      { ...good, id: 'x' },
      { ...good, when: 'today' },
      { ...good, status: 'lost' },
      { ...good, lines: [] },
      { ...good, lines: [{ sku: '', amount: 1 }] },
      { ...good, contact: { email: 'a' } },
      { ...good, note: 3 },
      { ...good, gift: 'yes' },
    ]
    expect(codec.decodeValue(good)).toEqual({ ok: true, value: v.parse(definition, good) })
    for (const value of bad) {
      expect([value, codec.decodeValue(value).ok, v.is(definition, value)]).toEqual([value, false, false])
    }
  })

  it('says it where fields are closed, and which variants there are', () => {
    expect(read(toStandardJsonSchema(v.strictObject({ a: v.string() }))).value?.root).toHaveProperty(
      'additionalProperties',
      false,
    )
    const variants = v.variant('kind', [v.object({ kind: v.literal('a') }), v.object({ kind: v.literal('b') })])
    expect(read(toStandardJsonSchema(variants)).value?.root).toMatchObject({
      oneOf: [{ properties: { kind: { const: 'a' } } }, { properties: { kind: { const: 'b' } } }],
    })
  })

  it.each([
    ['a transform', v.pipe(v.string(), v.transform(Number))],
    ['a transform with a schema after it', v.pipe(v.string(), v.transform(Number), v.number())],
    ['a trim', v.pipe(v.string(), v.trim())],
    ['a fallback', v.fallback(v.string(), 'x')],
  ])('is refused as a payload with %s', (_, inner) => {
    expect(read(toStandardJsonSchema(v.object({ a: inner }))).diagnostics).toMatchObject([
      { code: 'TG3005', next: expect.stringContaining('mapper') },
    ])
  })

  it('is taken as a result for the outcome of a transform, and refused where nothing describes it', () => {
    const described = v.object({
      a: v.pipe(v.string(), v.transform(Number), v.number()),
      b: v.pipe(v.string(), v.trim()),
    })
    expect(read(toStandardJsonSchema(described), 'output').value?.root).toMatchObject({
      properties: { a: { type: 'number' }, b: { type: 'string' } },
    })
    const bare = v.object({ a: v.pipe(v.string(), v.transform(Number)) })
    expect(codesOf(toStandardJsonSchema(bare), 'output')).toEqual(['TG3005'])
  })

  it.each([
    [
      'check',
      v.object({
        a: v.pipe(
          v.string(),
          v.check((text) => text !== 'x'),
        ),
      }),
    ],
    [
      'rawCheck',
      v.pipe(
        v.object({ a: v.string() }),
        v.rawCheck(() => {}),
      ),
    ],
    [
      'partialCheck',
      v.pipe(
        v.object({ a: v.string() }),
        v.partialCheck([['a']], () => true),
      ),
    ],
    ['creditCard', v.object({ a: v.pipe(v.string(), v.creditCard()) })],
  ])('has its refinements found: %s', (_, schema) => {
    expect(read(toStandardJsonSchema(schema)).value?.refinements).toEqual([[]])
    expect(read(toStandardJsonSchema(schema), 'output').value?.refinements).toEqual([[]])
  })

  it('has no refinement where the schema says all, and where a type is only branded', () => {
    expect(read(order).value?.refinements).toEqual([])
    const branded = v.object({ a: v.pipe(v.string(), v.brand('Id'), v.readonly()) })
    expect(read(toStandardJsonSchema(branded))).toMatchObject({ value: { refinements: [] }, diagnostics: [] })
  })

  it.each([
    ['a Date', v.date()],
    ['a bigint', v.bigint()],
    ['a Map', v.map(v.string(), v.string())],
    ['a custom type', v.custom<string>(() => true)],
    ['an instance of a class', v.instance(URL)],
  ])('is refused with what JSON cannot carry: %s', (what, inner) => {
    for (const io of ['input', 'output'] as const) {
      expect(read(toStandardJsonSchema(v.object({ a: inner })), io).diagnostics).toMatchObject([
        { code: 'TG3004', message: expect.stringContaining(what) },
      ])
    }
  })

  it('is refused with patterns that have flags, with changing defaults, and where it says nothing', () => {
    expect(codesOf(toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.regex(/a/i)) })))).toEqual(['TG3009'])
    let count = 0
    const changing = v.object({ a: v.optional(v.number(), () => (count += 1)) })
    expect(codesOf(toStandardJsonSchema(changing))).toEqual(['TG3008'])
    expect(codesOf(toStandardJsonSchema(v.any()))).toEqual(['TG3003'])
  })

  it('is refused without the wrapper, which is named', () => {
    expect(read(definition).diagnostics).toMatchObject([
      { code: 'TG3001', next: expect.stringContaining('toStandardJsonSchema') },
    ])
  })
})
