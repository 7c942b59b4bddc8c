import { expect, it } from 'vitest'
import { meaningOfType, proposalForType } from './type-names.js'

it.each(['datetime', 'function', 'constructor', '__proto__', 'toString', 'strng', ''])(
  '%j has no plain meaning',
  (name) => {
    expect(meaningOfType(name)).toBeUndefined()
  },
)

it.each([
  ['List[int]', "{ type: 'array', items: { type: 'integer' } }"],
  ['ArrayList<String>', "{ type: 'array', items: { type: 'string' } }"],
  ['list[Thing]', "{ type: 'array', items: { ... } }"],
  ['Dict[str, float]', "{ type: 'object', additionalProperties: { type: 'number' } }"],
  ['Map<String, Any>', "{ type: 'object' }"],
  ['string[]', "{ type: 'array', items: { type: 'string' } }"],
  ['DateTime', "{ type: 'string', format: 'date-time' }"],
  ['strng', undefined],
  ['Thing[]', undefined],
])('%s is proposed to be written %s', (name, proposal) => {
  expect(proposalForType(name)).toBe(proposal)
})
