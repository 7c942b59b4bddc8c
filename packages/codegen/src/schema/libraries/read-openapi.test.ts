import { describe, expect, it } from 'vitest'
import { readOpenApi } from './plain.js'

const undeclared = { declared: false }

describe('nullable', () => {
  it.each([
    [{ type: 'string' }, { type: ['string', 'null'] }, '`type`'],
    [{ type: ['string', 'number'] }, { type: ['string', 'number', 'null'] }, '`type`'],
    [{ type: 'string', enum: ['a'] }, { type: ['string', 'null'], enum: ['a', null] }, '`type` and `enum`'],
    [{ enum: ['a'] }, { enum: ['a', null] }, '`enum`'],
    [{ anyOf: [{ type: 'string' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }, '`anyOf`'],
    [
      { $ref: '#/$defs/A', description: 'Which' },
      { anyOf: [{ $ref: '#/$defs/A' }, { type: 'null' }], description: 'Which' },
      'moved into an `anyOf`',
    ],
    [
      { allOf: [{ $ref: '#/$defs/A' }], default: null },
      { anyOf: [{ allOf: [{ $ref: '#/$defs/A' }] }, { type: 'null' }], default: null },
      'moved into an `anyOf`',
    ],
    [
      { type: 'object', oneOf: [{ required: ['a'] }] },
      { anyOf: [{ type: 'object', oneOf: [{ required: ['a'] }] }, { type: 'null' }] },
      'moved into an `anyOf`',
    ],
    [
      { type: 'string', const: 'a' },
      { anyOf: [{ type: 'string', const: 'a' }, { type: 'null' }] },
      'moved into an `anyOf`',
    ],
  ])('adds null to %j', (schema, wider, said) => {
    const { value, diagnostics } = readOpenApi({ ...schema, nullable: true }, undeclared)
    expect(value).toEqual(wider)
    expect(diagnostics).toMatchObject([{ code: 'TG3035', severity: 'note', message: expect.stringContaining(said) }])
  })

  it.each([
    [{ type: ['string', 'null'] }],
    [{ type: 'null' }],
    [{ description: 'Anything' }],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }],
  ])('goes without a word where null is allowed already: %j', (schema) => {
    expect(readOpenApi({ ...schema, nullable: true }, undeclared)).toEqual({ value: schema, diagnostics: [] })
  })

  it('goes where it is false', () => {
    expect(readOpenApi({ type: 'string', nullable: false }, undeclared)).toEqual({
      value: { type: 'string' },
      diagnostics: [],
    })
  })

  it('says where it was', () => {
    const schema = { type: 'object', properties: { a: { type: 'array', items: { type: 'string', nullable: true } } } }
    expect(readOpenApi(schema, undeclared).diagnostics).toMatchObject([
      { message: expect.stringContaining('/properties/a/items'), trail: ['properties', 'a', 'items', 'nullable'] },
    ])
  })

  it('is not read where `$schema` names a dialect: JSON Schema does not know it', () => {
    const schema = { type: 'string', nullable: true }
    expect(readOpenApi(schema, { declared: true })).toEqual({ value: schema, diagnostics: [] })
  })
})

it('reads an example as one of the examples', () => {
  expect(readOpenApi({ type: 'string', example: 'a' }, undeclared).value).toEqual({ type: 'string', examples: ['a'] })
  expect(readOpenApi({ examples: ['a'], example: 'b' }, undeclared).value).toEqual({ examples: ['a'] })
})

it('drops what is for other tools, and leaves fields of that name alone', () => {
  const properties = { discriminator: { type: 'string' }, xml: { type: 'object' }, nullable: { type: 'boolean' } }
  const schema = { type: 'object', properties, discriminator: { propertyName: 'kind' }, xml: {}, externalDocs: {} }
  expect(readOpenApi(schema, undeclared)).toEqual({ value: { type: 'object', properties }, diagnostics: [] })
})
