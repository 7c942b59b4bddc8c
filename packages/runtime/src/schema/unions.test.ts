import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../codec/codecs.js'
import type { Issue } from '../types/codec.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'

function issuesOf(schema: JsonSchema, value: unknown): readonly Issue[] {
  const outcome = payloadCodec<unknown, unknown>({ schema }).decodeValue(value)
  return outcome.ok ? [] : outcome.issues
}

const card = {
  type: 'object',
  properties: { method: { const: 'card' }, number: { type: 'string' } },
  required: ['method', 'number'],
}
const invoice = {
  type: 'object',
  properties: { method: { enum: ['invoice', 'post'] }, address: { type: 'string' } },
  required: ['method', 'address'],
}

describe('a union whose variants require distinct literals of one field', () => {
  it.each<[string, JsonSchema]>([
    ['oneOf', { oneOf: [card, invoice] }],
    ['anyOf', { anyOf: [card, invoice] }],
    ['references', { anyOf: [{ $ref: '#/$defs/card' }, { $ref: '#/$defs/invoice' }], $defs: { card, invoice } }],
    ['a null variant beside', { anyOf: [card, invoice, { type: 'null' }] }],
    ['a union of unions', { anyOf: [{ oneOf: [card] }, { allOf: [invoice] }] }],
  ])('reports the faults of the selected variant alone (%s)', (_, schema) => {
    expect(issuesOf(schema, { method: 'post', number: 1 })).toMatchObject([
      { constraint: 'missing_field', path: '/address' },
      { constraint: 'unknown_field', path: '/number', allowed: ['method', 'address'] },
    ])
  })

  const pet = {
    type: 'object',
    properties: { kind: { type: 'string', description: 'Species' }, name: { type: 'string' } },
    required: ['kind'],
  }
  const added = (kind: string, field: string): JsonSchemaObject => ({
    type: 'object',
    properties: { kind: { const: kind }, [field]: { type: 'integer' } },
    required: ['kind', field],
  })
  const $defs = {
    pet,
    cat: { allOf: [{ $ref: '#/$defs/pet' }, added('cat', 'lives')] },
    dog: { allOf: [{ $ref: '#/$defs/pet' }, added('dog', 'tricks')] },
  }

  it.each<[string, JsonSchema]>([
    ['by inheritance', { oneOf: [{ $ref: '#/$defs/cat' }, { $ref: '#/$defs/dog' }], $defs }],
    [
      'beside allOf',
      {
        anyOf: [
          { ...pet, allOf: [added('cat', 'lives')] },
          { ...pet, allOf: [added('dog', 'tricks')] },
        ],
      },
    ],
    [
      'as a list, then as a value',
      {
        oneOf: ['lives', 'tricks'].map((field, index) => ({
          properties: { kind: { enum: ['cat', 'dog'], description: 'Species' } },
          allOf: [pet, added(['cat', 'dog'][index] ?? '', field)],
        })),
      },
    ],
  ])('defect 12: finds the variant where its schemas declare the field several times (%s)', (_, schema) => {
    expect(issuesOf(schema, { kind: 'dog', tricks: 'many' })).toMatchObject([
      { constraint: 'invalid_type', path: '/tricks', expected: ['integer'] },
    ])
    expect(issuesOf(schema, { kind: 'dog' })).toMatchObject([{ constraint: 'missing_field', path: '/tricks' }])
    const discriminator = { field: 'kind', allowed: ['cat', 'dog'] }
    expect(issuesOf(schema, { kind: 'cow', tricks: 1 })).toMatchObject([
      { discriminator, nearest: [{ path: '/kind', constraint: 'invalid_enum_value', allowed: ['cat', 'dog'] }] },
    ])
    expect(issuesOf(schema, {})).toMatchObject([
      { discriminator, nearest: [{ path: '/kind', constraint: 'missing_field', allowed: ['cat', 'dog'] }] },
    ])
    expect(issuesOf(schema, { kind: 'cat', lives: 9 })).toEqual([])
  })

  it('defect 12: names the values and the description of a missing field that several schemas declare', () => {
    const schema = {
      allOf: [{ properties: pet.properties }, { properties: { kind: { enum: ['cat', 'dog'] } } }],
      required: ['kind'],
    }
    expect(issuesOf(schema, {})).toMatchObject([
      { constraint: 'missing_field', field: 'kind', allowed: ['cat', 'dog'], description: 'Species' },
    ])
  })

  it('lists the allowed values when the field is wrong', () => {
    expect(issuesOf({ oneOf: [card, invoice] }, { method: 'Card' })).toMatchObject([
      {
        path: '',
        constraint: 'no_variant_matches',
        discriminator: { field: 'method', allowed: ['card', 'invoice', 'post'] },
        nearest: [{ path: '/method', constraint: 'invalid_enum_value', nearest: 'card' }],
      },
    ])
  })

  it('lists the allowed values when the field is missing', () => {
    expect(issuesOf({ items: { oneOf: [card, invoice] } }, [{ number: '1' }])).toMatchObject([
      {
        path: '/0',
        constraint: 'no_variant_matches',
        discriminator: { field: 'method', allowed: ['card', 'invoice', 'post'] },
        nearest: [{ path: '/0/method', constraint: 'missing_field' }],
      },
    ])
  })

  it('distinguishes 1 from "1" and true', () => {
    const variant = (value: unknown): JsonSchema => ({ properties: { v: { const: value } }, required: ['v'] })
    const schema = { oneOf: [variant(1), variant('1'), variant(true)] }
    expect(issuesOf(schema, { v: '1' })).toEqual([])
    expect(issuesOf(schema, { v: false })).toHaveLength(1)
  })
})

