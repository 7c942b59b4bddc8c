import { describe, expect, it } from 'vitest'
import { isToolgenError } from '../is-toolgen-error.js'
import type { Issue } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import { CodecError, payloadCodec, resultCodec } from './codecs.js'

const item = { type: 'object', properties: { sku: { type: 'string' }, price: { type: 'number' } }, required: ['sku'] }
const order = { type: 'object', properties: { id: { type: 'string' }, items: { type: 'array', items: item } } }

function encoded(schema: JsonSchema, value: unknown): string {
  return resultCodec<unknown, unknown>({ schema }).encode(value)
}

function faultsOf(encode: () => unknown): readonly Issue[] {
  try {
    encode()
  } catch (error) {
    if (isToolgenError(error, 'CodecError')) return error.issues
    throw error
  }
  return []
}

describe('encoding a result', () => {
  it('writes declared fields in declared order and drops undeclared ones, at any depth', () => {
    const value = { secret: 1, items: [{ price: 2, sku: 'a', cost: 1 }], id: 'A' }
    expect(encoded(order, value)).toBe('{"id":"A","items":[{"sku":"a","price":2}]}')
  })

  it('writes undeclared fields of open maps after declared ones, as they were inserted', () => {
    const schema = { properties: { b: {}, a: {} }, additionalProperties: true }
    expect(encoded(schema, { z: 1, a: 2, y: 3, b: 4 })).toBe('{"b":4,"a":2,"z":1,"y":3}')
  })

  it('treats own undefined as absent', () => {
    expect(encoded(order, { id: undefined, items: [{ sku: 'a', price: undefined }] })).toBe('{"items":[{"sku":"a"}]}')
    expect(faultsOf(() => encoded(order, { items: [{ sku: undefined }] }))).toMatchObject([
      { constraint: 'missing_field', path: '/items/0/sku' },
    ])
  })

  it('checks everything and throws all faults in one error', () => {
    const faults = faultsOf(() => encoded(order, { id: 1, items: [{ price: Number.NaN }] }))
    expect(faults.map(({ path, constraint }) => [path, constraint])).toEqual([
      ['/id', 'invalid_type'],
      ['/items/0/sku', 'missing_field'],
      ['/items/0/price', 'not_json'],
    ])
    expect(new CodecError(faults).message).toContain('/items/0/sku: The required field "sku" is missing')
  })

  it.each([
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['undefined', undefined],
    ['an instance of Map', new Map()],
    ['an instance of Set', new Set()],
    ['an instance of Date', new Date(0)],
    ['an instance of URL', new URL('https://example.com')],
    [
      'a value that cannot be read',
      Object.defineProperty({}, 'x', {
        enumerable: true,
        get: () => {
          throw new Error('private')
        },
      }),
    ],
  ])('refuses %s wherever it would be written', (received, value) => {
    for (const [wrapped, path] of [
      [value, ''],
      [[value], '/0'],
    ] as const) {
      expect(faultsOf(() => encoded({}, wrapped))).toMatchObject([{ constraint: 'not_json', received, path }])
    }
  })

  it('says what to do with a Date, and does not call toJSON', () => {
    expect(faultsOf(() => encoded({}, new Date(0)))[0]?.message).toContain('toISOString()')
    expect(faultsOf(() => encoded({}, { toJSON: () => 1 }))).toMatchObject([
      { path: '/toJSON', constraint: 'not_json' },
    ])
  })

  it('does not mind what is in fields that are dropped', () => {
    const value: Record<string, unknown> = { id: 'A', created: new Date(0), total: 1n, load: () => 1 }
    value.self = value
    expect(encoded(order, value)).toBe('{"id":"A"}')
  })

  it('accepts plain objects of any origin', () => {
    expect(encoded(order, Object.assign(Object.create(null), { id: 'A' }))).toBe('{"id":"A"}')
  })

  it('refuses values that contain themselves, and values nested too deeply', () => {
    const cycle: unknown[] = []
    cycle.push({ cycle })
    expect(faultsOf(() => encoded({}, cycle))).toMatchObject([{ path: '/0/cycle', constraint: 'not_json' }])
    let deep: unknown = 1
    for (let level = 0; level < 501; level++) deep = { deep }
    expect(faultsOf(() => encoded({}, deep))).toMatchObject([{ path: '/deep', constraint: 'too_deep', maximum: 500 }])
  })

  it('writes a value that stands in several places in each of them', () => {
    const shared = { sku: 'a' }
    expect(encoded(order, { items: [shared, shared] })).toBe('{"items":[{"sku":"a"},{"sku":"a"}]}')
  })
})

describe('encoding a payload', () => {
  it('refuses undeclared fields', () => {
    const codec = payloadCodec<unknown, unknown>({ schema: order })
    expect(faultsOf(() => codec.encode({ id: 'A', idd: 'B' }))).toMatchObject([
      { constraint: 'unknown_field', path: '/idd', nearest: 'id' },
    ])
  })
})

describe('CodecError', () => {
  it('is recognised by name, also from another copy of the package', () => {
    const foreign = Object.assign(new Error('x'), { name: 'CodecError', issues: [] })
    expect(
      [new CodecError([]), foreign, new Error('x'), undefined].map((value) => isToolgenError(value, 'CodecError')),
    ).toEqual([true, true, false, false])
  })
})
