import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import { openAiTool } from './openai.js'
import { specOf } from './spec.fixture.js'

const field = (schema: JsonSchema, more: object = {}): JsonSchema => ({
  type: 'object',
  properties: { a: schema },
  required: ['a'],
  ...more,
})

/** The strict form of a required field. */
function strictField(schema: JsonSchema, more: object = {}): unknown {
  const { tool, strict, changes } = openAiTool(specOf(field(schema, more)))
  expect(strict, JSON.stringify(changes)).toBe(true)
  return Object(tool.function.parameters.properties).a
}

function reasons(schema: JsonSchema): readonly string[] {
  const { strict, changes, tool } = openAiTool(specOf(schema))
  expect(strict).toBe(false)
  expect(tool.function.strict).toBe(false)
  return changes.filter((change) => change.kind === 'fallback').map(({ pointer, keyword }) => `${pointer} ${keyword}`)
}

describe('a tool for OpenAI', () => {
  it.each<[string, JsonSchema]>([
    ['`pattern`', { type: 'string', pattern: '^.{1,3000}@.{1,3000}$' }],
    [
      '`pattern` in a union with null',
      { anyOf: [{ type: 'string', pattern: '^.{1,3000}@.{1,3000}$' }, { type: 'null' }] },
    ],
  ])('defect 7: is written although an optional field has a %s that needs too many states', (_, schema) => {
    const { tool, strict, changes } = openAiTool(specOf({ type: 'object', properties: { a: schema } }))
    expect(strict, JSON.stringify(changes)).toBe(true)
    expect(JSON.stringify(tool)).toContain('^.{1,3000}@.{1,3000}$')
  })

  it('defect 7: an optional field with `patternProperties` that need too many states is a fallback, not an error', () => {
    const schema = { type: 'object', patternProperties: { '^.{1,3000}@.{1,3000}$': true } } as const
    expect(reasons({ type: 'object', properties: { a: schema } })).toContain('/properties/a patternProperties')
  })

  it('is a function in strict form: every field required, optional ones nullable, every object closed', () => {
    const { tool, strict, changes } = openAiTool(
      specOf({
        type: 'object',
        properties: {
          orderId: { type: 'string', minLength: 1, description: 'The order' },
          limit: { type: 'integer', minimum: 1, default: 10 },
        },
        required: ['orderId'],
      }),
    )
    expect(strict).toBe(true)
    expect(tool).toEqual({
      type: 'function',
      function: {
        name: 'orders_getOrder',
        description: 'Finds an order.',
        strict: true,
        parameters: {
          type: 'object',
          properties: {
            orderId: { type: 'string', description: 'The order. At least 1 character.' },
            limit: { type: ['integer', 'null'], minimum: 1, description: 'Default: 10.' },
          },
          required: ['orderId', 'limit'],
          additionalProperties: false,
        },
      },
    })
    expect(changes).toEqual([
      {
        pointer: '/properties/orderId',
        keyword: 'minLength',
        kind: 'moved_to_description',
        message: "OpenAI's strict mode does not support this `minLength`; the description states the rule.",
        loosens: true,
      },
      expect.objectContaining({ pointer: '/properties/limit', keyword: 'default', loosens: false }),
      {
        pointer: '/properties/limit',
        keyword: 'required',
        kind: 'changed',
        message: 'The optional field becomes required; null means that it is absent.',
        loosens: false,
      },
    ])
  })

  it('is left as it is where that is asked for', () => {
    const schema = field({ type: 'string', minLength: 1 })
    const { tool, strict, changes } = openAiTool(specOf(schema), { strict: false })
    expect([strict, changes, tool.function.parameters]).toEqual([false, [], schema])
  })

  it.each<[string, JsonSchema, unknown]>([
    ['a literal', { const: 'x' }, { type: 'string', const: 'x' }],
    [
      'literals of several types',
      { enum: ['x', 1, null] },
      { type: ['string', 'number', 'null'], enum: ['x', 1, null] },
    ],
    ['whole literals', { type: 'integer', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
    ['a pattern', { type: 'string', pattern: '^a+$' }, { type: 'string', pattern: '^a+$' }],
    [
      'a pattern that looks around',
      { type: 'string', pattern: '^(?!a)' },
      { type: 'string', description: 'Must match the pattern "^(?!a)".' },
    ],
    ['a known format', { type: 'string', format: 'uuid' }, { type: 'string', format: 'uuid' }],
    ['another format', { type: 'string', format: 'uri' }, { type: 'string', description: 'Format: uri.' }],
    [
      'the internal keyword',
      { type: 'string', format: 'date-time', 'x-js': 'Date' },
      { type: 'string', format: 'date-time' },
    ],
    [
      'what must not be, without what is about code',
      { type: 'string', not: { format: 'date-time', 'x-js': 'Date' } },
      { type: 'string', description: 'Must not match {"format":"date-time"}.' },
    ],
    ['a type left open', { minLength: 1 }, { type: 'string', description: 'At least 1 character.' }],
    [
      'bounds of a list',
      { type: 'array', items: { type: 'string' }, minItems: 1, uniqueItems: true },
      { type: 'array', items: { type: 'string' }, minItems: 1, description: 'Items must be unique.' },
    ],
    [
      'a pair of equal items',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'number' }], items: false, minItems: 2 },
      { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
    ],
    [
      'a pair of unequal items',
      { type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }], items: false },
      {
        type: 'array',
        items: { anyOf: [{ type: 'number' }, { type: 'string' }] },
        maxItems: 2,
        description: 'The items are, in order: number, string.',
      },
    ],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [
      'several containers',
      { type: ['object', 'string'], properties: {} },
      {
        anyOf: [{ type: 'object', properties: {}, required: [], additionalProperties: false }, { type: 'string' }],
      },
    ],
    [
      'sets of required fields',
      {
        type: 'object',
        properties: { id: { type: 'string' }, name: { type: 'string' } },
        anyOf: [{ required: ['id'] }, { required: ['name'] }],
      },
      {
        type: 'object',
        properties: { id: { type: ['string', 'null'] }, name: { type: ['string', 'null'] } },
        required: ['id', 'name'],
        additionalProperties: false,
        description: 'Give one of these: "id"; "name".',
      },
    ],
    [
      'a field that two parts declare',
      { allOf: [field({ type: 'string' }), field({ enum: ['x', 1] })] },
      {
        type: 'object',
        properties: { a: { type: 'string', enum: ['x'] } },
        required: ['a'],
        additionalProperties: false,
      },
    ],
  ])('says %s as strict mode can', (_, schema, written) => {
    expect(strictField(schema)).toEqual(written)
  })

  it('says of an encoding that it binds where bytes are meant', () => {
    const bytes: JsonSchema = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }
    const { tool, changes } = openAiTool(specOf(field(bytes)))
    expect(tool.function.parameters).toMatchObject({ properties: { a: { description: 'Encoding: "base64".' } } })
    expect(changes).toMatchObject([{ keyword: 'contentEncoding', loosens: true }])
    const text: JsonSchema = { type: 'string', contentEncoding: 'base64' }
    expect(openAiTool(specOf(field(text))).changes).toMatchObject([{ keyword: 'contentEncoding', loosens: false }])
  })

  it('writes references alone, with what is said beside them around', () => {
    const $defs = {
      Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } },
      Unused: { type: 'string' },
    }
    const { tool } = openAiTool(specOf(field({ $ref: '#/$defs/Node', description: 'The first' }, { $defs })))
    expect(tool.function.parameters).toMatchObject({
      properties: { a: { description: 'The first', anyOf: [{ $ref: '#/$defs/Node' }] } },
      $defs: {
        Node: { properties: { next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] } }, required: ['next'] },
      },
    })
    expect(Object.keys(Object(tool.function.parameters.$defs))).toEqual(['Node'])
  })

  it.each<[string, JsonSchema, readonly string[]]>([
    [
      'a record',
      field({ type: 'object', additionalProperties: { type: 'string' } }),
      ['/properties/a additionalProperties'],
    ],
    ['an object that lists no fields', field({ type: 'object' }), ['/properties/a properties']],
    ['anything', field({}), ['/properties/a type']],
    ['anything described', field({ description: 'Any JSON', default: 1 }), ['/properties/a type']],
    ['a list of anything', field({ type: 'array' }), ['/properties/a items']],
    [
      'fields by pattern',
      field({ type: 'object', properties: {}, patternProperties: { '^x': {} } }),
      ['/properties/a patternProperties'],
    ],
    ['a field of which nothing is said', { type: 'object', properties: {}, required: ['b'] }, [' required']],
    ['a union of arguments', { anyOf: [field({ type: 'string' }), field({ type: 'null' })] }, [' anyOf']],
    ['arguments that are no object', { type: 'array', items: { type: 'string' } }, [' type', ' type']],
    ['objects as literals', field({ enum: [{ x: 1 }] }), ['/properties/a enum']],
    [
      'parts that exclude each other',
      field({ allOf: [{ type: 'string' }, { type: 'number' }] }),
      ['/properties/a allOf'],
    ],
    [
      'two unions at once',
      field({ anyOf: [{ type: 'string' }], oneOf: [{ type: 'string' }] }),
      ['/properties/a oneOf'],
    ],
    [
      'fields that only a condition declares',
      { type: 'object', properties: {}, if: {}, else: { properties: { a: {} }, required: ['b'] } },
      [' if', ' if'],
    ],
    ['a union of nothing', field({ anyOf: [false, false] }), ['/properties/a anyOf']],
    ['too many levels', nested(11), [' properties']],
    [
      'too many values',
      field({ type: 'array', items: { enum: Array.from({ length: 1001 }, (_, at) => at) } }),
      [' properties'],
    ],
  ])('is not strict with %s, and says where', (_, schema, places) => {
    expect(reasons(schema)).toEqual(places)
  })

  it('has one object at the root in every form', () => {
    const shape = (kind: string, name: string): JsonSchema => ({
      type: 'object',
      properties: { kind: { const: kind }, [name]: { type: 'number' } },
      required: ['kind', name],
    })
    const { tool, changes } = openAiTool(specOf({ oneOf: [shape('circle', 'radius'), shape('square', 'side')] }))
    expect(tool.function.parameters).toEqual({
      type: 'object',
      properties: {
        kind: { anyOf: [{ const: 'circle' }, { const: 'square' }] },
        radius: { type: 'number' },
        side: { type: 'number' },
      },
      required: ['kind'],
      description: 'Give one of these: "kind" and "radius"; "kind" and "side".',
    })
    expect(changes.map(({ kind, keyword }) => `${kind} ${keyword}`)).toEqual([
      'fallback anyOf',
      'moved_to_description oneOf',
    ])
  })

  it('says of every array what its items are', () => {
    const { tool, changes } = openAiTool(specOf(field({ type: 'array' })))
    expect(tool.function.parameters).toMatchObject({ properties: { a: { type: 'array', items: {} } } })
    expect(changes).toHaveLength(2)
  })

  it('keeps fields with any name', () => {
    const names = ['__proto__', 'constructor', 'x-js', 'default', 'a/b~c']
    const properties = Object.fromEntries(names.map((name) => [name, { type: 'string', 'x-js': 'bigint' }]))
    const { tool } = openAiTool(specOf({ type: 'object', properties }))
    expect(tool.function.parameters.required).toEqual(names)
    expect(Object.entries(Object(tool.function.parameters.properties))).toEqual(
      names.map((name) => [name, { type: ['string', 'null'] }]),
    )
  })
})

function nested(levels: number): JsonSchema {
  return levels === 1 ? { type: 'object', properties: {} } : field(nested(levels - 1))
}

it('says why a part that takes every type has no strict form, and what would have one', () => {
  const type = ['string', 'number', 'boolean', 'null', 'array', 'object']
  const fallback = (more: object) =>
    openAiTool(specOf(field({ type, ...more }))).changes.filter(({ kind }) => kind === 'fallback')
  expect(fallback({ properties: { b: { type: 'string' } } })).toMatchObject([
    { pointer: '/properties/a', keyword: 'type', message: expect.stringContaining("write `type: 'object'`") },
  ])
  expect(fallback({})).toMatchObject([{ keyword: 'type', message: expect.not.stringContaining('write') }])
})
