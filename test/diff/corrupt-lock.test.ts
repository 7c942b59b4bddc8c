import { expect, it } from 'vitest'
import { readContracts } from '../../packages/codegen/src/contracts/contracts.js'

interface Parts {
  readonly defs?: object
  readonly about?: object
  readonly arguments?: unknown
}

/** The text of a lock with one tool. */
function lockWith({ defs = {}, about = { toolName: 't_run' }, ...tool }: Parts): string {
  const run = { about, arguments: { type: 'object' }, result: true, ...tool }
  const t = { namespace: 'default', description: 'T.', defs, tools: { run } }
  return JSON.stringify({ contract: 1, files: {}, toolsets: { t }, agents: {} })
}

/** The end of the sentence "it ...". */
function fault(parts: Parts): string | undefined {
  const reading = readContracts(lockWith(parts))
  return reading.kind === 'corrupt' ? reading.reason : undefined
}

const a = { $ref: '#/$defs/A' }
const around = (schema: object, levels: number): object =>
  JSON.parse('{"items":'.repeat(levels) + JSON.stringify(schema) + '}'.repeat(levels))

it.each<[string, object]>([
  ['itself', { A: a }],
  ['a variant', { A: { anyOf: [a, { type: 'integer' }] } }],
  ['what is excluded', { A: { not: a } }],
  ['a condition', { A: { if: a } }],
  ['another definition', { A: { allOf: [{ $ref: '#/$defs/B' }] }, B: { oneOf: [a, { type: 'string' }] } }],
])('a lock is corrupt whose definition leads back to itself by %s', (_, defs) => {
  expect(fault({ defs })).toBe('must have definitions without a cycle at /toolsets/t/defs')
})

it.each<[string, string, Parts]>([
  ['type', 'one or more of: string,', { arguments: { type: 'bogus' } }],
  ['required', 'an array of names', { arguments: { type: 'object', required: 'id' } }],
  ['pattern', 'a regular expression', { arguments: { pattern: '(' } }],
  ['anyOf', 'an array of at least one schema', { arguments: { anyOf: 7 } }],
  ['arguments', 'an object', { arguments: false }],
  ['toolName', 'a string', { about: { toolName: 7 } }],
  ['examples', 'an array', { about: { toolName: 't_run', examples: 'x' } }],
])('a lock is corrupt with another `%s` than toolgen writes', (key, expected, parts) => {
  expect(fault(parts)).toMatch(new RegExp(`^must have ${expected}.* at /toolsets/t/tools/run/.*${key}$`))
})

it('a lock is corrupt that nests values without end', () => {
  expect(fault({ arguments: around({}, 2000) })).toBe('has more than 1000 nested levels')
  expect(fault({ arguments: around({}, 150) })).toBeUndefined()
})

it('a lock is not corrupt with what libraries write', () => {
  const tuple = { type: 'array', prefixItems: [], items: false }
  const odd = { multipleOf: -2, title: 5, examples: 'x', 'x-more': [] }
  expect(
    fault({ defs: { A: { properties: { inner: a } } }, arguments: { properties: { tuple, odd, a } } }),
  ).toBeUndefined()
})
