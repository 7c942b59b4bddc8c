import { describe, expect, it } from 'vitest'
import * as runtime from '../../../runtime/src/codegen/v1.js'
import type { Schema } from '../schema/json-schema.js'
import { type CompiledSource, compileCodecs } from './compile-codecs.js'

const text = { type: 'string' } as const
const amount = { type: 'number', minimum: 0, maximum: 1 } as const

function compiled(schema: Schema, defs: Readonly<Record<string, Schema>> = {}): CompiledSource | undefined {
  const options = { defs, stemOf: (name: string) => name, language: 'ts', taken: [] } as const
  return compileCodecs([{ stem: 'Order', schema }], options)[0]
}

function textOf(schema: Schema, defs?: Readonly<Record<string, Schema>>): string | undefined {
  return compiled(schema, defs)?.declarations.join('\n')
}

it.each<[Schema, readonly unknown[], readonly unknown[]]>([
  [{ const: { a: 1 } }, [{ a: 1 }], [{ a: 2 }, {}, [1], 1]],
  [{ const: [1] }, [[1]], [[], [2], '1']],
  [{ enum: [null, 1, { a: 1 }] }, [null, 1, { a: 1 }], [{}, 2]],
  [{ enum: [[], { a: { b: [] } }] }, [[], { a: { b: [] } }], [{ a: { b: {} } }, [[]]]],
])('the literals of %j are compared by value', (literal, accepted, rejected) => {
  const schema = { type: 'object', properties: { where: literal }, required: ['where'] } as const
  const options = { defs: {}, stemOf: (name: string) => name, language: 'js', taken: [] } as const
  const declarations = compileCodecs([{ stem: 'Order', schema }], options)[0]?.declarations.join('\n')
  const { is, serialize } = runtime
  const guard = new Function('is', 'serialize', `${declarations}\nreturn isOrder`)(is, serialize)
  const judge = (where: unknown): unknown => guard({ where }, { isPlain: () => true })
  expect([accepted.map(judge), rejected.map(judge)]).toEqual([accepted.map(() => true), rejected.map(() => false)])
})

