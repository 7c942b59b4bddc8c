import Type from 'typebox'
import { describe, expect, it } from 'vitest'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'

function read(schema: unknown, io: 'input' | 'output' = 'input') {
  return toJsonSchema(schema, { io, hint: 'Root' })
}

describe('TypeBox', () => {
  it('is read as the plain JSON Schema it is', () => {
    const schema = Type.Object({
      id: Type.String({ format: 'uuid', description: 'Which' }),
      limit: Type.Integer({ minimum: 1, default: 20 }),
      note: Type.Optional(Type.Union([Type.String(), Type.Null()])),
      kind: Type.Enum(['a', 'b']),
      pair: Type.Tuple([Type.String(), Type.Number()]),
      tags: Type.Record(Type.String(), Type.Number()),
      both: Type.Intersect([Type.Object({ a: Type.String() }), Type.Object({ b: Type.String() })]),
    })
    const { value, diagnostics } = read(schema)
    expect(diagnostics).toEqual([])
    expect(value?.refinements).toEqual([])
    expect(value?.root).toMatchObject({
      required: ['id', 'limit', 'kind', 'pair', 'tags', 'both'],
      properties: {
        id: { type: 'string', format: 'uuid', description: 'Which' },
        limit: { type: 'integer', minimum: 1, default: 20 },
        note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        kind: { enum: ['a', 'b'] },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false, minItems: 2 },
        tags: { type: 'object', patternProperties: { '^.*$': { type: 'number' } } },
        both: { allOf: [{ required: ['a'] }, { required: ['b'] }] },
      },
    })
  })

  it('may refer to itself', () => {
    const list = Type.Cyclic({ Item: Type.Object({ next: Type.Optional(Type.Ref('Item')) }) }, 'Item')
    const { value, diagnostics } = read(list)
    expect(diagnostics).toEqual([])
    expect(value?.root).toEqual({ $ref: '#/$defs/Item' })
    expect(value?.defs.get('Item')).toMatchObject({ properties: { next: { $ref: '#/$defs/Item' } } })
  })

  it('is refused with what JSON cannot carry, with the place', () => {
    const schema = Type.Object({ a: Type.Object({ b: Type.BigInt() }), c: Type.Undefined() })
    expect(read(schema).diagnostics).toMatchObject([
      { code: 'TG3004', trail: ['a', 'b'], message: expect.stringContaining('a bigint at /a/b') },
      { code: 'TG3004', trail: ['c'] },
    ])
  })

  it('has its refinements found, and its codecs refused', () => {
    const refined = Type.Object({ a: Type.Refine(Type.String(), (text) => text !== 'x') })
    expect(read(refined).value?.refinements).toEqual([['a']])
    const codec = Type.Codec(Type.String())
      .Decode((text) => text.length)
      .Encode((length) => 'x'.repeat(length))
    expect(read(Type.Object({ a: codec })).diagnostics).toMatchObject([{ code: 'TG3005', trail: ['a'] }])
    expect(read(Type.Object({ a: codec }), 'output').diagnostics).toMatchObject([{ code: 'TG3005', trail: ['a'] }])
  })
})
