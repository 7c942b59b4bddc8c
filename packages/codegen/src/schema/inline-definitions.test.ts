import { expect, it } from 'vitest'
import { inlineDefinitions } from './schema-document.js'

const defs = new Map([['Short', { type: 'string', maxLength: 5, allOf: [{ minLength: 1 }] }]])

function inlined(root: { readonly [key: string]: string | number }): unknown {
  return inlineDefinitions({ root, defs }, new Set(['Short'])).root
}

it('takes what describes the value from beside the reference', () => {
  expect(inlined({ $ref: '#/$defs/Short', description: 'A code' })).toEqual({
    type: 'string',
    maxLength: 5,
    allOf: [{ minLength: 1 }],
    description: 'A code',
  })
})

it('lets what restricts the value beside the reference restrict it in addition', () => {
  expect(inlined({ $ref: '#/$defs/Short', maxLength: 9 })).toEqual({
    allOf: [{ type: 'string', maxLength: 5, allOf: [{ minLength: 1 }] }],
    maxLength: 9,
  })
})
