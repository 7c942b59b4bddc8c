import { describe, expect, it } from 'vitest'
import { valueValidator } from './definitions.js'
import type { Json, Schema } from './json-schema.js'
import { refTo } from './references.js'

function issues(schema: Schema, value: Json, unknown: 'reject' | 'keep' = 'reject', defs: Record<string, Schema> = {}) {
  return valueValidator(defs, unknown)(schema, value).map(({ path, issue }) => `${path} ${issue?.constraint}`)
}

const order: Schema = {
  type: 'object',
  properties: { id: { type: 'string' }, kind: { enum: ['a', 'b'] } },
  required: ['id'],
}

it('finds nothing in a value that fits', () => {
  expect(issues(order, { id: 'x', kind: 'a' })).toEqual([])
})

it('lists every issue with its path', () => {
  expect(issues(order, { kind: 'c' })).toEqual(['/id missing_field', '/kind invalid_enum_value'])
})

describe('unknown fields', () => {
  const both: Schema = { allOf: [order, { type: 'object', properties: { extra: {} } }] }

  it('are refused where the object declares fields and says nothing about others', () => {
    expect(issues(order, { id: 'x', nope: 1 })).toEqual(['/nope unknown_field'])
    expect(issues({ type: 'object', properties: { inner: order } }, { inner: { id: 'x', nope: 1 } })).toEqual([
      '/inner/nope unknown_field',
    ])
    expect(issues({ $ref: '#/$defs/O' }, { id: 'x', nope: 1 }, 'reject', { O: order })).toEqual(['/nope unknown_field'])
  })

  it('are judged over all parts of the object', () => {
    expect(issues(both, { id: 'x', extra: 1 })).toEqual([])
    expect(issues(both, { id: 'x', nope: 1 })).toEqual(['/nope unknown_field'])
  })

  it('are allowed in free-form objects, in open objects, and on request', () => {
    expect(issues({ type: 'object' }, { nope: 1 })).toEqual([])
    expect(issues({ ...order, additionalProperties: true }, { id: 'x', nope: 1 })).toEqual([])
    expect(issues(order, { id: 'x', nope: 1 }, 'keep')).toEqual([])
  })
})

it('reads patterns that are no Unicode patterns', () => {
  expect(issues({ type: 'string', pattern: '^\\-$' }, '-')).toEqual([])
})

it('follows recursive definitions', () => {
  const defs = { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } }
  expect(issues({ $ref: '#/$defs/N' }, { next: { next: { wrong: 1 } } }, 'reject', defs)).toEqual([
    '/next/next/wrong unknown_field',
  ])
})

it('handles hostile names', () => {
  const schema: Schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  )
  expect(issues(schema, JSON.parse('{"__proto__":"a","constructor":"b"}'))).toEqual([])
  expect(issues(schema, JSON.parse('{"constructor":1}'))).toEqual(['/constructor invalid_type'])
})

it('does not take what every object inherits for a field', () => {
  const names = ['constructor', 'toString', '__proto__', 'hasOwnProperty']
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  expect(issues({ type: 'object', properties }, {})).toEqual([])
  expect(issues({ type: 'object', properties, required: names }, {})).toEqual(
    names.map((name) => `/${name} missing_field`),
  )
  expect(issues({ type: 'object', dependentRequired: { constructor: ['id'] } }, {})).toEqual([])
})

it('finds definitions whatever their names', () => {
  for (const name of ['Address', 'a.b', '日本', 'constructor', 'toString', 'hasOwnProperty']) {
    const defs = Object.fromEntries([[name, { type: 'string' }]])
    expect(issues({ $ref: refTo(name) }, 1, 'keep', defs)).toEqual([' invalid_type'])
  }
})

it('holds a schema with half a surrogate pair for a name to its fields', () => {
  const odd: Schema = { type: 'object', properties: { '\ud800': { type: 'string' } }, required: ['\ud800'] }
  expect(issues(odd, { '\ud800': 'x' })).toEqual([])
  expect(issues(odd, { '\ud800': 'x', nope: 1 })).toEqual(['/nope unknown_field'])
  expect(issues(order, { kind: 'a' }, 'reject', { Odd: odd })).toEqual(['/id missing_field'])
})
