import { expect, it } from 'vitest'
import { toJsonSchema } from './to-json-schema.js'

function faultsOf(schema: unknown): readonly string[] {
  return toJsonSchema(schema, { io: 'input', hint: 'Root' }).diagnostics.map(
    ({ code, message }) => `${code} ${message}`,
  )
}

it.each([
  [{ $ref: '#' }, '`Root` → `Root`'],
  [{ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }, '`a` → `b` → `a`'],
  [{ $ref: '#/$defs/a', $defs: { a: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/a' }] } } }, '`a` → `a`'],
  [{ type: 'object', properties: { a: { $ref: '#/properties/a' } } }, '`A` → `A`'],
])('%j is refused', (schema, loop) => {
  expect(faultsOf(schema)).toEqual([`TG3037 References form a cycle: ${loop}.`])
})

it('recursion through fields and items is no loop', () => {
  const a = {
    type: 'object',
    properties: { next: { $ref: '#/$defs/a' }, all: { type: 'array', items: { $ref: '#' } } },
  }
  expect(faultsOf({ $ref: '#/$defs/a', $defs: { a } })).toEqual([])
})

it('many definitions that refer to each other take no time', () => {
  const names = Array.from({ length: 60 }, (_, index) => `d${index}`)
  const $defs = Object.fromEntries(
    names.map((name, index) => [
      name,
      { allOf: names.slice(index + 1).map((other) => ({ $ref: `#/$defs/${other}` })) },
    ]),
  )
  expect(faultsOf({ $ref: '#/$defs/d0', $defs: { ...$defs, d59: { type: 'string' } } })).toEqual([])
})
