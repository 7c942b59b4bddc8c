import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repairLoose } from './repair.js'

type Fields = { readonly [key: string]: unknown }

/** An object whose type marks the schema as loose, with one field. */
function repaired(field: Fields | string, required: readonly string[] = []) {
  const { value, diagnostics } = repairLoose(
    JSON.parse(JSON.stringify({ type: 'dict', properties: { a: field }, required })),
  )
  const [, ...others] = diagnostics.map(({ code, severity, message, next }) => ({ code, severity, message, next }))
  return { root: Object(value), field: Object(Object(value).properties).a, first: diagnostics[0], others }
}

describe('names of types', () => {
  it.each([
    ['dict', 'object'],
    ['HashMap', 'object'],
    ['Dictionary', 'object'],
    ['float', 'number'],
    ['double', 'number'],
    ['int', 'integer'],
    ['long', 'integer'],
    ['short', 'integer'],
    ['byte', 'integer'],
    ['Bigint', 'integer'],
    ['Integer', 'integer'],
    ['char', 'string'],
    ['String', 'string'],
    ['STRING', 'string'],
    ['bool', 'boolean'],
    ['Boolean', 'boolean'],
    ['ArrayList', 'array'],
    ['tuple', 'array'],
    ['Set', 'array'],
    ['List', 'array'],
    ['Queue', 'array'],
    ['Array', 'array'],
    ['None', 'null'],
  ])('%s is read as %s', (name, type) => {
    const { value, diagnostics } = repairLoose({ type: name })
    expect(value).toEqual({ type })
    expect(diagnostics).toMatchObject([
      { code: 'TG3030', severity: 'note', message: expect.stringContaining(name), trail: ['type'] },
    ])
    expect(diagnostics[0]?.next).toBe(`Write \`type: '${type}'\`.`)
  })

  it('any restricts nothing', () => {
    expect(repairLoose({ type: 'any', description: 'What' }).value).toEqual({ description: 'What' })
    expect(repairLoose({ type: ['string', 'any'] }).value).toEqual({})
  })

  it('in lists are read one by one, and the same type stands once', () => {
    expect(repairLoose({ type: ['float', 'int', 'double', 'None'] }).value).toEqual({
      type: ['number', 'integer', 'null'],
    })
  })
})

describe('defaults', () => {
  it.each([
    [{ type: 'boolean', default: 'dontcare' }, '`"dontcare"`', 'let the schema allow it'],
    [{ type: 'boolean', default: 'false' }, '`"false"`', '`default: false`'],
    [{ type: 'string', default: null }, '`null`', "`type: ['string', 'null']`"],
    [{ type: 'array', items: { type: 'string' }, default: 'None' }, '`"None"`', 'let the schema allow it'],
    [{ type: 'string', enum: ['a'], default: 'all' }, '`"all"`', 'let the schema allow it'],
    [{ type: 'array', items: { type: 'string', enum: ['a'] }, default: ['b'] }, '`["b"]`', 'let the schema allow it'],
  ])('that contradict the schema are dropped with a warning: %j', (given, shown, advice) => {
    const { field, others } = repaired(given)
    const { default: _, ...kept }: Fields = given
    expect(field).toEqual(kept)
    expect(others).toMatchObject([
      {
        code: 'TG3031',
        severity: 'warning',
        message: expect.stringContaining(shown),
        next: expect.stringContaining(advice),
      },
    ])
  })

  it('that fit stay', () => {
    for (const given of [
      { type: 'float', default: 1 },
      { type: 'integer', enum: [1, 2], default: 1 },
      { default: null },
    ]) {
      expect(repaired(given).field).toHaveProperty('default', given.default)
    }
  })
})

