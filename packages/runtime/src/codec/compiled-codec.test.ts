import { describe, expect, it } from 'vitest'
import { type ResultCodecOptions, resultCodec } from './codecs.js'
import * as is from './generated-is.js'
import * as strip from './generated-strip.js'

const schema = {
  type: 'object',
  properties: { lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } } } } },
  required: ['lines'],
}

function codec(unknown?: ResultCodecOptions['unknown']) {
  const isLine: is.Check = (v, m) =>
    is.object(v) && (v.sku === undefined || typeof v.sku === 'string') && is.closed(v, is.has(v.sku), m)
  const stripLine: strip.Strip = (v) => (v.sku === undefined ? {} : { sku: v.sku })
  return resultCodec<unknown, unknown>(unknown === undefined ? { schema } : { schema, unknown }, {
    is: (v, m) => is.object(v) && Array.isArray(v.lines) && is.each(v.lines, isLine, m) && is.closed(v, 1, m),
    // A field of its own shows that it was asked.
    strip: (v) => ({ picked: true, lines: strip.array(v.lines, stripLine) }),
  })
}

describe('a codec with a picker', () => {
  it('has undeclared and undefined fields picked out', () => {
    const picked = { picked: true, lines: [{ sku: 'a' }, {}] }
    expect(codec().decode('{"lines":[{"sku":"a","x":1},{}],"y":2}')).toEqual({ ok: true, value: picked })
    expect(codec().decodeValue({ lines: [{ sku: 'a' }, { sku: undefined }] })).toStrictEqual({
      ok: true,
      value: picked,
    })
  })

  it('gives a value back itself that has nothing to leave out', () => {
    const value = { lines: [{ sku: 'a' }] }
    const decoded = codec().decodeValue(value)
    expect(decoded.ok && decoded.value).toBe(value)
  })

  it('does not pick where undeclared fields are kept', () => {
    expect(codec('keep').decode('{"lines":[],"y":2}')).toEqual({ ok: true, value: { lines: [], y: 2 } })
  })

  it('asks the schema of a value whose getter has answered the check and throws then', () => {
    let asked = 0
    const value = {
      y: 1,
      get lines() {
        if (asked++ === 2) throw new Error('enough')
        return []
      },
    }
    expect(codec().decodeValue(value)).toEqual({ ok: true, value: { lines: [] } })
    expect(asked).toBeGreaterThan(3)
  })
})

describe('a value that is asked about as it stands', () => {
  const note = { type: 'object', properties: { id: { type: 'string' }, note: { type: 'string' } }, required: ['id'] }
  const asked = resultCodec<unknown, unknown>(
    { schema: note, unknown: 'reject' },
    { is: (v, m) => is.object(v) && typeof v.id === 'string' && is.closed(v, 1 + is.has(v.note), m) },
  )

  it('is judged by its own fields: an inherited one does not make up for one that nobody declares', () => {
    expect(asked.is({ id: 'a', note: 'b' })).toBe(true)
    expect(asked.is(Object.assign(Object.create({ note: 'b' }), { id: 'a', x: 1 }))).toBe(false)
    class Row {
      readonly id = 'a'
      readonly raw = 1
      get note(): string {
        return 'b'
      }
    }
    expect(asked.is(new Row())).toBe(false)
    expect(asked.is({ id: 'a', note: undefined })).toBe(false)
  })
})