describe('a compiled codec', () => {
  it('of required fields checks each and counts them', () => {
    const properties = { id: { type: 'string', minLength: 1 }, amount: { type: 'integer', minimum: 0 } }
    expect(textOf({ type: 'object', properties, required: ['id', 'amount'] })).toBe(
      `const isOrder = (v: any, m: is.Mode): boolean =>
  is.object(v) && is.string(v.id, 1) && is.integer(v.amount, 0) && is.closed(v, 2, m)
const serializeOrder = (v: any): string => '{"id":"' + serialize.chars(v.id) + '","amount":' + v.amount + '}'`,
    )
  })

  it('of optional fields takes them as absent, and counts those that are there', () => {
    expect(textOf({ type: 'object', properties: { note: { type: ['string', 'null'], maxLength: 80 } } })).toBe(
      `const isOrder = (v: any, m: is.Mode, { note }: any = v ?? {}): boolean =>
  is.object(v) && (note === undefined || is.string(note, 0, 80) || note === null) && is.closed(v, is.has(note), m)
const serializeOrder = ({ note }: any): string =>
  serialize.object((note === undefined ? '' : ',"note":' + (note === null ? 'null' : serialize.string(note))))`,
    )
  })

  it('of arrays checks kind, length and items in one go', () => {
    const properties = { tags: { type: 'array', items: text, maxItems: 5 }, rates: { type: 'array', items: amount } }
    expect(textOf({ type: 'object', properties, required: ['tags', 'rates'] })).toBe(
      `const isOrder = (v: any, m: is.Mode): boolean =>
  is.object(v) && is.arrayOf(v.tags, (v) => typeof v === 'string', m, 0, 5) &&
  is.arrayOf(v.rates, (v) => is.number(v, 0, 1), m) && is.closed(v, 2, m)
const serializeOrder = (v: any): string =>
  '{"tags":' + serialize.strings(v.tags) + ',"rates":' + serialize.value(v.rates) + '}'`,
    )
  })

  it('of a tagged union has a check for each variant, and says which schema it checks', () => {
    const card = { type: 'object', properties: { kind: { const: 'card' }, digits: text }, required: ['kind', 'digits'] }
    const cash = { type: 'object', properties: { kind: { const: 'cash' } }, required: ['kind'] }
    const codec = compiled({ oneOf: [card, cash] })
    expect(codec).toMatchObject({
      is: 'isOrder',
      serialize: 'serializeOrder',
      parts: [
        ['/oneOf/0', 'isOrderCard'],
        ['/oneOf/1', 'isOrderCash'],
      ],
    })
    expect(codec?.declarations).toContain(
      'const isOrder = (v: any, m: is.Mode): boolean => isOrderCard(v, m) || isOrderCash(v, m)',
    )
  })

  it('of a recursive schema looks at the depth first', () => {
    const Node = { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } }
    const codec = compiled({ $ref: '#/$defs/Node' }, { Node })
    expect(codec?.is).toBe('(v, m) => is.shallow(v) && isNode(v, m)')
    expect(codec?.declarations).toEqual([
      `const isNode = (v: any, m: is.Mode, { next }: any = v ?? {}): boolean =>
  is.object(v) && (next === undefined || isNode(next, m)) && is.closed(v, is.has(next), m)`,
      `const serializeNode = ({ next }: any): string =>
  serialize.object((next === undefined ? '' : ',"next":' + serializeNode(next)))`,
    ])
  })

  it('of fields by pattern is only checked: which of them stay, the schema says', () => {
    const codec = compiled({
      type: 'object',
      properties: { id: text },
      patternProperties: { '^x-': { type: 'number' } },
    })
    expect(codec?.serialize).toBeUndefined()
    expect(codec?.declarations.join('\n')).toBe(
      `const orderNames: is.Pattern = /* @__PURE__ */ is.pattern('^x-')
const isOrder = (v: any, m: is.Mode, { id }: any = v ?? {}): boolean =>
  is.object(v) && (id === undefined || typeof id === 'string') &&
  is.rest(v, ['id'], m, is.extra, [[orderNames, Number.isFinite]])`,
    )
  })

  it('of hostile names reads own fields alone, and stays within its literals', () => {
    const properties = Object.fromEntries([
      ['__proto__', { type: 'number' }],
      ["a'b", { const: '*/ `${x}' }],
    ])
    expect(textOf({ type: 'object', properties, required: ['__proto__'] })).toBe(
      `const isOrder = (v: any, m: is.Mode): boolean =>
  is.object(v) && Number.isFinite(is.own(v, '__proto__')) && (v["a'b"] === undefined || v["a'b"] === '*/ \`\${x}') &&
  is.closed(v, 1 + is.has(v["a'b"]), m)
const serializeOrder = (v: any): string =>
  '{"__proto__":' + is.own(v, '__proto__') + (v["a'b"] === undefined ? '' : ',"a\\'b":"*/ \`\${x}"') + '}'`,
    )
  })

  it('keeps names apart from what the file has', () => {
    const options = {
      defs: {},
      stemOf: String,
      language: 'js',
    } as const
    const schema = { type: 'object', properties: { a: text } }
    expect(compileCodecs([{ stem: 'Order', schema }], { ...options, taken: ['isOrder'] })[0]?.is).toBe('isOrder2')
  })
})

describe('a schema is left to the interpreter', () => {
  it.each<[string, Schema]>([
    [
      'variants of oneOf that overlap and list fields',
      {
        oneOf: [
          { type: 'object', properties: { a: text } },
          { type: 'object', properties: { b: text } },
        ],
      },
    ],
    [
      'an open variant beside one that lists fields',
      { anyOf: [{ type: 'object' }, { type: 'object', properties: { a: text } }] },
    ],
    ['unevaluatedItems', { type: 'array', unevaluatedItems: false }],
    [
      'unevaluatedProperties that open an object',
      { type: 'object', properties: { a: text }, unevaluatedProperties: true },
    ],
    ['unevaluatedProperties within allOf', { allOf: [{ properties: { a: text } }, { unevaluatedProperties: false }] }],
    ['a reference to a definition that is left', { type: 'object', properties: { a: { $ref: '#/$defs/Left' } } }],
  ])('with %s', (_, schema) => {
    expect(compiled(schema, { Left: { type: 'array', unevaluatedItems: false } })).toBeUndefined()
  })

  it.each<[string, Schema]>([
    [
      'open variants that overlap',
      {
        anyOf: [
          { type: 'object', properties: { a: text }, additionalProperties: true },
          { type: 'object', additionalProperties: true },
        ],
      },
    ],
    [
      'exclusive open variants that overlap',
      {
        oneOf: [
          { type: 'object', properties: { a: text }, additionalProperties: true },
          { type: 'object', required: ['b'], additionalProperties: true },
        ],
      },
    ],
    [
      'exclusive texts of two formats',
      {
        oneOf: [
          { type: 'string', format: 'date' },
          { type: 'string', format: 'date-time' },
        ],
      },
    ],
  ])('but not with %s', (_, schema) => {
    expect(compiled(schema)).toBeDefined()
  })
})
