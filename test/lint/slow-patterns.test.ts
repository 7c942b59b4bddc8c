import { expect, it } from 'vitest'
import { lintText } from './example-design.fixture.js'

/** What is found of a tool with plain schemas of its payload and its result. */
function found(payload: object, result: object = { type: 'object' }) {
  const tool = `run: defineTool({\n description: 'Runs.',\n payload: ${JSON.stringify(payload)},\n result: ${JSON.stringify(result)} })`
  return lintText(tool, { only: ['slow-pattern'] }).diagnostics
}

const slow = { type: 'string', pattern: '^(a+)+$' }
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })

it.each<[string, object]>([
  ['a field within a list', object({ lines: { type: 'array', items: object({ sku: slow }) } })],
  ['a definition', object({ sku: { $ref: '#/$defs/Sku' } }, { $defs: { Sku: slow } })],
  ['the names of fields', object({}, { patternProperties: { '^(a+)+$': true } })],
  ['one of several choices', object({ sku: { anyOf: [{ type: 'integer' }, slow] } })],
])('a slow pattern is found in %s', (_, payload) => {
  expect(found(payload)).toMatchObject([
    {
      code: 'TG8322',
      severity: 'warning',
      message: '`orders.run` has a pattern that is slow in other validators: `^(a+)+$`. (slow-pattern)',
      related: [
        { message: expect.stringContaining('takes a backtracking engine more than half a second to reject "aaaa') },
      ],
    },
  ])
})

it('a slow pattern is found in what is answered, which a server decides', () => {
  expect(found(object({}), object({ sku: slow }))).toMatchObject([
    { message: expect.stringContaining('The result of `orders.run` has a pattern') },
  ])
})

it('patterns with one way to take a text apart are not', () => {
  const quick = { type: 'string', pattern: '^[a-z0-9]+(?:-[a-z0-9]+)*$' }
  expect(found(object({ sku: quick, name: { type: 'string', pattern: '^.+@.+$' } }), quick)).toEqual([])
})
