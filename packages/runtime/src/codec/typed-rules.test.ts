import { describe, expect, it } from 'vitest'
import { payloadCodec } from './codecs.js'

const types = [
  { name: 'Date', schema: { type: 'string', format: 'date-time', 'x-js': 'Date' }, value: new Date(0) },
  { name: 'bigint', schema: { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', 'x-js': 'bigint' }, value: -12n },
  {
    name: 'bytes',
    schema: { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' },
    value: Uint8Array.of(1, 2, 255),
  },
] as const

const [first, second] = [{ required: ['a'] }, { required: ['b'] }]

/** Rules that hold for every typed value here and name no type. */
const rules: readonly (readonly [string, Record<string, unknown>])[] = [
  ['anyOf', { anyOf: [first, second] }],
  ['oneOf', { oneOf: [{ minLength: 1 }, { minLength: 1000 }] }],
  ['anyOf with tags', { anyOf: [tagged('x'), tagged('y')] }],
  ['oneOf of a rule and an object', { oneOf: [first, { type: 'object' }] }],
  ['anyOf within anyOf', { anyOf: [{ anyOf: [first, second] }, { maxLength: 0 }] }],
  ['anyOf within allOf', { allOf: [{ allOf: [{ anyOf: [first, second] }] }] }],
  [
    'if with anyOf, then',
    Object.fromEntries([
      ['if', { anyOf: [first, second] }],
      ['then', { anyOf: [{ minLength: 1 }, second] }],
      ['else', false],
    ]),
  ],
  ['if, else with anyOf', { if: { maxLength: 0 }, else: { anyOf: [first, { type: 'string' }] } }],
  ['not anyOf', { not: { anyOf: [{ maxLength: 0 }, { type: 'integer' }] } }],
]

function tagged(tag: string): Record<string, unknown> {
  return { required: ['tag'], properties: { tag: { const: tag } } }
}

/** The places where a typed schema with rules may stand, with a value there. */
const places: readonly (readonly [
  string,
  (typed: Record<string, unknown>, rule: Record<string, unknown>) => Record<string, unknown>,
  (value: unknown) => unknown,
])[] = [
  ['beside the type', (typed, rule) => fields({ at: { ...typed, ...rule } }), (at) => ({ at })],
  ['before the type', (typed, rule) => fields({ at: { allOf: [rule, typed] } }), (at) => ({ at })],
  [
    'in an array',
    (typed, rule) => fields({ at: { type: 'array', items: { ...typed, ...rule } } }),
    (at) => ({ at: [at] }),
  ],
  [
    'around a reference',
    (typed, rule) => ({ ...fields({ at: { $ref: '#/$defs/When', ...rule } }), $defs: { When: typed } }),
    (at) => ({ at }),
  ],
  [
    'in another schema of the object',
    (typed, rule) => ({ ...fields({ at: typed }), allOf: [fields({ at: rule })] }),
    (at) => ({ at }),
  ],
  [
    'in a variant of the object',
    (typed, rule) => ({ ...fields({ at: typed }), anyOf: [fields({ at: rule }), { required: ['none'] }] }),
    (at) => ({ at }),
  ],
  [
    'as the variant of a union',
    (typed, rule) => fields({ at: { anyOf: [{ type: 'null' }, { ...typed, ...rule }] } }),
    (at) => ({ at }),
  ],
]

function fields(properties: Record<string, unknown>): Record<string, unknown> {
  return { type: 'object', properties }
}

describe.each(types)('a $name under rules that name no type', ({ schema: typed, value: part }) => {
  const cases = rules.flatMap(([rule, keywords]) =>
    places.map(([place, schema, value]) => [rule, place, schema(typed, keywords), value(part)] as const),
  )
  it.each(cases)('%s, %s: comes back from its text', (_rule, _place, schema, value) => {
    const codec = payloadCodec<unknown, unknown>({ schema })
    const encoded = codec.encodeValue(value)
    expect(encoded).toMatchObject({ ok: true, value })
    const json = encoded.ok ? encoded.json : ''
    expect(codec.encode(value)).toBe(json)
    expect(codec.decode(json)).toEqual({ ok: true, value })
    expect(codec.decodeValue(value)).toEqual({ ok: true, value })
  })
})

describe('a typed value of a union', () => {
  const [date, text] = [types[0].schema, { type: 'string' }]
  const at = new Date(0)

  function codecOf(schema: Record<string, unknown>) {
    return payloadCodec<unknown, unknown>({ schema })
  }

  it('is refused under rules where nothing names its type', () => {
    expect(codecOf(fields({ at: { anyOf: [first, second] }, on: date })).decodeValue({ at })).toMatchObject({
      ok: false,
      issues: [{ constraint: 'not_json', path: '/at' }],
    })
  })

  it('is reported as its string if no variant matches', () => {
    const codec = codecOf(fields({ at: { ...date, anyOf: [{ const: 'a' }, { enum: ['b', 'c'] }] } }))
    expect(codec.decodeValue({ at })).toMatchObject({
      issues: [{ constraint: 'invalid_enum_value', received: at.toISOString() }],
    })
  })

  it('makes fields known that another matching variant declares', () => {
    const codec = codecOf({ anyOf: [fields({ a: date }), fields({ a: text, b: date })] })
    const json = '{"a":"1970-01-01T00:00:00.000Z","b":"1970-01-01T00:00:00.000Z"}'
    expect(codec.decode(json)).toEqual({ ok: true, value: { a: at, b: at } })
    expect(codec.encode({ a: at, b: at })).toBe(json)
  })

  it('takes the variant that names its type, though another part is named outside', () => {
    const codec = codecOf({
      ...fields({ a: date }),
      anyOf: [fields({ a: { minLength: 1 }, c: text }), fields({ a: { minLength: 1 }, c: date })],
    })
    expect(codec.decodeValue({ a: at, c: at })).toEqual({ ok: true, value: { a: at, c: at } })
  })

  it('matches no `oneOf` that its text does not match', () => {
    const codec = codecOf(fields({ at: { oneOf: [date, text] } }))
    expect(codec.decodeValue({ at }).ok).toBe(codec.decode('{"at":"1970-01-01T00:00:00.000Z"}').ok)
  })
})
