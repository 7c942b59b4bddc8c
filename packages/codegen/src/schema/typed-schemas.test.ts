import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import * as z3 from 'zod/v3'
import { toJsonSchema } from './to-json-schema.js'

const date = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const bigint = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' }
const bytes = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }

function read(value: unknown, io: 'input' | 'output' = 'input') {
  return toJsonSchema(value, { io, hint: 'Root' })
}

function fieldOf(value: unknown, io: 'input' | 'output' = 'input'): unknown {
  const { value: schema, diagnostics } = read(value, io)
  expect(diagnostics).toEqual([])
  return schema?.root
}

/** The same schemas in two libraries, whose TypeScript types are not compatible. */
const libraries = {
  'Zod 4': {
    lib: z,
    objectOf: (a: unknown): unknown => z.object({ a: Object(a) }),
    dates: z.array(z.date()),
    dateOrText: z.union([z.date(), z.string()]),
    bigintOrText: z.union([z.bigint(), z.string()]),
    someBytes: z.instanceof(Uint8Array).refine((value) => value.length > 1),
  },
  'Zod 3': {
    lib: z3.z,
    objectOf: (a: unknown): unknown => z3.z.object({ a: Object(a) }),
    dates: z3.z.array(z3.z.date()),
    dateOrText: z3.z.union([z3.z.date(), z3.z.string()]),
    bigintOrText: z3.z.union([z3.z.bigint(), z3.z.string()]),
    someBytes: z3.z.instanceof(Uint8Array).refine((value) => value.length > 1),
  },
}

describe.each(Object.entries(libraries))('%s', (_, { lib, objectOf, dates, dateOrText, bigintOrText, someBytes }) => {
  const one = (schema: unknown): unknown => fieldOf(objectOf(schema))
  const optional = (a: unknown): unknown => ({ type: 'object', properties: { a } })
  const fields = (a: unknown): unknown => ({ type: 'object', properties: { a }, required: ['a'] })

  it('writes dates, bigints and bytes as the text that travels', () => {
    expect(one(lib.date())).toEqual(fields(date))
    expect(one(lib.bigint())).toEqual(fields(bigint))
    expect(one(lib.instanceof(Uint8Array))).toEqual(fields(bytes))
  })

  it('writes them within other schemas', () => {
    expect(one(dates)).toEqual(fields({ type: 'array', items: date }))
    expect(one(lib.date().nullable())).toMatchObject({ properties: { a: { anyOf: [date, { type: 'null' }] } } })
    expect(one(lib.bigint().nullable())).toEqual(fields({ anyOf: [bigint, { type: 'null' }] }))
    expect(one(bigintOrText)).toEqual(fields({ anyOf: [bigint, { type: 'string' }] }))
    expect(one(lib.date().optional())).toMatchObject({ properties: { a: date } })
    expect(one(lib.instanceof(Uint8Array).describe('A file.'))).toMatchObject({
      properties: { a: { ...bytes, description: 'A file.' } },
    })
    expect(one(lib.date().describe('When.'))).toMatchObject({ properties: { a: { ...date, description: 'When.' } } })
    expect(one(dateOrText)).toEqual(fields({ anyOf: [date, { type: 'string' }] }))
  })

  it('writes defaults in their wire form', () => {
    expect(one(lib.date().default(new Date(0)))).toEqual(optional({ ...date, default: '1970-01-01T00:00:00.000Z' }))
    expect(one(lib.bigint().default(-5n))).toEqual(optional({ ...bigint, default: '-5' }))
    expect(one(lib.instanceof(Uint8Array).default(Uint8Array.of(1)))).toEqual(optional({ ...bytes, default: 'AQ==' }))
  })

  it('refuses a default that may read the clock, and coercions', () => {
    const codes = (schema: unknown): readonly string[] => read(objectOf(schema)).diagnostics.map(({ code }) => code)
    expect(codes(lib.date().default(() => new Date()))).toEqual(['TG3008'])
    expect(codes(lib.coerce.date())).toEqual(['TG3005'])
    expect(codes(lib.coerce.bigint())).toEqual(['TG3005'])
  })

  it('says which schema to use in place of a coercion or of a Buffer', () => {
    const advice = (schema: unknown): unknown => read(objectOf(schema)).diagnostics.map(({ next }) => next)
    expect(advice(lib.coerce.date())).toEqual([expect.stringContaining('`z.date()`')])
    expect(advice(lib.coerce.bigint())).toEqual([expect.stringContaining('`z.bigint()`')])
    expect(advice(lib.coerce.number())).toEqual([expect.stringContaining('mapper')])
    expect(advice(lib.instanceof(Buffer))).toEqual([expect.stringContaining('`z.instanceof(Uint8Array)`')])
    expect(advice(lib.instanceof(Uint8Array))).toEqual([])
  })

  it('reports bounds as refinements', () => {
    const refined = (schema: unknown): unknown => read(objectOf(schema)).value?.refinements
    expect(refined(lib.date().min(new Date(0)))).toEqual([['a']])
    expect(refined(lib.bigint().max(5n))).toEqual([['a']])
    expect(refined(someBytes)).toEqual([['a']])
    expect(refined(lib.date())).toEqual([])
    expect(refined(lib.instanceof(Uint8Array))).toEqual([])
  })
})

