import { eachSubschema, mapSubschemas } from '@toolgen/runtime/schema'
import { expect, it } from 'vitest'
import type { SchemaObject } from './json-schema.js'
import { rulesOnly } from './keywords.js'

const schema: SchemaObject = {
  type: 'object',
  description: 'An order',
  properties: { description: { type: 'string', description: 'A field of that name' }, default: true },
  additionalProperties: false,
  allOf: [{ title: 'A part', required: ['default'] }, { not: { const: { description: 'kept' } } }],
  prefixItems: [{}],
  enum: [{ title: 'kept' }],
  examples: [{ type: 'string' }],
}

it('visits every schema directly inside a schema, and only those', () => {
  const visited: string[] = []
  eachSubschema(schema, (_, keys) => visited.push(keys.join('/')))
  expect(visited).toEqual([
    'properties/description',
    'properties/default',
    'additionalProperties',
    'allOf/0',
    'allOf/1',
    'prefixItems/0',
  ])
})

it('replaces the schemas that it visits and leaves the rest', () => {
  const replaced: string[] = []
  const mapped = mapSubschemas(schema, (_, keys) => {
    replaced.push(keys.join('/'))
    return true
  })
  eachSubschema(schema, (_, keys) => expect(replaced).toContain(keys.join('/')))
  expect(mapped).toEqual({
    ...schema,
    properties: { description: true, default: true },
    additionalProperties: true,
    allOf: [true, true],
    prefixItems: [true],
  })
})

it('distinguishes keywords that validate from annotations', () => {
  expect(rulesOnly(schema)).toEqual({
    type: 'object',
    properties: { description: { type: 'string' }, default: true },
    additionalProperties: false,
    allOf: [{ required: ['default'] }, { not: { const: { description: 'kept' } } }],
    prefixItems: [{}],
    enum: [{ title: 'kept' }],
  })
})
