import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../codec/codecs.js'
import { boundedReceived } from './issues.js'

const huge = 'x'.repeat(2_000_000)

describe('what issues say was received', () => {
  it.each([
    ['a format', { type: 'string', format: 'date-time' }],
    ['a pattern', { type: 'string', pattern: '^a' }],
    ['an enum', { enum: ['a'] }],
    ['a typed value', { type: 'string', 'x-js': 'bigint' }],
    ['a union of literals', { anyOf: [{ const: 'a' }, { const: 'b' }] }],
    [
      'the nearest variant',
      {
        anyOf: [
          { type: 'string', pattern: '^a' },
          { type: 'string', format: 'uuid' },
        ],
      },
    ],
  ])('of %s has 200 characters and says how long it was', (_, schema) => {
    const decoded = payloadCodec<unknown, unknown>({ schema: { allOf: [schema, schema] } }).decodeValue(huge)
    const issues = decoded.ok ? [] : decoded.issues
    const [issue] = issues
    const told = issue?.constraint === 'no_variant_matches' ? issue.nearest?.[0] : issue
    expect(told).toMatchObject({ received: `${'x'.repeat(200)}…`, receivedLength: huge.length })
    expect(JSON.stringify(issues).length).toBeLessThan(2500)
  })

  it('is as it was sent where it is short', () => {
    for (const value of ['x'.repeat(200), 5, null, true, { a: [1] }]) {
      expect(boundedReceived(value)).toEqual({ received: value })
    }
  })

  it('of arrays and objects is the beginning of their JSON', () => {
    const { received, receivedLength } = boundedReceived({ a: [huge] })
    expect(received).toBe(`{"a":["${'x'.repeat(193)}…`)
    expect(receivedLength).toBe(huge.length + 10)
  })

  it('holds no half characters', () => {
    expect(boundedReceived(`${'x'.repeat(199)}😀😀`)).toEqual({ received: `${'x'.repeat(199)}…`, receivedLength: 203 })
  })
})
