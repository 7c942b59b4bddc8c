import { eachSubschema, mapSubschemas } from '@toolgen/runtime/schema'
import { expect, it } from 'vitest'

const schema = {
  items: [{ title: 'first' }, true],
  additionalItems: { title: 'rest' },
  dependencies: { a: ['b'], c: { title: 'with c' } },
  definitions: { D: { title: 'definition' } },
  properties: { properties: { title: 'field' } },
  allOf: [{ title: 'part' }],
  enum: [{ title: 'data' }],
  unknown: { title: 'data' },
}

it('finds schemas where any draft puts them, and nowhere else', () => {
  const found: string[] = []
  eachSubschema(schema, (_, keys) => found.push(keys.join('/')))
  expect(found).toEqual([
    'items/0',
    'items/1',
    'additionalItems',
    'dependencies/c',
    'definitions/D',
    'properties/properties',
    'allOf/0',
  ])
})

it('replaces them and leaves everything else alone', () => {
  expect(mapSubschemas(schema, () => false)).toEqual({
    items: [false, false],
    additionalItems: false,
    dependencies: { a: ['b'], c: false },
    definitions: { D: false },
    properties: { properties: false },
    allOf: [false],
    enum: [{ title: 'data' }],
    unknown: { title: 'data' },
  })
})
