import { describe, expect, it } from 'vitest'
import type { Decoded } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import { payloadCodec, resultCodec } from './codecs.js'

function decode(schema: JsonSchema, text: string): Decoded<unknown> {
  return payloadCodec<unknown, unknown>({ schema }).decode(text)
}

function accepts(schema: JsonSchema, text: string): boolean {
  return decode(schema, text).ok
}

describe('names of Object.prototype', () => {
  const hostile = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf']

  it.each(hostile)('%s is missing where it is not an own field', (name) => {
    expect(accepts({ required: [name] }, '{}')).toBe(false)
    expect(accepts({ properties: JSON.parse(`{"${name}":{"type":"integer"}}`) }, '{}')).toBe(true)
    expect(accepts({ dependentRequired: JSON.parse(`{"${name}":["x"]}`) }, '{}')).toBe(true)
  })

  it.each(hostile)('%s is an unknown field like any other', (name) => {
    expect(decode({ properties: { a: {} } }, `{"${name}":1}`)).toMatchObject({
      issues: [{ constraint: 'unknown_field', field: name }],
    })
  })

  it.each(hostile)('%s can be declared, decoded, defaulted and encoded as an own field', (name) => {
    const properties = JSON.parse(`{"${name}":{"type":"object","default":{"polluted":true}}}`)
    const codec = payloadCodec<unknown, object>({ schema: { type: 'object', properties } })
    for (const text of [`{"${name}":{"polluted":true}}`, '{}']) {
      const outcome = codec.decode(text)
      const value = outcome.ok ? outcome.value : {}
      expect(Object.getOwnPropertyDescriptor(value, name)?.value).toEqual({ polluted: true })
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
      expect(codec.encode(value)).toBe(`{"${name}":{"polluted":true}}`)
    }
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })

  it.each(hostile)('%s is kept in open maps and never becomes the prototype', (name) => {
    const text = `{"${name}":{"polluted":true}}`
    const codec = resultCodec<unknown, unknown>({ schema: { additionalProperties: { type: 'object' } } })
    const outcome = codec.decodeValue(JSON.parse(text))
    expect(outcome.ok && JSON.stringify(outcome.value)).toBe(text)
    expect(codec.encode(JSON.parse(text))).toBe(text)
  })
})

describe('equality', () => {
  it('distinguishes 0, false, null and the empty string', () => {
    const values = ['0', 'false', 'null', '""', '[]', '{}']
    for (const literal of values) {
      for (const value of values) {
        expect(accepts({ const: JSON.parse(literal) }, value)).toBe(literal === value)
        expect(accepts({ enum: [JSON.parse(literal)] }, value)).toBe(literal === value)
      }
    }
  })

  it('is deep and ignores the order of keys and the spelling of numbers', () => {
    const schema = { enum: [{ a: [1, { b: 2 }], c: 3 }] }
    expect(accepts(schema, '{"c":3.0,"a":[1e0,{"b":2}]}')).toBe(true)
    expect(accepts(schema, '{"c":3,"a":[{"b":2},1]}')).toBe(false)
  })

  it('decides which items are unique', () => {
    expect(accepts({ uniqueItems: true }, '[1,true,"1",[1],{"a":1},null,0,false,"",[],{}]')).toBe(true)
    expect(decode({ uniqueItems: true }, '[{"a":1,"b":2},3,{"b":2,"a":1.0}]')).toMatchObject({
      issues: [{ constraint: 'not_unique', first: 0, second: 2 }],
    })
  })
})

describe('numbers', () => {
  it('without a fraction are whole, however they are written', () => {
    for (const text of ['1', '1.0', '1e2', '-0', '1e300', '12345678901234567890']) {
      expect(accepts({ type: 'integer' }, text)).toBe(true)
    }
    expect(accepts({ type: 'integer' }, '1.5')).toBe(false)
  })

  it('beyond the range of a double are refused, since they cannot be written again', () => {
    for (const schema of [{}, { type: 'number' }, { properties: { a: {} } }]) {
      expect(decode(schema, '1e999')).toMatchObject({ issues: [{ path: '', constraint: 'not_json' }] })
    }
    expect(decode({ items: { type: 'number' } }, '[1,-1e999]')).toMatchObject({ issues: [{ path: '/1' }] })
  })

  it('are multiples as they are written in decimals', () => {
    expect(accepts({ multipleOf: 0.01 }, '19.99')).toBe(true)
    expect(accepts({ multipleOf: 0.1 }, '0.3')).toBe(true)
    expect(accepts({ multipleOf: 0.1 }, '0.35')).toBe(false)
    expect(accepts({ multipleOf: 1e-8 }, '12391239123')).toBe(true)
  })
})

describe('text', () => {
  it('is as long as it has code points', () => {
    expect(accepts({ maxLength: 2 }, '"💩💩"')).toBe(true)
    expect(accepts({ minLength: 2 }, '"💩"')).toBe(false)
    expect(decode({ minLength: 3 }, '"💩💩"')).toMatchObject({ issues: [{ received: 2, minimum: 3 }] })
  })

  it('may hold lone surrogates, which count as one and are written escaped', () => {
    const codec = payloadCodec<unknown, unknown>({ schema: { type: 'string', minLength: 2, maxLength: 2 } })
    expect(codec.decode('"\\ud83d\\ud83d"').ok).toBe(true)
    expect(codec.encode('\udca9\ud83d')).toBe('"\\udca9\\ud83d"')
  })

  it('matches patterns by code points, and older patterns as they are', () => {
    expect(accepts({ pattern: '^.$' }, '"💩"')).toBe(true)
    expect(accepts({ pattern: '^\\p{Letter}+$' }, '"straße"')).toBe(true)
    expect(accepts({ pattern: '^[\\w-.]+$' }, '"a-b.c"')).toBe(true)
  })
})

describe('shape of the text', () => {
  it('lets the last of equal keys count', () => {
    expect(decode({ properties: { a: {} } }, '{"a":1,"a":2}')).toEqual({ ok: true, value: { a: 2 } })
  })

  it('may be nested 500 levels deep and no deeper', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
    for (const schema of [{}, { items: { $ref: '#' } }, { type: 'array', contains: {} }]) {
      expect(accepts(schema, nested(500))).toBe(true)
      expect(decode(schema, nested(501))).toMatchObject({
        issues: [{ path: '/0', constraint: 'too_deep', maximum: 500 }],
      })
      expect(decode(schema, nested(100_000))).toMatchObject({ issues: [{ constraint: 'too_deep' }] })
    }
  })

  it('may be megabytes long', () => {
    const rows = Array.from({ length: 20_000 }, (_, index) => ({ id: index, name: `row ${index} ${'x'.repeat(40)}` }))
    const schema = {
      items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } }, required: ['id'] },
    }
    const codec = payloadCodec<unknown, unknown>({ schema })
    const outcome = codec.decode(JSON.stringify(rows))
    expect(outcome.ok && codec.encode(outcome.value)).toBe(JSON.stringify(rows))
  })

  it('may be no text at all', () => {
    expect(Reflect.apply(payloadCodec({ schema: {} }).decode, payloadCodec({ schema: {} }), [undefined])).toMatchObject(
      {
        issues: [{ constraint: 'invalid_json' }],
      },
    )
  })
})
