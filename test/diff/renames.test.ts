import { describe, expect, it } from 'vitest'
import type { Json, Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { changesOf, type Sketch } from './sketch.js'

const text: Schema = { type: 'string' }
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
})

/** What is told, each as `rule severity`, with the other name where something looks renamed. */
function told(was: Sketch, is: Sketch): readonly Json[] {
  return changesOf(was, is).map(({ rule, severity, rename }) =>
    rename === undefined ? `${rule} ${severity}` : [`${rule} ${severity}`, { ...rename }],
  )
}

describe('a tool that is gone', () => {
  const payload = object({ id: text })

  it('looks renamed where one new tool has its schemas, and breaks as before', () => {
    const changes = changesOf({ tools: ['getOrder'], payload }, { tools: ['fetchOrder'], payload })
    expect(changes).toMatchObject([
      { rule: 'tool-added', severity: 'visible', rename: { from: 'orders.getOrder' } },
      { rule: 'tool-removed', severity: 'breaking', rename: { to: 'orders.fetchOrder' } },
    ])
    expect(changes.map(({ message }) => message)).toEqual([
      "The tool 'orders.fetchOrder' was added. It was probably renamed from 'orders.getOrder'.",
      "The tool 'orders.getOrder' was removed. It was probably renamed to 'orders.fetchOrder'.",
    ])
  })

  it('looks renamed whatever its definitions are called and its fields are described as', () => {
    const was = { tools: ['a'], payload: { $ref: '#/$defs/A' }, defs: { A: payload } }
    const described = object({ id: { ...text, description: 'Its number.' } })
    const is = { tools: ['b'], payload: { $ref: '#/$defs/B' }, defs: { B: described } }
    expect(told(was, is)).toContainEqual(['tool-removed breaking', { to: 'orders.b' }])
  })

  it.each<[string, Sketch]>([
    ['takes something else', { payload: object({ id: { type: 'integer' } }) }],
    ['takes the same by a definition that changed', { payload: object({ id: { $ref: '#/$defs/Id' } }) }],
    ['answers something else', { payload, result: object({ total: text }) }],
    ['streams', { payload, updates: text }],
    ['has a field filled from elsewhere', { payload, serverOwned: { by: { from: 'sessionId', schema: text } } }],
  ])('is gone where the new one %s', (_, more) => {
    const defs = { Id: { type: 'string', minLength: 1 } }
    expect(told({ tools: ['a'], payload }, { tools: ['b'], defs, ...more })).toEqual([
      'tool-removed breaking',
      'tool-added visible',
    ])
  })

  it('is gone where two new ones fit, or two that are gone fit one', () => {
    const one = ['tool-removed breaking', 'tool-added visible', 'tool-added visible']
    expect(told({ tools: ['a'], payload }, { tools: ['b', 'c'], payload })).toEqual(one)
    const two = ['tool-removed breaking', 'tool-removed breaking', 'tool-added visible']
    expect(told({ tools: ['a', 'b'], payload }, { tools: ['c'], payload })).toEqual(two)
  })

  it('is told from others by its description where several have its schemas', () => {
    const tools = (descriptions: Readonly<Record<string, string>>): Sketch => ({
      payload,
      tools: Object.keys(descriptions),
      aboutEach: Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, { description }])),
    })
    expect(told(tools({ a: 'Opens.', b: 'Closes.' }), tools({ c: 'Closes.', d: 'Opens.' }))).toEqual([
      ['tool-removed breaking', { to: 'orders.d' }],
      ['tool-removed breaking', { to: 'orders.c' }],
      ['tool-added visible', { from: 'orders.b' }],
      ['tool-added visible', { from: 'orders.a' }],
    ])
  })
})

describe('a field that is gone', () => {
  it('looks renamed where its object got one with the same schema, of a payload or a result', () => {
    const [was, is] = [
      object({ orderId: text, page: { type: 'integer' } }),
      object({ id: text, page: { type: 'integer' } }),
    ]
    expect(told({ payload: was }, { payload: is })).toEqual([
      ['payload-field-removed breaking', { to: 'id' }],
      ['payload-field-added visible', { from: 'orderId' }],
    ])
    expect(told({ result: was }, { result: is })).toEqual([
      ['result-field-removed breaking', { to: 'id' }],
      ['result-field-added safe', { from: 'orderId' }],
    ])
  })

  it('looks renamed also where it is required, deep inside, with a name that pointers escape', () => {
    const inside = (field: string): Sketch => ({
      payload: object({ lines: { type: 'array', items: object({ [field]: text }, [field]) } }, ['lines']),
    })
    const changes = changesOf(inside('a/b'), inside('a~c'))
    expect(changes).toMatchObject([
      { rule: 'payload-field-required', severity: 'breaking', rename: { from: 'a/b' } },
      { rule: 'payload-field-removed', severity: 'breaking', rename: { to: 'a~c' } },
    ])
    expect(changes[1]?.message).toMatch(/ It was probably renamed to 'a~c'\.$/)
  })

  it.each<[string, Schema, Schema]>([
    ['the new one has another schema', object({ a: text }), object({ b: { type: 'integer' } })],
    ['there are two new ones', object({ a: text }), object({ b: text, c: text })],
    ['two are gone', object({ a: text, b: text }), object({ c: text })],
    ['the new one is in another object', object({ a: text, in: object({}) }), object({ in: object({ a: text }) })],
  ])('is gone where %s', (_, was, is) => {
    const changes = changesOf({ payload: was }, { payload: is })
    expect(changes.map(({ rule }) => rule)).toContain('payload-field-removed')
    expect(changes.filter(({ rename }) => rename !== undefined)).toEqual([])
  })
})