describe('a union without such a field', () => {
  it('reports a wrong kind as one', () => {
    expect(issuesOf({ anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] }, 1.5)).toMatchObject([
      { constraint: 'invalid_type', expected: ['string', 'integer', 'null'], received: 'number' },
    ])
  })

  it('reports a wrong literal as one', () => {
    expect(issuesOf({ anyOf: [{ const: 'open' }, { enum: ['shipped'] }, { type: 'null' }] }, 'shiped')).toMatchObject([
      { constraint: 'invalid_enum_value', allowed: ['open', 'shipped', null], nearest: 'shipped' },
    ])
  })

  it('reports the faults of the only variant for this kind of value', () => {
    expect(issuesOf({ anyOf: [card, { type: 'null' }] }, { method: 'card' })).toMatchObject([
      { constraint: 'missing_field', path: '/number' },
    ])
  })

  it('names the variants and gives the faults of the nearest one', () => {
    const box = {
      title: 'Box',
      type: 'object',
      properties: { width: { type: 'number' }, height: {} },
      required: ['width', 'height'],
    }
    const disc = { title: 'Disc', type: 'object', properties: { radius: { type: 'number' } }, required: ['radius'] }
    expect(issuesOf({ anyOf: [disc, box] }, { width: 1, heigth: 2 })).toMatchObject([
      {
        constraint: 'no_variant_matches',
        variants: ['Disc', 'Box'],
        nearest: [
          { constraint: 'missing_field', path: '/height' },
          { constraint: 'unknown_field', path: '/heigth', nearest: 'height' },
        ],
      },
    ])
  })

  it('accepts a value of several variants in anyOf, and refuses it in oneOf', () => {
    const variants = [{ type: 'integer' }, { minimum: 2 }]
    expect(issuesOf({ anyOf: variants }, 3)).toEqual([])
    expect(issuesOf({ oneOf: variants }, 3)).toMatchObject([{ constraint: 'several_variants_match', matching: [0, 1] }])
  })
})

describe('what a union is called by', () => {
  const variant = (kind: string, field: string): JsonSchema => ({
    properties: { kind: { const: kind }, [field]: {} },
    required: ['kind', field],
  })

  it('are the names of its variants as data, each once and unquoted', () => {
    const untagged = { properties: { n: { type: 'string' } }, required: ['n'] }
    const schema = { anyOf: [variant('card', 'a'), variant('card', 'b'), { ...untagged, title: 'Circle' }] }
    const [issue] = issuesOf(schema, {})
    expect(issue).toMatchObject({ variants: ['kind: "card"', 'Circle'] })
    expect(issue?.message).toBe('The value matches none of these variants: kind: "card", Circle.')
  })

  it('are its kinds, each once', () => {
    const [issue] = issuesOf({ type: ['string', 'null', 'string'] }, 1)
    expect(issue?.message).toBe('Expected a string or null but got a number.')
  })
})

describe('what nothing can satisfy', () => {
  const impossible = { allOf: [{ type: 'string' }, { type: 'number' }] }

  it('is not described as null, nor by an empty list', () => {
    for (const a of [impossible, { const: 1, enum: [2] }, false]) {
      const [issue] = issuesOf({ properties: { a }, required: ['a'] }, {})
      expect(issue?.message).toBe('The required field "a" is missing.')
      expect(issue).not.toHaveProperty('expected')
      expect(issue).not.toHaveProperty('allowed')
    }
  })

  it.each<[string, JsonSchema]>([
    ['literals that exclude each other', { const: 1, enum: [2] }],
    ['a union of nothing', { anyOf: [false, false] }],
    ['a union of impossible variants', { anyOf: [impossible, false] }],
  ])('says of a value that it is not allowed: %s', (_, schema) => {
    expect(issuesOf(schema, 1).map((issue) => issue.message)).toEqual(['This value is not allowed here.'])
  })
})

describe('recursive unions', () => {
  const either = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } }
  const schema = {
    $ref: '#/$defs/node',
    $defs: { node: { anyOf: [either, { ...either, properties: { ...either.properties, other: {} } }] } },
  }

  function chain(length: number, end: unknown): unknown {
    let value = end
    for (let link = 0; link < length; link++) value = { next: value }
    return value
  }

  // There are 2 ** 100 ways through the schema: following each of them would never end.
  it('take steps in proportion to the value, not to the number of ways through the schema', () => {
    expect(issuesOf(schema, chain(100, {}))).toEqual([])
    expect(issuesOf(schema, chain(100, 5))).toMatchObject([{ constraint: 'no_variant_matches' }])
  })

  it('give up on values that are nested too deeply instead of overflowing the stack', () => {
    expect(issuesOf(schema, chain(450, {}))).toMatchObject([{ constraint: 'too_deep' }])
  })

  it('do not multiply over references that lead to the same schema on many ways', () => {
    const $defs: Record<string, JsonSchema> = { d30: { type: 'string' } }
    for (let index = 0; index < 30; index++) {
      const next = { $ref: `#/$defs/d${index + 1}` }
      $defs[`d${index}`] = { anyOf: [next, next], allOf: [next, next] }
    }
    expect(issuesOf({ $ref: '#/$defs/d0', $defs }, 5)).toMatchObject([{ constraint: 'invalid_type' }])
    expect(issuesOf({ $ref: '#/$defs/d0', $defs }, 'x')).toEqual([])
  })
})
