import { describe, expect, it } from 'vitest'
import type { Schema } from '../schema/json-schema.js'
import { areDisjoint, discriminatorOf } from './unions.js'

function tagged(tag: string, isRequired = true): Schema {
  return { type: 'object', properties: { kind: { const: tag } }, ...(isRequired ? { required: ['kind'] } : {}) }
}

describe('variants', () => {
  it.each<[string, readonly Schema[], boolean]>([
    ['of different kinds', [{ type: 'string' }, { type: 'object' }, { type: 'null' }], true],
    ['of whole numbers and numbers', [{ type: 'integer' }, { type: 'number' }], false],
    ['with different literals', [{ const: 'a' }, { enum: ['b', 'c'] }], true],
    ['that share a literal', [{ const: 'a' }, { enum: ['b', 'a'] }], false],
    ['with equal literals in other spellings', [{ const: { a: 1, b: 2 } }, { const: { b: 2, a: 1 } }], false],
    ['that a required field tells apart', [tagged('a'), tagged('b')], true],
    ['that an optional field tells apart', [tagged('a'), tagged('b', false)], false],
    ['with the same tag', [tagged('a'), tagged('a')], false],
    ['one of which may be anything', [{ type: 'string' }, {}], false],
    ['one of which is no value', [{ type: 'string' }, false], true],
    ['by reference', [{ $ref: '#/$defs/A' }, tagged('b')], true],
    ['that refer to themselves', [{ $ref: '#/$defs/Loop' }, { type: 'string' }], false],
  ])('%s are disjoint or not', (_, variants, expected) => {
    const defs = { A: tagged('a'), Loop: { anyOf: [{ $ref: '#/$defs/Loop' }] } }
    expect(areDisjoint(variants, defs)).toBe(expected)
  })

  it('have the literals of their tag in order', () => {
    const either = { type: 'object', properties: { kind: { enum: ['b', 'c'] } }, required: ['kind'] }
    expect(discriminatorOf([tagged('a'), either], {})).toEqual({ field: 'kind', literals: [['a'], ['b', 'c']] })
    expect(discriminatorOf([tagged('a'), { type: 'object' }], {})).toBeUndefined()
  })
})
