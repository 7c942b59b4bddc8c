import { describe, expect, it } from 'vitest'
import type { Schema, SchemaObject } from '../../packages/codegen/src/schema/json-schema.js'
import { codecPair, type SchemaCase } from './differential/compiled-codecs.js'

const leaf: Schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] }

/** Definitions of which each uses the next one more than once, beside other rules. */
function chain(length: number, link: (next: SchemaObject) => SchemaObject): SchemaCase {
  const links = Array.from({ length }, (_, index) => [`D${index}`, link({ $ref: `#/$defs/D${index + 1}` })] as const)
  return {
    schema: { type: 'object', properties: { f: { $ref: '#/$defs/D0' } } },
    defs: Object.fromEntries([...links, [`D${length}`, leaf] as const]),
  }
}

const tagged = (tag: string): SchemaObject => ({
  anyOf: Array.from({ length: 20 }, (_, value) => ({
    type: 'object',
    properties: { [tag]: { const: value }, [`x${value}`]: { type: 'string' } },
    required: [tag],
  })),
})

describe('compiling takes bounded time and room', () => {
  it.each<[string, SchemaCase]>([
    ['unions', chain(24, (next) => ({ anyOf: [next, { ...next, minProperties: 1 }] }))],
    ['parts of allOf', chain(24, (next) => ({ allOf: [next, { ...next, minProperties: 1 }] }))],
    ['a union beside a reference', chain(24, (next) => ({ ...next, anyOf: [next, { ...next, maxProperties: 5 }] }))],
    ['negations', chain(24, (next) => ({ not: { anyOf: [next, { ...next, maxProperties: 5 }] } }))],
    ['conditions', chain(24, (next) => ({ dependentSchemas: { a: { ...next, minProperties: 0 }, b: next } }))],
    ['products of unions', { schema: { type: 'object', allOf: ['a', 'b', 'c'].map(tagged) }, defs: {} }],
  ])('of %s', (_, made) => {
    const start = process.cpuUsage()
    const { text } = codecPair(made, 'reject')
    const { user } = process.cpuUsage(start)
    // Without a bound, the time doubles with each of the 24 definitions. With it, slow machines need up to 8 s.
    expect(user / 1e6).toBeLessThan(30)
    expect(text.length).toBeLessThan(200_000)
  })
})

describe('values that are not what they seem', () => {
  class Told extends Array<unknown> {
    toJSON(): string {
      return 'told'
    }
  }
  const numbers: Schema = {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'number' } } },
    required: ['a'],
  }
  const filled: Schema = {
    type: 'object',
    properties: {
      a: {
        type: 'array',
        items: { type: 'object', properties: { b: { type: 'number', default: 3 } } },
      },
    },
    required: ['a'],
  }
  const containing: Schema = {
    type: 'object',
    properties: { a: { type: 'array', items: { type: 'string' }, contains: { const: 'z' } } },
    required: ['a'],
  }
  it.each<[string, Schema, unknown]>([
    ['an array that writes itself', numbers, { a: Told.from([1, 2]) }],
    [
      'an object that writes itself',
      { type: 'object', additionalProperties: { type: 'number' } },
      Object.defineProperty({ a: 1 }, 'toJSON', { value: () => 'told' }),
    ],
    ['an array that maps as it likes', filled, { a: Object.assign([{}], { map: () => 'told' }) }],
    [
      'an array that is walked as it likes',
      containing,
      { a: Object.assign(['q'], { [Symbol.iterator]: () => ['z'].values() }) },
    ],
    [
      'a getter whose error has a name of ours',
      numbers,
      {
        get a() {
          throw Object.assign(new Error('x'), { name: 'SchemaError' })
        },
      },
    ],
  ])('are read alike by both codecs: %s', (_, schema, value) => {
    for (const unknown of ['reject', 'strip'] as const) {
      const { compiled, interpreted } = codecPair({ schema, defs: {} }, unknown)
      expect(compiled).toBeDefined()
      expect(compiled?.decodeValue(value)).toEqual(interpreted.decodeValue(value))
      expect(compiled?.encodeValue(value)).toEqual(interpreted.encodeValue(value))
    }
  })
})

it('rules beside a reference are told at once with all other faults', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      n: { type: 'integer' },
      ship: { $ref: '#/$defs/A', required: ['zip'] },
      bill: { $ref: '#/$defs/A' },
    },
  }
  const defs = { A: { type: 'object', properties: { street: { type: 'string' }, zip: { type: 'string' } } } }
  const { compiled } = codecPair({ schema, defs }, 'reject')
  const decoded = compiled?.decode('{"n":"x","ship":{"street":"1"}}')
  expect(decoded?.ok === false && decoded.issues.map(({ path }) => path)).toEqual(['/n', '/ship/zip'])
})
