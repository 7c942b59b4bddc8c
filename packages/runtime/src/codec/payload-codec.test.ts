import { describe, expect, it } from 'vitest'
import type { Issue } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import { type PayloadCodecOptions, payloadCodec } from './codecs.js'

const order = {
  type: 'object',
  properties: {
    orderId: { type: 'string', minLength: 1, maxLength: 8, description: 'Order number on the invoice' },
    quantity: { type: 'integer', minimum: 1, maximum: 10, default: 1 },
    status: { enum: ['open', 'shipped'] },
  },
  required: ['orderId', 'status'],
} as const

function issuesOf(options: PayloadCodecOptions, value: unknown): readonly Issue[] {
  const decoded = payloadCodec<unknown, unknown>(options).decodeValue(value)
  return decoded.ok ? [] : decoded.issues
}

function decoded(schema: JsonSchema, value: unknown): unknown {
  const outcome = payloadCodec<unknown, unknown>({ schema }).decodeValue(value)
  if (!outcome.ok) throw new Error(JSON.stringify(outcome.issues))
  return outcome.value
}

describe('decoding a payload', () => {
  it('yields declared fields in declared order with their defaults', () => {
    const outcome = payloadCodec({ schema: order }).decode('{"status":"open","orderId":"A-1"}')
    expect(JSON.stringify(outcome)).toBe('{"ok":true,"value":{"orderId":"A-1","quantity":1,"status":"open"}}')
  })

  it('reports all faults at once, each with the facts to repair it', () => {
    const issues = issuesOf(
      { schema: order, serverOwned: ['sessionId'] },
      { order_id: 'A', quantity: 11, status: 'Open', sessionId: 's' },
    )
    expect(issues).toMatchObject([
      { path: '/sessionId', constraint: 'server_owned_field', field: 'sessionId' },
      {
        path: '/orderId',
        constraint: 'missing_field',
        field: 'orderId',
        expected: 'a string',
        description: 'Order number on the invoice',
      },
      { path: '/quantity', constraint: 'invalid_range', received: 11, minimum: 1, maximum: 10 },
      { path: '/status', constraint: 'invalid_enum_value', allowed: ['open', 'shipped'], nearest: 'open' },
      {
        path: '/order_id',
        constraint: 'unknown_field',
        allowed: ['orderId', 'quantity', 'status'],
        nearest: 'orderId',
      },
    ])
  })

  it('reports each fault once, also where two schemas demand the same', () => {
    const schema = { allOf: [order, order] }
    expect(issuesOf({ schema }, { orderId: 'A' }).map((issue) => issue.path)).toEqual(['/status'])
  })

  it('never changes the value it is given', () => {
    const value = Object.freeze({ orderId: 'A-1', status: 'open', list: Object.freeze([{ extra: 1 }]) })
    const schema = { ...order, properties: { ...order.properties, list: { items: { properties: { a: {} } } } } }
    payloadCodec({ schema, unknown: 'strip' }).decodeValue(value)
    expect(value).toEqual({ orderId: 'A-1', status: 'open', list: [{ extra: 1 }] })
  })

  it('escapes names in paths', () => {
    const schema = { properties: { 'a/b~c': { items: { type: 'string' } } } }
    expect(issuesOf({ schema }, { 'a/b~c': ['x', 1] })[0]?.path).toBe('/a~1b~0c/1')
  })

  it('prepares its schema once, when it is first used', () => {
    let reads = 0
    const schema = Object.defineProperty({}, 'type', {
      enumerable: true,
      get: () => {
        reads++
        return 'string'
      },
    })
    const codec = payloadCodec({ schema })
    expect(reads).toBe(0)
    codec.decode('"a"')
    const afterFirst = reads
    codec.decode('"b"')
    expect(afterFirst).toBeGreaterThan(0)
    expect(reads).toBe(afterFirst)
  })

  it('gives the description nearest to the value: of the field rather than of what it refers to', () => {
    const $defs = { id: { type: 'string', description: 'Any id' } }
    const own = { properties: { a: { $ref: '#/$defs/id', description: 'Id of a' }, b: { $ref: '#/$defs/id' } }, $defs }
    expect(issuesOf({ schema: own }, { a: 1, b: 1 }).map((issue) => issue.description)).toEqual(['Id of a', 'Any id'])
  })
})

