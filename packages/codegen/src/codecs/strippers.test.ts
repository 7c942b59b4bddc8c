import { describe, expect, it } from 'vitest'
import type { Schema } from '../schema/json-schema.js'
import { type CompiledSource, compileCodecs } from './compile-codecs.js'

const text = { type: 'string' } as const
const line = { type: 'object', properties: { sku: text }, required: ['sku'] } as const

function compiled(schema: Schema, defs: Readonly<Record<string, Schema>> = {}, drops = true): CompiledSource {
  const options = { defs, stemOf: (name: string) => name, language: 'js', taken: [] } as const
  const [codec] = compileCodecs([{ stem: 'Order', schema, drops }], options)
  if (codec === undefined) throw new Error('Nothing was compiled.')
  return codec
}

function object(properties: Readonly<Record<string, Schema>>, ...required: readonly string[]): Schema {
  return { type: 'object', properties, required }
}

describe('the picker', () => {
  it('of required fields is one literal in declared order', () => {
    expect(compiled(object({ id: text, 'a-b': text }, 'a-b', 'id')).strip).toBe(
      "(v) => ({ id: v.id, 'a-b': v['a-b'] })",
    )
    expect(compiled({ type: 'object', properties: {} }).strip).toBe('(_v) => ({})')
  })

  it('of optional fields sets those that are there, and all that are declared after them', () => {
    expect(compiled(object({ id: text, note: text, at: text }, 'id', 'at')).strip).toBe(
      '({ id, note, at }, o = { id }) => (note !== undefined && (o.note = note), o.at = at, o)',
    )
  })

  it('of lists and nullable objects picks what is inside', () => {
    const nullable: Schema = { anyOf: [line, { type: 'null' }] }
    const codec = compiled(object({ lines: { type: 'array', items: line }, last: nullable }, 'lines', 'last'))
    expect(codec.strip).toBe(
      '({ lines, last }) => ({ lines: strip.array(lines, stripOrderLinesItem), ' +
        "last: (typeof last !== 'object' || last === null ? last : stripOrderLinesItem(last)) })",
    )
    expect(codec.declarations).toContain('const stripOrderLinesItem = ({ sku }) => ({ sku })')
  })

  it('of a union goes by its tag', () => {
    const card = object({ kind: { const: 'card' }, digits: text }, 'kind', 'digits')
    const cash = object({ kind: { const: 'cash' } }, 'kind')
    expect(compiled({ oneOf: [card, cash] }).strip).toBe(
      "(v) => (v.kind === 'card' ? stripOrderCard(v) : stripOrderCash(v))",
    )
  })

  it('of a recursive schema calls itself', () => {
    const Node = object({ next: { $ref: '#/$defs/Node' } })
    const codec = compiled({ $ref: '#/$defs/Node' }, { Node })
    expect(codec.strip).toBe('stripNode')
    expect(codec.declarations).toContain(
      'const stripNode = ({ next }, o = {}) => (next !== undefined && (o.next = stripNode(next)), o)',
    )
  })

  it.each<[string, Schema]>([
    ['defaults', object({ size: { type: 'integer', default: 1 } })],
    ['typed values', object({ at: { type: 'string', format: 'date-time', 'x-js': 'Date' } })],
    ['patterns', { ...line, patternProperties: { '^x-': text } }],
    ['maps', object({ tags: { type: 'object', additionalProperties: text } })],
    ['names that every object inherits', object({ constructor: text })],
    ['a field named `__proto__`', object(Object.fromEntries([['__proto__', text]]))],
    ['required names that are not declared', { ...line, required: ['sku', 'size'] }],
    ['variants that no tag tells apart', { anyOf: [object({ a: text }, 'a'), object({ b: text }, 'b')] }],
    ['conditions', { ...line, if: { required: ['sku'] }, else: { required: ['b'] } }],
    ['values without fields', { type: 'array', items: text }],
  ])('is not made for %s', (_, schema) => {
    expect(compiled(schema).strip).toBeUndefined()
  })

  it('is not made where undeclared fields are not left out', () => {
    expect(compiled(line, {}, false).strip).toBeUndefined()
  })
})
