import { describe, expect, it } from 'vitest'
import { valueChecker } from './check-value.js'
import { refTo } from './json-pointer.js'
import type { Json, Schema } from './json-schema.js'

function faults(
  schema: Schema,
  value: Json,
  unknownFields: 'refuse' | 'allow' = 'refuse',
  defs: Record<string, Schema> = {},
) {
  return valueChecker(defs, unknownFields)(schema, value).map(({ pointer, message }) => `${pointer} ${message}`)
}

const order: Schema = {
  type: 'object',
  properties: { id: { type: 'string' }, kind: { enum: ['a', 'b'] } },
  required: ['id'],
}

it('finds nothing in a value that fits', () => {
  expect(faults(order, { id: 'x', kind: 'a' })).toEqual([])
})

it('names every fault with its place and facts', () => {
  expect(faults(order, { kind: 'c' })).toEqual([' `id` is missing', '/kind must be one of ["a","b"]'])
})

describe('unknown fields', () => {
  const both: Schema = { allOf: [order, { type: 'object', properties: { extra: {} } }] }

  it('are refused where the object declares fields and says nothing about others', () => {
    expect(faults(order, { id: 'x', nope: 1 })).toEqual([' there is no field `nope`'])
    expect(faults({ type: 'object', properties: { inner: order } }, { inner: { id: 'x', nope: 1 } })).toEqual([
      '/inner there is no field `nope`',
    ])
    expect(faults({ $ref: '#/$defs/O' }, { id: 'x', nope: 1 }, 'refuse', { O: order })).toEqual([
      ' there is no field `nope`',
    ])
  })

  it('are judged over all parts of the object', () => {
    expect(faults(both, { id: 'x', extra: 1 })).toEqual([])
    expect(faults(both, { id: 'x', nope: 1 })).toEqual([' there is no field `nope`'])
  })

  it('are allowed in free-form objects, in open objects, and on request', () => {
    expect(faults({ type: 'object' }, { nope: 1 })).toEqual([])
    expect(faults({ ...order, additionalProperties: true }, { id: 'x', nope: 1 })).toEqual([])
    expect(faults(order, { id: 'x', nope: 1 }, 'allow')).toEqual([])
  })
})

it('reads patterns that are no Unicode patterns', () => {
  expect(faults({ type: 'string', pattern: '^\\-$' }, '-')).toEqual([])
})

it('follows recursive definitions', () => {
  const defs = { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } }
  expect(faults({ $ref: '#/$defs/N' }, { next: { next: { wrong: 1 } } }, 'refuse', defs)).toEqual([
    '/next/next there is no field `wrong`',
  ])
})

it('handles hostile names', () => {
  const schema: Schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  )
  expect(faults(schema, JSON.parse('{"__proto__":"a","constructor":"b"}'))).toEqual([])
  expect(faults(schema, JSON.parse('{"constructor":1}'))).toEqual(['/constructor must be string'])
})

it('does not take what every object inherits for a field', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty']
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  expect(faults({ type: 'object', properties }, {})).toEqual([])
  expect(faults({ type: 'object', properties, required: names }, {})).toEqual(
    names.map((name) => ` \`${name}\` is missing`),
  )
  expect(faults({ type: 'object', dependentRequired: { constructor: ['id'] } }, {})).toEqual([])
})

it('finds definitions whatever their names', () => {
  for (const name of ['Address', 'a.b', '日本', 'constructor', 'toString', 'hasOwnProperty']) {
    const defs = Object.fromEntries([[name, { type: 'string' }]])
    expect(faults({ $ref: refTo(name) }, 1, 'allow', defs)).toEqual([' must be string'])
  }
})

it('holds a schema with half a surrogate pair for a name to its fields', () => {
  const odd: Schema = { type: 'object', properties: { '\ud800': { type: 'string' } }, required: ['\ud800'] }
  expect(faults(odd, { '\ud800': 'x' })).toEqual([])
  expect(faults(odd, { '\ud800': 'x', nope: 1 })).toEqual([' there is no field `nope`'])
  expect(faults(order, { kind: 'a' }, 'refuse', { Odd: odd })).toEqual([' `id` is missing'])
})
