import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../codec/codecs.js'
import { exampleOf } from '../schema/examples.js'
import type { JsonSchema, JsonValue } from '../types/json.js'
import { exampleCandidates } from './correct-example.js'

const text = { type: 'string' }
const size = { type: 'string', enum: ['small', 'large'] }
const street = { type: 'object', properties: { street: text, floor: { type: 'integer' } }, required: ['street'] }
const schema = {
  type: 'object',
  properties: {
    id: text,
    size,
    at: { type: 'string', format: 'date-time', 'x-js': 'Date' },
    to: street,
    lines: { type: 'array', items: { type: 'object', properties: { sku: text, size }, required: ['sku'] } },
    also: { $ref: '#/$defs/Street' },
  },
  required: ['id'],
  $defs: { Street: street },
}

function best(sent: unknown, fitting: readonly JsonValue[] = [], declared: JsonSchema = schema): JsonValue | undefined {
  const payload = payloadCodec<never, unknown>({ schema: declared })
  const decoded = payload.decodeValue(sent)
  if (decoded.ok) throw new Error('The arguments are to be faulty.')
  const source = {
    spec: { arguments: declared },
    payload,
    examples: { valid: () => fitting, created: () => exampleOf(declared) },
  }
  const [first] = exampleCandidates(source, decoded.issues)
  expect(payload.decodeValue(first).ok).toBe(true)
  return first
}

describe('the example beside faults', () => {
  it.each<[string, unknown, JsonValue]>([
    ['an optional field of a wrong kind', { id: 'a', at: 5 }, { id: 'text', at: '2025-01-31T12:00:00.000Z' }],
    ['an optional field with a wrong value', { id: 'a', size: 'huge' }, { id: 'text', size: 'small' }],
    ['two of them', { size: 'huge', at: 5 }, { id: 'text', size: 'small', at: '2025-01-31T12:00:00.000Z' }],
    ['the field that was meant', { id: 'a', siez: 'small' }, { id: 'text', size: 'small' }],
    ['a field within', { id: 'a', to: { floor: 1 } }, { id: 'text', to: { street: 'text' } }],
    [
      'an optional field within',
      { id: 'a', to: { street: 'b', floor: 'c' } },
      { id: 'text', to: { street: 'text', floor: 1 } },
    ],
    [
      'a field of an item',
      { id: 'a', lines: [{ sku: 'b' }, { sku: 'b', size: 'c' }] },
      { id: 'text', lines: [{ sku: 'text', size: 'small' }] },
    ],
    ['what is behind a reference', { id: 'a', also: 5 }, { id: 'text', also: { street: 'text' } }],
    ['required fields alone', {}, { id: 'text' }],
    ['no unknown field', { id: 'a', nothingNear: 1 }, { id: 'text' }],
  ])('shows %s', (_, sent, example) => {
    expect(best(sent)).toEqual(example)
  })

  it('is the author’s, with what that lacks', () => {
    expect(best({ id: 'a', size: 'huge' }, [{ id: 'A-1' }])).toEqual({ id: 'A-1', size: 'small' })
    expect(best({ id: 'a', size: 'huge' }, [{ id: 'A-1', size: 'large' }])).toEqual({ id: 'A-1', size: 'large' })
    expect(best({ id: 5 }, [{ id: 'A-1' }])).toEqual({ id: 'A-1' })
  })

  it('stays without an optional field that would make it long', () => {
    const declared = { ...schema, properties: { ...schema.properties, note: { type: 'string', minLength: 200 } } }
    expect(best({ id: 'a', note: 'b' }, [], declared)).toEqual({ id: 'text' })
  })

  it('follows the escaped steps of a path', () => {
    const declared = { type: 'object', properties: { 'a/b': { type: 'object', properties: { size } } } }
    expect(best({ 'a/b': { siez: 'small' } }, [], declared)).toEqual({ 'a/b': { size: 'small' } })
  })

  it('may be asked for fields that every object inherits', () => {
    const declared = { type: 'object', properties: JSON.parse('{"__proto__":{"type":"integer"},"a":{}}') }
    expect(JSON.stringify(best(JSON.parse('{"__proto__":"x"}'), [], declared))).toBe('{"__proto__":1}')
  })
})
