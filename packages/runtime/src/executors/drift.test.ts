import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import { isBreaking, mcpDrift } from './drift.js'

const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more })
const drift = (captured: JsonSchema, live: JsonSchema): readonly string[] =>
  mcpDrift([{ name: 't', inputSchema: captured }], [{ name: 't', inputSchema: live }]).changes.map(
    ({ kind, path = '' }) => `${kind} ${path}`.trim(),
  )

describe('the drift of a server', () => {
  it('names tools that are gone and tools that are new, but for those that nobody uses', () => {
    const live = ['b', 'c', 'd'].map((name) => ({ name, inputSchema: {} }))
    const { changes } = mcpDrift([{ name: 'a', inputSchema: {} }, { name: 'b' }], live, ['d'])
    expect(changes.map(({ tool, kind }) => [tool, kind])).toEqual([
      ['a', 'removed'],
      ['c', 'added'],
    ])
  })

  it.each<[string, JsonSchema, JsonSchema, readonly string[]]>([
    ['the same', object({ a: { type: 'string' } }), object({ a: { type: 'string' } }), []],
    ['another order of keys', { type: 'object', properties: {} }, { properties: {}, type: 'object' }, []],
    ['a new optional field', object({}), object({ a: {} }), ['widened /properties/a']],
    ['a field that is gone', object({ a: {} }), object({}), ['narrowed /properties/a']],
    ['a field that is required', object({ a: {} }), object({ a: {} }, { required: ['a'] }), ['narrowed /properties/a']],
    ['fewer values', { enum: [1, 2] }, { enum: [2] }, ['narrowed']],
    ['more values', { const: 1 }, { enum: [1, 2] }, ['widened']],
    ['an integer for a number', { type: 'number' }, { type: 'integer' }, ['narrowed']],
    ['null too', { type: 'string' }, { type: ['string', 'null'] }, ['widened']],
    ['a lower maximum', { maximum: 5 }, { maximum: 4 }, ['narrowed']],
    ['a lower minimum', { minimum: 5 }, { minimum: 4 }, ['widened']],
    ['a bound that is gone', { maxLength: 5 }, {}, ['widened']],
    ['a pattern', {}, { pattern: 'a' }, ['narrowed']],
    ['a closed object', object({}), object({}, { additionalProperties: false }), ['narrowed /additionalProperties']],
    ['items', { items: { type: 'number' } }, { items: { type: 'string' } }, ['narrowed /items', 'widened /items']],
    [
      'a changed variant',
      { anyOf: [{ type: 'null' }, { minimum: 1 }] },
      { anyOf: [{ type: 'null' }, { minimum: 0 }] },
      ['widened /anyOf/1'],
    ],
    ['a new variant', { oneOf: [{}] }, { oneOf: [{}, { type: 'null' }] }, ['widened /oneOf']],
    ['a description', object({ a: { description: 'x' } }), object({ a: { description: 'y' } }), ['described']],
    ['behind references', { $ref: '#/$defs/A', $defs: { A: { minimum: 1 } } }, { minimum: 2 }, ['narrowed']],
  ])('tells %s', (_, captured, live, changes) => {
    expect(drift(captured, live)).toEqual(changes)
  })

  it('says what a result answers now', () => {
    const captured = [{ name: 't', inputSchema: {}, outputSchema: object({ a: {} }, { required: ['a'] }) }]
    const live = [{ name: 't', inputSchema: {}, outputSchema: object({ a: {} }) }]
    expect(mcpDrift(captured, live).changes).toEqual([
      {
        tool: 't',
        kind: 'widened',
        side: 'result',
        path: '/properties/a',
        message: "The result of 't' is widened at /properties/a: 'a' is optional now.",
      },
    ])
  })

  it.each<[string, JsonSchema, JsonSchema]>([
    ['new', object({}), object({ a: {} }, { required: ['a'] })],
    ['gone', object({ a: {} }, { required: ['a'] }), object({})],
  ])('tells once of a required field that is %s, as what breaks calls', (_, captured, live) => {
    const tools = (schema: JsonSchema) => [{ name: 't', inputSchema: schema, outputSchema: schema }]
    const { changes } = mcpDrift(tools(captured), tools(live))
    expect(changes.map(({ kind, side, path }) => [kind, side, path])).toEqual([
      ['narrowed', 'arguments', '/properties/a'],
      ['widened', 'result', '/properties/a'],
    ])
    expect(changes.every(isBreaking)).toBe(true)
  })

  it('ends on schemas that refer to themselves', () => {
    const tree = (leaf: object): JsonSchema => ({
      $ref: '#/$defs/T',
      $defs: { T: object({ leaf, next: { $ref: '#/$defs/T' } }) },
    })
    expect(drift(tree({ minimum: 1 }), tree({ minimum: 2 }))).toEqual(['narrowed /properties/leaf'])
    expect(drift({ $ref: '#' }, { $ref: '#/$defs/none' })).toBeDefined()
  })

  it('reports no change of a schema compared with itself, and never throws', () => {
    const schema = fc.oneof(fc.jsonValue({ maxDepth: 5 }), fc.constant({ $ref: '#' }))
    fc.assert(
      fc.property(schema, schema, (one: any, other: any) => {
        expect(drift(one, structuredClone(one))).toEqual([])
        expect(Array.isArray(drift(one, other))).toBe(true)
      }),
      { numRuns: 300 },
    )
  })
})
