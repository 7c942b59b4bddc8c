import { expect, it } from 'vitest'
import { codecPair } from './differential/compiled-codecs.js'
import { runCases } from './differential/run-cases.js'

it('generated checks, writers and pickers, the interpreter and Ajv agree on random schemas and values', () => {
  const found = runCases(1, (pairs) => pairs < 4000)
  expect(found.faults.join('\n\n')).toBe('')
  expect(found.compiled / found.schemas).toBeGreaterThan(0.6)
  expect(found.picked / found.schemas).toBeGreaterThan(0.08)
  expect(found.valid / found.pairs).toBeGreaterThan(0.2)
})

it.each([
  ['no fields', { type: 'object', properties: {}, additionalProperties: false }],
  ['no more fields', { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false }],
  ['fields that are left out', { type: 'object', properties: {} }],
] as const)('a part that may have %s loses one that is `undefined`, picked or not', (_, part) => {
  const source = { schema: { type: 'object', properties: { part } }, defs: {} }
  const { compiled, unpicked, interpreted } = codecPair(source, 'strip')
  expect(unpicked).toBeDefined()
  for (const codec of [compiled, unpicked, interpreted])
    expect(codec?.decodeValue({ part: { other: undefined } })).toStrictEqual({ ok: true, value: { part: {} } })
})
