import { expect, test } from 'vitest'
import { impossiblePart } from './impossible-part.js'
import type { Schema } from './json-schema.js'

const required = (fields: Record<string, Schema>): Schema => ({
  type: 'object',
  properties: fields,
  required: Object.keys(fields),
})

test.each<[string, Schema, readonly string[]]>([
  ['false', false, []],
  ['an enum of nothing', { enum: [] }, []],
  ['a required field', required({ a: required({ b: false }) }), ['a', 'b']],
  ['a required item', { type: 'array', prefixItems: [{ enum: [] }], minItems: 1 }, []],
  ['every variant', { anyOf: [required({ a: false }), required({ b: false })] }, ['a']],
  ['a definition', { $ref: '#/$defs/None' }, []],
  ['a definition beside its twin', required({ a: { $ref: '#/$defs/Some' }, b: { $ref: '#/$defs/None' } }), ['b']],
])('%s can be impossible', (_, schema, part) => {
  expect(impossiblePart(schema, { None: false, Some: true })).toEqual(part)
})

test.each<[string, Schema]>([
  ['anything', true],
  ['an optional field', { type: 'object', properties: { a: false } }],
  ['items that need not be', { type: 'array', items: false }],
  ['one variant of two', { anyOf: [false, { type: 'string' }] }],
  ['a list of itself', { $ref: '#/$defs/Tree' }],
  ['a definition that is missing', { $ref: '#/$defs/toString' }],
])('%s is possible', (_, schema) => {
  const tree = required({ children: { type: 'array', items: { $ref: '#/$defs/Tree' } } })
  expect(impossiblePart(schema, { Tree: tree })).toBeUndefined()
})
