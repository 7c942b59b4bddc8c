import { describe, expect, it } from 'vitest'
import { payloadCodec } from '../codec/codecs.js'
import { isToolgenError } from '../is-toolgen-error.js'
import type { JsonSchema } from '../types/json.js'

function faultOf(schema: JsonSchema): string {
  try {
    payloadCodec({ schema }).decode('null')
  } catch (error) {
    if (isToolgenError(error, 'SchemaError')) return error.message
    throw error
  }
  return 'none'
}

describe('a faulty schema is refused on first use, with the place of the fault', () => {
  it.each<[string, JsonSchema]>([
    ['Schema at /properties/a/pattern: "(" is not a regular expression.', { properties: { a: { pattern: '(' } } }],
    ['Schema at /patternProperties/[: "[" is not a regular expression.', { patternProperties: { '[': true } }],
    ['Schema at /minLength: `minLength` must be an integer of at least 0.', { minLength: '3' }],
    ['Schema at /items: a schema must be an object, `true` or `false`.', { items: [{}] }],
    [
      'Schema at /properties/a/required: `required` must be an array of strings.',
      { properties: { a: { required: true } } },
    ],
    ['Schema at /anyOf: `anyOf` must be an array with at least one item.', { anyOf: [] }],
    ['Schema at /oneOf: `oneOf` must be an array with at least one item.', { oneOf: [] }],
    ['Schema at /items/enum: `enum` must be an array with at least one item.', { items: { enum: [] } }],
    [
      'Schema at /type: "dict" is not a JSON type; use one of string, number, integer, boolean, null, array, object.',
      { type: 'dict' },
    ],
    ['Schema at /multipleOf: `multipleOf` must be greater than 0.', { multipleOf: 0 }],
    ['Schema at /not: the reference `#/$defs/x` has no target.', { not: { $ref: '#/$defs/x' } }],
    [
      'Schema at /$defs/a~1b: the reference `#nowhere` has no target.',
      { $ref: '#/$defs/a~1b', $defs: { 'a/b': { $ref: '#nowhere' } } },
    ],
    [
      'Schema at its root: the reference `https://example.com/s` leads to another document; copy its schema into `$defs`.',
      { $ref: 'https://example.com/s' },
    ],
    ['Schema at its root: the schema refers to itself without a property or item in between.', { $ref: '#' }],
    [
      'Schema at /$defs/a: the schema refers to itself without a property or item in between.',
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/b' }] }, b: { not: { $ref: '#/$defs/a' } } } },
    ],
  ])('%s', (message, schema) => {
    expect(faultOf(schema)).toBe(message)
  })

  it('also where it is nested beyond all reason, or contains itself as a value', () => {
    let deep: JsonSchema = {}
    for (let level = 0; level < 100_000; level++) deep = { items: deep }
    expect(faultOf(deep)).toContain('nested deeper')
    const cyclic: Record<string, unknown> = {}
    cyclic.items = cyclic
    expect(faultOf(cyclic)).toContain('contains itself')
  })

  it('except long chains of references through a value', () => {
    const $defs: Record<string, JsonSchema> = { d2000: { type: 'string' } }
    for (let index = 0; index < 2000; index++) $defs[`d${index}`] = { items: { $ref: `#/$defs/d${index + 1}` } }
    expect(faultOf({ $ref: '#/$defs/d0', $defs })).toBe('none')
  })

  it('and recursion into the value', () => {
    expect(faultOf({ items: { $ref: '#' } })).toBe('none')
    expect(faultOf({ $id: 'https://example.com/tree', properties: { next: { $ref: 'tree' } } })).toBe('none')
  })
})
