import { expect, it } from 'vitest'
import { shareDefinitions } from './definitions.js'
import type { Schema } from './json-schema.js'

function document(root: Schema, defs: Record<string, Schema>) {
  return { root, defs: new Map(Object.entries(defs)) }
}

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` })

it('puts definitions of the same name and structure together', () => {
  const shared = shareDefinitions([
    document(ref('A'), { A: { type: 'string' } }),
    document(ref('A'), { A: { type: 'string' } }),
  ])
  expect(shared).toEqual({ roots: [ref('A'), ref('A')], defs: { A: { type: 'string' } } })
})

it('distinguishes definitions that differ, also in nested parts', () => {
  const first = document(ref('A'), { A: { items: ref('B') }, B: { type: 'string' } })
  const second = document(ref('A'), { A: { items: ref('B') }, B: { type: 'number' } })
  expect(shareDefinitions([first, second, first])).toEqual({
    roots: [ref('A'), ref('A2'), ref('A')],
    defs: { A: { items: ref('B') }, A2: { items: ref('B2') }, B: { type: 'string' }, B2: { type: 'number' } },
  })
})

it('recognises recursive definitions whatever the order in which they are met', () => {
  const defs = { A: { items: ref('B') }, B: { items: ref('A') } }
  const turned = { B: { items: ref('A') }, A: { items: ref('B') } }
  const { defs: shared } = shareDefinitions([document(ref('A'), defs), document(ref('B'), turned)])
  expect(shared).toEqual(defs)
})

it('sorts by code point and keeps hostile names', () => {
  const { defs } = shareDefinitions([document(true, JSON.parse('{"b":{},"__proto__":{},"B":{}}'))])
  expect(Object.keys(defs)).toEqual(['B', '__proto__', 'b'])
})
