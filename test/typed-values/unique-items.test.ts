import { describe, expect, it } from 'vitest'
import type { Schema } from '../../packages/codegen/src/schema/json-schema.js'
import { codecPair } from '../codec/differential/compiled-codecs.js'

const date: Schema = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const bigint: Schema = { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', 'x-js': 'bigint' }
const bytes: Schema = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }
const zero = '1970-01-01T00:00:00.000Z'

describe('`uniqueItems` compares typed values by the text that travels, compiled or interpreted', () => {
  it.each([
    ['two dates', date, [new Date(0), new Date(1)], true],
    ['one date twice', date, [new Date(0), new Date(0)], false],
    ['a date and its text', date, [new Date(0), zero], false],
    ['a date and another text', date, [new Date(0), '1970-01-01T00:00:00.001Z'], true],
    ['two texts of one moment', date, [zero, '1970-01-01T00:00:00Z'], true],
    ['two bigints', bigint, [1n, 2n], true],
    ['a bigint and its digits', bigint, [1n, '1'], false],
    ['two bytes', bytes, [Uint8Array.of(1), Uint8Array.of(2)], true],
    ['bytes and their text', bytes, [Uint8Array.of(1), 'AQ=='], false],
    ['a Buffer and the same bytes', bytes, [Buffer.from([1]), Uint8Array.of(1)], false],
    ['objects with dates', fields(date), [{ at: new Date(0) }, { at: new Date(1) }], true],
    ['objects with a date and its text', fields(date), [{ at: new Date(0) }, { at: zero }], false],
  ])('%s', (_, items, list, isUnique) => {
    const schema = { type: 'object', properties: { list: { type: 'array', items, uniqueItems: true } } }
    const { compiled, interpreted } = codecPair({ schema, defs: {} }, 'reject')
    for (const codec of [compiled, interpreted]) {
      const decoded = codec?.decodeValue({ list })
      expect(decoded?.ok).toBe(isUnique)
      expect(codec?.encodeValue({ list }).ok).toBe(isUnique)
      if (decoded?.ok === false) expect(decoded.issues).toMatchObject([{ constraint: 'not_unique', path: '/list' }])
    }
  })
})

function fields(at: Schema): Schema {
  return { type: 'object', properties: { at } }
}
