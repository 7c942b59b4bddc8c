import { describe, expect, it } from 'vitest'
import type { Schema } from './json-schema.js'
import { shapeOf } from './read-shape.js'
import { declarationText, typeText } from './type-text.js'

function text(schema: Schema, form: 'sent' | 'read' = 'sent'): string {
  return typeText(shapeOf(schema, { Item: { type: 'object' } }), { form, nameOf: (name) => `${name}Type` })
}

function declared(schema: Schema, form: 'sent' | 'read' = 'sent'): string {
  return declarationText('X', shapeOf(schema, {}), { form, nameOf: (name) => name })
}

const date: Schema = { type: 'string', format: 'date-time', 'x-js': 'Date' }
const bytes: Schema = { type: 'string', contentEncoding: 'base64', 'x-js': 'Uint8Array' }

describe('a type', () => {
  it.each<[Schema, string]>([
    [true, 'unknown'],
    [false, 'never'],
    [{ type: 'integer' }, 'number'],
    [date, 'Date'],
    [{ enum: [true, false] }, 'boolean'],
    [{ enum: [false, 'auto', true, null] }, "boolean | 'auto' | null"],
    [{ enum: [true] }, 'true'],
    [{ type: 'array', items: { enum: [true, false] } }, 'readonly boolean[]'],
    [{ type: 'array', items: { enum: [true, false, 'a'] } }, "readonly (boolean | 'a')[]"],
    [{ type: ['string', 'null'], 'x-js': 'bigint' }, 'bigint | null'],
    [
      { type: 'array', items: { anyOf: [bytes, date, bytes, { type: 'string' }] } },
      'readonly (Uint8Array | Date | string)[]',
    ],
    [{ allOf: [date, { type: 'string', maxLength: 30 }] }, 'Date'],
    [{ allOf: [date, bytes] }, 'never'],
    [{ allOf: [date, { type: 'integer' }] }, 'never'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ const: 'a' }, "'a'"],
    [{ enum: ['a', 1, null, -0] }, "'a' | 1 | null | 0"],
    [
      { const: { a: [1], 'b-c': {} } },
      "{ readonly a: readonly [1]; readonly 'b-c': { readonly [key: string]: never } }",
    ],
    [{ type: 'array', items: { type: 'string' } }, 'readonly string[]'],
    [
      { type: 'array', prefixItems: [{ const: [] }], items: { const: [1] } },
      'readonly [(readonly [])?, ...(readonly [1])[]]',
    ],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, "readonly ('a' | 'b')[]"],
    [{ type: 'array', items: { type: 'array', items: { type: 'null' } } }, 'readonly (readonly null[])[]'],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, { enum: [1, 2] }], minItems: 1 },
      'readonly [string, (1 | 2)?, ...unknown[]]',
    ],
    [{ type: 'array', prefixItems: [{ type: 'string' }], minItems: 1, items: false }, 'readonly [string]'],
    [{ $ref: '#/$defs/Item' }, 'ItemType'],
    [{ type: 'array', items: { $ref: '#/$defs/Item' } }, 'readonly ItemType[]'],
    [{ type: 'object' }, '{ readonly [key: string]: unknown }'],
    [{ type: 'object', additionalProperties: false }, '{ readonly [key: string]: never }'],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ readonly [key: string]: number }'],
    [{ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }, 'string | readonly string[]'],
  ])('of %j is %s', (schema, expected) => {
    expect(text(schema)).toBe(expected)
  })

  it('that is sent accepts undefined where a field may be left out; defaults need not be sent', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' }, c: { type: 'number', default: 1 } },
      required: ['a'],
    }
    expect(text(schema)).toBe(
      '{ readonly a: string; readonly b?: string | undefined; readonly c?: number | undefined }',
    )
    expect(text(schema, 'read')).toBe('{ readonly a: string; readonly b?: string; readonly c: number }')
  })

  it('has an index signature that its own fields fit', () => {
    const schema: Schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'boolean' } },
      required: ['a'],
      additionalProperties: { type: 'number' },
    }
    expect(text(schema, 'read')).toBe(
      '{ readonly a: string; readonly b?: boolean; readonly [key: string]: number | string | boolean | undefined }',
    )
  })

  it('breaks a union that is too long into lines', () => {
    const values = Array.from({ length: 12 }, (_, index) => `a rather long value ${index}`)
    expect(declared({ enum: values })).toBe(`export type X =\n${values.map((value) => `  | '${value}'`).join('\n')}`)
    const field = declared({ type: 'object', properties: { kind: { enum: values } } })
    expect(field.split('\n').slice(0, 3)).toEqual([
      'export interface X {',
      '  readonly kind?:',
      "    | 'a rather long value 0'",
    ])
    expect(field.split('\n').slice(-2)).toEqual(['    | undefined', '}'])
  })

  it('shows descriptions, in nested objects too', () => {
    const schema: Schema = {
      type: 'object',
      properties: {
        lines: {
          type: 'array',
          description: 'What was ordered',
          items: {
            type: 'object',
            properties: { sku: { type: 'string', description: 'Stock number' }, 'unit price': { type: 'number' } },
            required: ['sku'],
          },
        },
      },
      required: ['lines'],
    }
    expect(declared(schema)).toBe(`export interface X {
  /** What was ordered */
  readonly lines: readonly {
    /** Stock number */
    readonly sku: string
    readonly 'unit price'?: number | undefined
  }[]
}`)
  })

  it('breaks a union of described objects into lines', () => {
    const variant = (kind: string): Schema => ({
      type: 'object',
      properties: { kind: { const: kind, description: 'Which one' } },
      required: ['kind'],
    })
    expect(declared({ anyOf: [variant('a'), variant('b')] })).toBe(`export type X =
  | {
      /** Which one */
      readonly kind: 'a'
    }
  | {
      /** Which one */
      readonly kind: 'b'
    }`)
  })

  it('is written in time that grows with its size alone', () => {
    let schema: Schema = { type: 'string' }
    for (let depth = 0; depth < 300; depth += 1) {
      const open: Schema = { type: 'object', properties: { a: schema }, additionalProperties: { type: 'number' } }
      schema = depth % 2 === 0 ? open : { anyOf: [schema, { type: 'null' }] }
    }
    const started = process.cpuUsage()
    expect(text(schema).length).toBeGreaterThan(10_000)
    expect(process.cpuUsage(started).user).toBeLessThan(2_000_000)
  })
})