describe('lists of values', () => {
  it('that contradict the type are converted to it, or else widen the type', () => {
    const { field, others } = repaired({ type: 'boolean', enum: ['True', 'False', 'dontcare'], default: 'dontcare' })
    expect(field).toEqual({ type: ['boolean', 'string'], enum: [true, false, 'dontcare'], default: 'dontcare' })
    expect(others).toMatchObject([{ code: 'TG3032', severity: 'warning' }])
    expect(repaired({ type: 'integer', enum: ['1', '2'] }).field).toEqual({ type: 'integer', enum: [1, 2] })
    expect(repaired({ type: 'string', enum: [1, 2, '1', null] }).field).toEqual({
      type: ['string', 'null'],
      enum: ['1', '2', null],
    })
    expect(repaired({ type: 'float', enum: ['abc', '1.5'] }).field).toEqual({
      type: ['number', 'string'],
      enum: ['abc', 1.5],
    })
  })

  it('defect 13a: of an array are those of its items', () => {
    const { others, field } = repaired({ type: 'list', items: { type: 'integer' }, enum: ['1', '2'] })
    expect(others.map(({ code, severity }) => [code, severity])).toContainEqual(['TG3032', 'warning'])
    expect(field).toEqual({ type: 'array', items: { type: 'integer', enum: [1, 2] } })
    const nullable = repaired({ type: ['list', 'null'], enum: ['a', null] }).field
    expect(nullable).toEqual({ type: ['array', 'null'], items: { type: 'string', enum: ['a'] } })
  })

  it.each<[string, Fields]>([
    ['an object', { type: 'object', enum: ['a', 'b'] }],
    ['an array whose items have other values', { type: 'array', items: { enum: ['c'] }, enum: ['a', 'b'] }],
  ])('of %s would be a guess', (_, schema) => {
    const { others, root } = repaired(schema)
    expect(others).toMatchObject([{ code: 'TG3032', severity: 'error' }])
    expect(root).toEqual(Object(undefined))
  })
})

it.each<[string, Fields]>([
  ['have other values', { items: { enum: ['c'] }, enum: ['a'] }],
  ['have one value', { items: { const: 'a' }, enum: ['a'] }],
  ['are a reference', { items: { $ref: '#/$defs/Item' }, enum: ['a'] }],
])(
  'defect 13: an `enum` of no arrays beside `type: array` is an error in JSON Schema where the items %s',
  (_, rest) => {
    const schema = {
      $defs: { Item: { type: 'string' } },
      type: 'object',
      properties: { a: { type: 'array', ...rest } },
    }
    const { value, diagnostics } = repairLoose(schema)
    expect(value).toBeUndefined()
    expect(diagnostics).toMatchObject([
      {
        code: 'TG3032',
        severity: 'error',
        message: 'The values `["a"]` of `enum` are not arrays, so no array is valid, at /properties/a.',
      },
    ])
  },
)

