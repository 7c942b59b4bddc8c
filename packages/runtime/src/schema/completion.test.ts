import { describe, expect, it } from 'vitest'
import type { JsonSchema } from '../types/json.js'
import { prepareCompletion } from './completion.js'
import { readDocument } from './prepare.js'

const inner = { type: 'object', properties: { a: { default: 1 } } }

function completed(schema: JsonSchema, value: unknown, keepsUnknown = false): unknown {
  return prepareCompletion(readDocument(schema), keepsUnknown).complete?.(value)
}

describe('the completion of a valid value', () => {
  it('fills in defaults in declared order, each a value of its own', () => {
    const schema = { type: 'object', properties: { list: { default: [1] }, b: {}, in: { ...inner, default: {} } } }
    const [first, second] = [completed(schema, { b: 2 }), completed(schema, { b: 2 })]
    expect(JSON.stringify(first)).toBe('{"list":[1],"b":2,"in":{"a":1}}')
    expect(Object(first).list).not.toBe(Object(second).list)
  })

  it('leaves out what is undeclared at any depth, and own undefined, and does not change what it was given', () => {
    const given = Object.freeze({ x: 1, list: [Object.freeze({ a: 2, y: 3 })], in: undefined })
    const schema = { type: 'object', properties: { list: { type: 'array', items: inner }, in: { type: 'object' } } }
    expect(completed(schema, given)).toEqual({ list: [{ a: 2 }] })
    expect(Object.keys(Object(completed(schema, given)))).toEqual(['list'])
    expect(completed(schema, given, true)).toEqual({ list: [{ a: 2, y: 3 }], x: 1 })
  })

  it('keeps what patterns, open objects and required names declare', () => {
    expect(completed({ properties: {}, patternProperties: { '^k': {} } }, { k1: 1, x: 2 })).toEqual({ k1: 1 })
    expect(completed({ type: 'object' }, { x: 2 })).toEqual({ x: 2 })
    expect(completed({ properties: { a: {} }, required: ['b'] }, { a: 1, b: 2, c: 3 })).toEqual({ a: 1, b: 2 })
  })

  it('asks the patterns of declared names too', () => {
    const patternProperties = { '^[a-c]$': { type: 'object', properties: { kept: {} } } }
    expect(completed({ properties: { b: true }, patternProperties }, { b: { kept: 1, x: 2 } })).toEqual({
      b: { kept: 1 },
    })
    // What two schemas make of one value is the interpreter's business.
    const both = readDocument({ properties: { b: inner }, patternProperties })
    expect(prepareCompletion(both, false).complete).toBeUndefined()
  })

  it('goes by the tag of a union', () => {
    const variant = (kind: string, field: string): JsonSchema => ({
      type: 'object',
      properties: { kind: { const: kind }, [field]: { default: 0 } },
      required: ['kind'],
    })
    const schema = { oneOf: [variant('x', 'a'), variant('y', 'b')] }
    expect(completed(schema, { kind: 'y', a: 1 })).toEqual({ kind: 'y', b: 0 })
    expect(completed(schema, { b: 1, kind: 'x' })).toEqual({ kind: 'x', a: 0 })
  })

  it('makes own fields of hostile names', () => {
    const properties = Object.fromEntries([['__proto__', { default: { polluted: true } }]])
    const whole = Object(completed({ type: 'object', properties }, {}))
    expect(Object.getPrototypeOf(whole)).toBe(Object.prototype)
    expect(JSON.stringify(whole)).toBe('{"__proto__":{"polluted":true}}')
  })

  it('follows a schema that contains itself', () => {
    const Node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, n: { default: 0 } } }
    const schema = { $ref: '#/$defs/Node', $defs: { Node } }
    expect(completed(schema, { next: { next: { x: 1 } } })).toEqual({ next: { next: { n: 0 }, n: 0 }, n: 0 })
  })

  it.each<[string, JsonSchema]>([
    ['variants that no tag tells apart', { anyOf: [inner, { type: 'object', properties: { b: {} } }] }],
    ['conditions that declare fields', { ...inner, if: { required: ['b'] }, else: { properties: { c: {} } } }],
  ])('is not known for %s', (_, schema) => {
    expect(prepareCompletion(readDocument(schema), false).complete).toBeUndefined()
  })

  it('changes valid values only where there are defaults or typed values', () => {
    const changes = (schema: JsonSchema) => prepareCompletion(readDocument(schema), false).changesValid
    expect(changes({ type: 'object', properties: { a: {} } })).toBe(false)
    expect(changes(inner)).toBe(true)
    expect(changes({ type: 'string', format: 'date-time', 'x-js': 'Date' })).toBe(true)
  })
})