describe('Zod 4 alone', () => {
  it('reports the bounds of int64, and what a codec yields', () => {
    expect(read(z.object({ a: z.int64() })).value?.refinements).toEqual([['a']])
    const codec = z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (at) => at.toISOString(),
    })
    expect(fieldOf(z.object({ a: codec }), 'output')).toMatchObject({ properties: { a: date } })
    expect(read(z.object({ a: codec })).diagnostics).toMatchObject([{ code: 'TG3005' }])
  })

  it('writes typed examples and defaults within objects', () => {
    const schema = z.object({
      a: z.date().meta({ examples: [new Date(0)] }),
      b: z.object({ n: z.bigint(), at: z.date() }).default({ n: 1n, at: new Date(0) }),
    })
    expect(fieldOf(schema)).toMatchObject({
      properties: {
        a: { ...date, examples: ['1970-01-01T00:00:00.000Z'] },
        b: { default: { n: '1', at: '1970-01-01T00:00:00.000Z' } },
      },
    })
  })

  it('refuses a type in the metadata of another schema', () => {
    expect(read(z.object({ a: z.iso.datetime().meta({ 'x-js': 'Date' }) })).diagnostics).toMatchObject([
      { code: 'TG3018', trail: ['a'], next: expect.stringContaining('z.date()') },
    ])
  })
})

describe('a plain JSON Schema', () => {
  const codes = (schema: unknown): readonly string[] =>
    read({ type: 'object', properties: { a: schema } }).diagnostics.map(({ code }) => code)

  it('may name a type', () => {
    for (const schema of [date, bigint, bytes]) expect(codes(schema)).toEqual([])
    expect(codes({ ...date, type: ['string', 'null'] })).toEqual([])
    expect(codes({ type: 'string', pattern: '^[0-9]+$', 'x-js': 'bigint' })).toEqual([])
  })

  it.each([
    ['an unknown type', { type: 'string', 'x-js': 'Map' }],
    ['no text for a name', { type: 'string', 'x-js': 5 }],
    ['a number', { type: 'integer', 'x-js': 'bigint' }],
    ['no type', { format: 'date-time', 'x-js': 'Date' }],
    ['no format', { type: 'string', 'x-js': 'Date' }],
    ['another format', { type: 'string', format: 'date', 'x-js': 'Date' }],
    ['no pattern', { type: 'string', 'x-js': 'bigint' }],
    ['another encoding', { type: 'string', contentEncoding: 'base64url', 'x-js': 'Uint8Array' }],
    ['listed values', { ...date, enum: ['1970-01-01T00:00:00Z'] }],
  ])('with %s is refused', (_, schema) => {
    const { diagnostics } = read({ type: 'object', properties: { a: schema } })
    expect(diagnostics).toMatchObject([{ code: 'TG3018', trail: ['properties', 'a', 'x-js'] }])
    expect(diagnostics[0]?.next).toMatch(/Write/)
  })
})
