import { expect, it } from 'vitest'
import { shapeOf } from './read-shape.js'
import { alternativesOf } from './shape-parts.js'

it('a definition that may be itself is what else it may be', () => {
  const defs = {
    a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/b' }] },
    b: { anyOf: [{ $ref: '#/$defs/a' }, { type: 'null' }, { $ref: '#/$defs/b' }] },
  }
  const kinds = alternativesOf(shapeOf({ $ref: '#/$defs/a' }, defs), defs).map(({ kind }) => kind)
  expect(kinds).toEqual(['string', 'null'])
})