describe('what is required', () => {
  it('is said in the list of the object', () => {
    expect(repaired({ type: 'string', required: true }).root).toMatchObject({
      properties: { a: { type: 'string' } },
      required: ['a'],
    })
    expect(repaired({ type: 'string', optional: false }).root).toMatchObject({ required: ['a'] })
    expect(repaired({ type: 'string', optional: true }).root).toMatchObject({ required: [] })
    expect(repaired({ type: 'string', required: 'True' }, ['a']).root).toMatchObject({ required: ['a'] })
    expect(repaired({ type: 'string', optional: true }).others).toMatchObject([{ code: 'TG3033', severity: 'note' }])
  })

  it('in two places that contradict each other is an error', () => {
    expect(repaired({ type: 'string', optional: true }, ['a']).others).toMatchObject([
      { code: 'TG3033', severity: 'error', next: expect.stringContaining('`required`') },
    ])
    const both = { type: 'dict', properties: { a: {} }, required: ['a'], optional: ['a'] }
    expect(repairLoose(both).diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      { code: 'TG3033', message: expect.stringContaining('is in both `required` and `optional`') },
    ])
  })

  it('of names that are no fields is dropped, or a misspelt name is an error', () => {
    expect(repaired({ type: 'string' }, ['a', 'zebra'])).toMatchObject({
      root: { required: ['a'] },
      others: [{ code: 'TG3033', severity: 'warning', message: expect.stringContaining('`zebra`') }],
    })
    const misspelt = { type: 'dict', properties: { location: { type: 'string' } }, required: ['locaton'] }
    expect(repairLoose(misspelt).diagnostics).toMatchObject([
      { code: 'TG3030' },
      { code: 'TG3033', severity: 'error', near: ['location'] },
    ])
    const elsewhere = { type: 'dict', properties: {}, required: ['b'], allOf: [{ properties: { b: {} } }] }
    expect(repairLoose(elsewhere).value).toMatchObject({ required: ['b'] })
  })

  it('in a list of what is optional is read', () => {
    const { value, diagnostics } = repairLoose({
      type: 'dict',
      properties: { a: {} },
      required: [],
      optional: ['a', 'b'],
    })
    expect(value).toEqual({ type: 'object', properties: { a: {} }, required: [] })
    expect(diagnostics.map(({ code, severity }) => `${code} ${severity}`)).toEqual([
      'TG3030 note',
      'TG3033 warning',
      'TG3033 note',
    ])
  })

  it('where no object is around it has no meaning', () => {
    const { value, diagnostics } = repairLoose({ type: 'array', items: { type: 'string', required: true } })
    expect(value).toEqual({ type: 'array', items: { type: 'string' } })
    expect(diagnostics).toMatchObject([{ code: 'TG3033', severity: 'warning', trail: ['items', 'required'] }])
  })
})

describe('forms', () => {
  it.each([
    [
      { type: 'array', items: 'str' },
      { type: 'array', items: { type: 'string' } },
    ],
    [
      { type: 'object', properties: [] },
      { type: 'object', properties: {} },
    ],
    [{ type: 'array', items: null }, { type: 'array' }],
    [{ type: 'string', enum: null, default: null }, { type: 'string' }],
    [
      { type: 'int', minimum: '1', maximum: '2.5' },
      { type: 'integer', minimum: 1, maximum: 2.5 },
    ],
    [
      { type: 'str', examples: 'a' },
      { type: 'string', examples: ['a'] },
    ],
    [{ properties: { a: 'string' } }, { properties: { a: { type: 'string' } } }],
  ])('%j is repaired', (given, expected) => {
    const { value, diagnostics } = repairLoose(given)
    expect(value).toEqual(expected)
    expect(diagnostics.map(({ code }) => code)).toContain('TG3034')
  })
})

describe('valid JSON Schema is never touched', () => {
  it('also where fields have the names of keywords, and values those of types', () => {
    const schema = {
      type: 'object',
      properties: {
        type: { type: 'string', enum: ['dict', 'float'], default: 'all' },
        required: { type: 'boolean', default: 'false' },
        optional: { type: 'string', optional: true },
        items: { const: { type: 'dict' } },
        nothing: { type: 'boolean', enum: ['True'] },
      },
      required: ['elsewhere'],
      default: { type: 'dict' },
      examples: [null],
    }
    const { value, diagnostics } = repairLoose(schema)
    expect(value).toBe(schema)
    expect(diagnostics).toEqual([])
  })

  it('whatever it holds as data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (data, name) => {
        const value = JSON.parse(JSON.stringify(data))
        const schema = {
          type: 'object',
          properties: Object.fromEntries([[name, { default: value, enum: [value] }]]),
          const: value,
        }
        expect(repairLoose(schema).value).toBe(schema)
      }),
    )
  })
})

it('keeps hostile names as ordinary keys', () => {
  const schema = JSON.parse(
    '{"type":"dict","properties":{"__proto__":{"type":"float"},"constructor":"str"},"required":["__proto__"]}',
  )
  expect(JSON.stringify(repairLoose(schema).value)).toBe(
    '{"type":"object","properties":{"__proto__":{"type":"number"},"constructor":{"type":"string"}},"required":["__proto__"]}',
  )
})
