import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Schema } from './json-schema.js'
import { resolveShape, shapeOf } from './read-shape.js'
import type { Shape } from './shape.js'

/** Returns a shape without the schemas from which it was read. */
function bare(shape: Shape): unknown {
  return JSON.parse(JSON.stringify(shape, (key, value) => (key === 'schema' ? undefined : value)))
}

function read(schema: Schema, defs: Record<string, Schema> = {}): unknown {
  return bare(shapeOf(schema, defs))
}

describe('scalars', () => {
  it('reads every type', () => {
    expect(read({ type: 'string' })).toEqual({ kind: 'string' })
    expect(read({ type: 'number' })).toEqual({ kind: 'number', integer: false })
    expect(read({ type: 'integer' })).toEqual({ kind: 'number', integer: true })
    expect(read({ type: 'boolean' })).toEqual({ kind: 'boolean' })
    expect(read({ type: 'null' })).toEqual({ kind: 'null' })
    expect(read({})).toEqual({ kind: 'unknown' })
    expect(read(true)).toEqual({ kind: 'unknown' })
    expect(read(false)).toEqual({ kind: 'never' })
    expect(read({ not: {} })).toEqual({ kind: 'never' })
  })

  it('reads a list of types as a union', () => {
    expect(read({ type: ['string', 'null'] })).toEqual({
      kind: 'union',
      variants: [{ kind: 'string' }, { kind: 'null' }],
    })
  })

  it('reads enum and const as literals of the declared type', () => {
    expect(read({ enum: ['a', 1, null] })).toEqual({ kind: 'literals', values: ['a', 1, null] })
    expect(read({ type: 'string', enum: ['a', 1] })).toEqual({ kind: 'literals', values: ['a'] })
    expect(read({ const: { a: [0] } })).toEqual({ kind: 'literals', values: [{ a: [0] }] })
    expect(read({ const: 'a', enum: ['b'] })).toEqual({ kind: 'never' })
    expect(read({ enum: [] })).toEqual({ kind: 'never' })
  })

  it('keeps the schema with what its parts say', () => {
    const shape = shapeOf({ allOf: [{ type: 'string', format: 'date-time' }], description: 'When' }, {})
    expect(shape.schema).toMatchObject({ format: 'date-time', description: 'When' })
  })
})

describe('arrays and tuples', () => {
  it('reads items', () => {
    expect(read({ type: 'array', items: { type: 'string' } })).toEqual({ kind: 'array', items: { kind: 'string' } })
    expect(read({ type: 'array' })).toEqual({ kind: 'array', items: { kind: 'unknown' } })
  })

  it('reads prefix items with how many must be there and what may follow', () => {
    const prefixItems = [{ type: 'string' }, { type: 'number' }]
    const items = [{ kind: 'string' }, { kind: 'number', integer: false }]
    expect(read({ type: 'array', prefixItems, items: false, minItems: 1 })).toEqual({
      kind: 'tuple',
      items,
      required: 1,
    })
    expect(read({ type: 'array', prefixItems, maxItems: 2, minItems: 5 })).toEqual({
      kind: 'tuple',
      items,
      required: 2,
    })
    const rest = { kind: 'boolean' }
    expect(read({ type: 'array', prefixItems, items: { type: 'boolean' } })).toEqual({
      kind: 'tuple',
      items,
      required: 0,
      rest,
    })
  })
})

describe('objects', () => {
  it('reads fields in declared order, with default and description', () => {
    const schema: Schema = {
      type: 'object',
      properties: { b: { type: 'string', description: 'B' }, a: { type: 'integer', default: 1 } },
      required: ['b'],
    }
    expect(read(schema)).toEqual({
      kind: 'object',
      fields: [
        { name: 'b', shape: { kind: 'string' }, required: true, description: 'B' },
        { name: 'a', shape: { kind: 'number', integer: true }, required: false, default: 1 },
      ],
    })
  })

  it('finds the default in the definition that a field refers to', () => {
    const schema: Schema = { type: 'object', properties: { a: { $ref: '#/$defs/A' } } }
    expect(read(schema, { A: { type: 'string', default: 'x' } })).toMatchObject({
      fields: [{ name: 'a', default: 'x' }],
    })
  })

  it('distinguishes closed objects, records, open objects and free-form objects', () => {
    expect(read({ type: 'object', properties: {} })).toEqual({ kind: 'object', fields: [] })
    expect(read({ type: 'object', additionalProperties: false })).toEqual({ kind: 'object', fields: [] })
    const strings = { kind: 'object', fields: [], additional: { kind: 'string' } }
    expect(read({ type: 'object', additionalProperties: { type: 'string' } })).toEqual(strings)
    expect(
      read({ type: 'object', patternProperties: { '^x': { type: 'string' } }, additionalProperties: false }),
    ).toEqual(strings)
    expect(read({ type: 'object' })).toEqual({ kind: 'object', fields: [], additional: { kind: 'unknown' } })
  })

  it('reads a record over listed keys as fields', () => {
    const schema: Schema = {
      type: 'object',
      propertyNames: { enum: ['a', 'b'] },
      additionalProperties: { type: 'number' },
      required: ['a'],
    }
    const shape = { kind: 'number', integer: false }
    const fields = [
      { name: 'a', shape, required: true },
      { name: 'b', shape, required: false },
    ]
    expect(read(schema)).toEqual({ kind: 'object', fields })
  })

  it('adds what is required but not declared', () => {
    expect(read({ type: 'object', properties: {}, required: ['a'] })).toEqual({
      kind: 'object',
      fields: [{ name: 'a', shape: { kind: 'unknown' }, required: true }],
    })
  })
})