describe('malformed text', () => {
  const codec = payloadCodec({ schema: order })

  it.each([
    ['', 0],
    ['{"a":', 5],
    ['{"a":1,}', 7],
    ['{"a" 1}', 5],
    ["{'a':1}", 1],
    ['[1 2]', 3],
    ['"abc', 4],
    ['"\\x"', 1],
    ['"a\nb"', 2],
    ['01', 1],
    ['nul', 0],
    ['{}}', 2],
    ['\ufeff{}', 0],
  ])('%j is one issue with its position %i', (text, position) => {
    const outcome = codec.decode(text)
    expect(outcome).toMatchObject({ ok: false, issues: [{ path: '', constraint: 'invalid_json', position }] })
  })

  it('is described without text of the engine or of the input', () => {
    const outcome = codec.decode('{"secret": hunter2}')
    const [issue] = outcome.ok ? [] : outcome.issues
    expect(issue?.message).toBe('This is not valid JSON: unexpected character at position 11.')
  })

  it('is found in linear time, also when deeply nested', () => {
    expect(codec.decode('['.repeat(200_000))).toMatchObject({ issues: [{ position: 200_000 }] })
    expect(codec.decode('{"a":'.repeat(100_000))).toMatchObject({ issues: [{ position: 500_000 }] })
  })
})

describe('defaults', () => {
  it('fill what a default leaves open, at any depth', () => {
    const inner = { type: 'object', properties: { a: { default: 1 }, b: { default: [1] } } }
    const schema = { type: 'object', properties: { inner: { ...inner, default: { a: 2 } } } }
    expect(decoded(schema, {})).toEqual({ inner: { a: 2, b: [1] } })
    expect(decoded(schema, { inner: {} })).toEqual({ inner: { a: 1, b: [1] } })
  })

  it('are new values each time', () => {
    const codec = payloadCodec<unknown, { list: number[] }>({ schema: { properties: { list: { default: [1] } } } })
    const [first, second] = [codec.decodeValue({}), codec.decodeValue({})]
    if (first.ok) first.value.list.push(2)
    expect(second).toEqual({ ok: true, value: { list: [1] } })
  })

  it('come by way of references and allOf', () => {
    const schema = {
      properties: { a: { $ref: '#/$defs/a' }, b: { allOf: [{ $ref: '#/$defs/a' }] } },
      $defs: { a: { default: 7 } },
    }
    expect(decoded(schema, {})).toEqual({ a: 7, b: 7 })
  })

  it('of the variant that matches first apply, and no others', () => {
    const variant = (kind: string, field: string): JsonSchema => ({
      type: 'object',
      properties: { kind: { const: kind }, [field]: { default: kind } },
      required: ['kind'],
    })
    const tagged = { oneOf: [variant('a', 'x'), variant('b', 'y')] }
    expect(decoded(tagged, { kind: 'b' })).toEqual({ kind: 'b', y: 'b' })
    const untagged = { anyOf: [{ properties: { x: { default: 1 } } }, { properties: { y: { default: 2 } } }] }
    expect(decoded(untagged, {})).toEqual({ x: 1 })
  })

  it('that break their own schema are not used, and do not make a required field optional', () => {
    expect(decoded({ properties: { a: { type: 'string', default: null } } }, {})).toEqual({})
    expect(issuesOf({ schema: { properties: { a: { default: 1 } }, required: ['a'] } }, {})).toHaveLength(1)
  })

  it('are left out of what is encoded', () => {
    expect(payloadCodec({ schema: order }).encode({ orderId: 'A', status: 'open' })).toBe(
      '{"orderId":"A","status":"open"}',
    )
  })

  it('without end are a fault of the schema', () => {
    const schema = { properties: { a: { $ref: '#', default: {} } } }
    expect(() => decoded(schema, {})).toThrow(/contains itself/)
  })
})

describe('server-owned fields', () => {
  it('are refused from the sender, whatever becomes of unknown fields', () => {
    for (const unknown of ['reject', 'strip', 'keep'] as const) {
      const issues = issuesOf(
        { schema: { ...order, additionalProperties: false }, serverOwned: ['sessionId'], unknown },
        {
          orderId: 'A',
          status: 'open',
          sessionId: 's',
        },
      )
      expect(issues.map((issue) => issue.constraint)).toEqual(['server_owned_field'])
    }
  })

  it('are meant at the root only', () => {
    const schema = { properties: { inner: { properties: { sessionId: { type: 'string' } } } } }
    expect(issuesOf({ schema, serverOwned: ['sessionId'] }, { inner: { sessionId: 's' } })).toEqual([])
  })
})
