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

describe('the function that adds defaults', () => {
  const sized = object({ id: text, size: { type: 'integer', default: 1 }, note: text }, 'id')

  it('is short for the whole value and fast for its parts', () => {
    expect(compiled(sized, {}, false).complete).toBe('({ id, size = 1, note }) => strip.present({ id, size, note })')
    expect(compiled({ type: 'array', items: sized }, {}, false).declarations.join()).toContain(
      '({ id, size = 1, note }, o = { id, size }) => (note !== undefined && (o.note = note), o)',
    )
  })

  it('copies only parts that can receive defaults', () => {
    const codec = compiled(object({ line, all: { type: 'array', items: sized } }, 'line'), {}, false)
    expect(codec.complete).toBe(
      '({ line, all }) => strip.present({ line, all: all && strip.array(all, completeOrderAllItem) })',
    )
  })

  it('adds the default of a definition, and arrays of scalars', () => {
    const properties = { size: { $ref: '#/$defs/Size' }, tags: { type: 'array', items: text, default: ['a'] } }
    const codec = compiled(object(properties), { Size: { type: 'integer', default: 2 } }, false)
    expect(codec.complete).toBe("({ size = 2, tags = ['a'] }) => ({ size, tags })")
  })

  it('tests a field whose name cannot be that of a parameter', () => {
    expect(compiled(object({ 'a-b': { type: 'integer', default: 1 } }), {}, false).complete).toBe(
      "(v) => ({ 'a-b': (v['a-b'] === undefined ? 1 : v['a-b']) })",
    )
  })

  it('does not use the default of a required field', () => {
    const codec = compiled(object({ id: { type: 'string', default: 'x' } }, 'id'), {}, false)
    expect(codec.complete).toBe('({ id }) => ({ id })')
  })

  it.each<[string, Schema]>([
    ['invalid defaults', object({ size: { type: 'integer', default: 'large' } })],
    ['defaults that are objects', object({ line: { ...line, default: { sku: 'a' } } })],
    ['fields that several schemas declare', { allOf: [sized, object({ size: { type: 'integer' } })] }],
    ['typed values', object({ at: { type: 'string', format: 'date-time', 'x-js': 'Date' }, size: { default: 1 } })],
    ['schemas without defaults', line],
  ])('is not made for %s', (_, schema) => {
    expect(compiled(schema, {}, false).complete).toBeUndefined()
  })

  it('is not made where undeclared fields are left out', () => {
    expect(compiled(sized).complete).toBeUndefined()
  })
})
