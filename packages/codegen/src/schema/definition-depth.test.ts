import { expect, it } from 'vitest'
import { toJsonSchema } from './to-json-schema.js'

/** Returns a schema whose definitions form a chain: each one references the next. */
function row(length: number, more: object = {}): object {
  const ref = (index: number) => ({ $ref: `#/$defs/S${index}` })
  const fields = Array.from({ length: length - 1 }, (_, index) => [
    `S${index}`,
    { type: 'object', properties: { next: ref(index + 1) } },
  ])
  const $defs = Object.fromEntries([
    ...fields,
    [`S${length - 1}`, { type: 'string', minLength: 1, description: 'Last.' }],
  ])
  return { type: 'object', properties: { first: ref(0), ...more }, $defs }
}

const faultsOf = (schema: object) => toJsonSchema(schema, { io: 'input', hint: 'Root' }).diagnostics

it('definitions may stand within each other a thousand levels deep', () => {
  expect(faultsOf(row(1_001))).toEqual([])
})

it.each([1_100, 20_000])('the first of %i definitions that is too deep is reported', (length) => {
  expect(faultsOf(row(length))).toMatchObject([
    {
      code: 'TG3014',
      message: 'The definition `S1001` is nested within more than 1000 other definitions.',
      trail: ['$defs', 'S1001'],
    },
  ])
})

it('the shortest way to a definition counts, and there may be any number of them', () => {
  expect(faultsOf(row(1_900, { middle: { $ref: '#/$defs/S950' } }))).toEqual([])
})
