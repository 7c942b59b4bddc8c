import { describe, expect, it } from 'vitest'
import type { IssueFacts } from './issue-messages.js'
import { makeIssue } from './issues.js'

type Constraint = IssueFacts['constraint']
type FactsOf<Name extends Constraint> = Extract<IssueFacts, { readonly constraint: Name }>

/** All that an issue of a constraint may say: a fact that is missing here does not compile. */
interface Full<Name extends Constraint> {
  readonly always: Pick<FactsOf<Name>, RequiredKey<FactsOf<Name>>>
  readonly maybe: Required<Omit<FactsOf<Name>, RequiredKey<FactsOf<Name>>>>
}
type RequiredKey<Facts> = { [Key in keyof Facts]-?: object extends Pick<Facts, Key> ? never : Key }[keyof Facts]

const full: readonly (
  | Full<'missing_field'>
  | Full<'unknown_field'>
  | Full<'invalid_type'>
  | Full<'invalid_enum_value'>
  | Full<'invalid_format'>
  | Full<'invalid_pattern'>
  | Full<'invalid_length'>
  | Full<'invalid_range'>
  | Full<'no_variant_matches'>
)[] = [
  { always: { constraint: 'missing_field', field: 'a' }, maybe: { expected: 'one of "b"', allowed: ['b'], more: 2 } },
  { always: { constraint: 'unknown_field', field: 'a', allowed: ['b'] }, maybe: { more: 2, nearest: 'b' } },
  { always: { constraint: 'invalid_type', expected: ['string'], received: 'null' }, maybe: { format: 'date' } },
  {
    always: { constraint: 'invalid_enum_value', allowed: ['b'], received: 'a' },
    maybe: { more: 2, receivedLength: 300, nearest: 'b' },
  },
  { always: { constraint: 'invalid_format', format: 'date', received: 'a' }, maybe: { receivedLength: 300 } },
  { always: { constraint: 'invalid_pattern', pattern: 'b', received: 'a' }, maybe: { receivedLength: 300 } },
  {
    always: { constraint: 'invalid_length', unit: 'items', received: 3 },
    maybe: { minimum: 4, maximum: 5 },
  },
  {
    always: { constraint: 'invalid_range', received: 3 },
    maybe: { minimum: 4, maximum: 5, exclusiveMinimum: 6, exclusiveMaximum: 7, multipleOf: 8 },
  },
  {
    always: { constraint: 'no_variant_matches', variants: ['A'] },
    maybe: { more: 1, discriminator: { field: 'kind', allowed: ['a'], more: 2 }, nearest: [] },
  },
]

describe('makeIssue', () => {
  it.each(full)('says all facts of $always.constraint, whichever there are', ({ always, maybe }) => {
    const entries = Object.entries(maybe)
    for (let chosen = 0; chosen < 2 ** entries.length; chosen++) {
      const given = Object.fromEntries(entries.filter((_, index) => (chosen & (1 << index)) !== 0))
      const facts: IssueFacts = { ...always, ...given }
      const issue = makeIssue(facts, { path: '/a', message: 'Wrong.', description: 'Why.' })
      expect(issue).toStrictEqual({ path: '/a', ...facts, message: 'Wrong.', description: 'Why.' })
      const [first, ...others] = Object.keys(issue)
      expect([first, ...others.slice(-2)]).toEqual(['path', 'message', 'description'])
    }
  })
})