describe('unions', () => {
  it('puts literals and equal scalars together, drops never, gives way to unknown', () => {
    expect(read({ anyOf: [{ const: 'a' }, { const: 'b' }, { const: 'a' }] })).toEqual({
      kind: 'literals',
      values: ['a', 'b'],
    })
    expect(read({ anyOf: [{ type: 'string', format: 'date' }, { type: 'string' }] })).toEqual({ kind: 'string' })
    expect(read({ anyOf: [{ type: 'string' }, false] })).toEqual({ kind: 'string' })
    expect(read({ anyOf: [{ type: 'string' }, {}] })).toEqual({ kind: 'unknown' })
  })

  it('forgets the format on which two strings differ', () => {
    expect(shapeOf({ oneOf: [{ type: 'string', format: 'date' }, { type: 'string' }] }, {}).schema).not.toHaveProperty(
      'format',
    )
  })

  const cat: Schema = {
    type: 'object',
    properties: { kind: { const: 'cat' }, lives: { type: 'integer' } },
    required: ['kind'],
  }
  const dog: Schema = { type: 'object', properties: { kind: { const: 'dog' } }, required: ['kind'] }

  it('finds the discriminator, also behind references', () => {
    expect(read({ oneOf: [cat, dog] })).toMatchObject({ kind: 'union', discriminator: 'kind' })
    expect(read({ oneOf: [{ $ref: '#/$defs/Cat' }, dog] }, { Cat: cat })).toMatchObject({ discriminator: 'kind' })
    expect(read({ oneOf: [cat, cat] })).not.toHaveProperty('discriminator')
  })

  it('keeps a discriminated union together beside null', () => {
    expect(read({ anyOf: [{ oneOf: [cat, dog] }, { type: 'null' }] })).toMatchObject({
      kind: 'union',
      variants: [{ kind: 'union', discriminator: 'kind' }, { kind: 'null' }],
    })
  })
})

describe('intersections', () => {
  it('merges the fields of objects', () => {
    const a: Schema = { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] }
    const b: Schema = { type: 'object', properties: { x: { type: 'integer' }, y: { type: 'string' } } }
    expect(read({ allOf: [a, { $ref: '#/$defs/B' }] }, { B: b })).toEqual({
      kind: 'object',
      fields: [
        { name: 'x', shape: { kind: 'number', integer: true }, required: true },
        { name: 'y', shape: { kind: 'string' }, required: false },
      ],
    })
  })

  it('distributes an object over the variants beside it', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    }
    expect(read(schema)).toMatchObject({
      kind: 'union',
      variants: [
        {
          fields: [
            { name: 'a', required: true },
            { name: 'b', required: false },
          ],
        },
        {
          fields: [
            { name: 'a', required: false },
            { name: 'b', required: true },
          ],
        },
      ],
    })
  })

  it('is never when nothing fits both', () => {
    expect(read({ allOf: [{ type: 'string' }, { type: 'number' }] })).toEqual({ kind: 'never' })
    expect(read({ type: 'string', allOf: [{ enum: [1, 'a'] }] })).toEqual({ kind: 'literals', values: ['a'] })
  })

  it('stays an intersection where a definition would be merged into itself', () => {
    const defs: Record<string, Schema> = {
      A: { allOf: [{ $ref: '#/$defs/A' }, { type: 'object', properties: { x: {} } }] },
    }
    expect(read({ allOf: [{ $ref: '#/$defs/A' }, { type: 'object', properties: {} }] }, defs)).toMatchObject({
      kind: 'intersection',
    })
  })
})

describe('references', () => {
  it('stay references', () => {
    expect(read({ $ref: '#/$defs/a~1b', description: 'x' })).toEqual({ kind: 'ref', name: 'a/b' })
    expect(read({ allOf: [{ $ref: '#/$defs/A' }], description: 'x' })).toEqual({ kind: 'ref', name: 'A' })
  })

  it('are resolved on demand; a circle of references is unknown', () => {
    const defs: Record<string, Schema> = { A: { $ref: '#/$defs/B' }, B: { type: 'string' }, C: { $ref: '#/$defs/C' } }
    expect(resolveShape(shapeOf({ $ref: '#/$defs/A' }, defs), defs).kind).toBe('string')
    expect(resolveShape(shapeOf({ $ref: '#/$defs/C' }, defs), defs).kind).toBe('unknown')
    expect(resolveShape(shapeOf({ $ref: '#/$defs/constructor' }, defs), defs).kind).toBe('unknown')
  })

  it('end, however often merged definitions refer to each other', () => {
    const defs: Record<string, Schema> = {}
    for (let level = 0; level < 30; level += 1) {
      const next: Schema = { allOf: [{ $ref: `#/$defs/L${level + 1}` }, { type: 'object', properties: { extra: {} } }] }
      defs[`L${level}`] = { type: 'object', properties: { left: next, right: next } }
    }
    defs.L30 = { type: 'object', properties: {} }
    expect(
      read({ allOf: [{ $ref: '#/$defs/L0' }, { type: 'object', properties: { extra: {} } }] }, defs),
    ).toMatchObject({ kind: 'object' })
  })
})

it('keeps every name of a field, whatever it is', () => {
  const hostile = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', '', '*/', '\u2028'), fc.string())
  fc.assert(
    fc.property(fc.uniqueArray(hostile, { maxLength: 5 }), (names) => {
      const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
      const shape = shapeOf({ type: 'object', properties, required: names }, {})
      const fields = shape.kind === 'object' ? shape.fields : []
      expect(fields.map(({ name }) => name)).toEqual(Object.keys(properties))
      expect(fields.every(({ shape: field, required }) => field.kind === 'string' && required)).toBe(true)
    }),
  )
})
