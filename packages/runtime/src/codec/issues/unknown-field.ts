import type { Choices } from './choices.js'
import type { IssueFacts } from './facts.js'

/** The facts of a field that must not be there. */
export function unknownFieldFacts(field: string, choices: Choices<string>, nearest: string | undefined): IssueFacts {
  const listed = choices.listed(nearest)
  const { allowed } = listed
  if (listed.more === undefined) {
    // Written out: most issues of this kind are of one of these two layouts.
    if (nearest === undefined) return { constraint: 'unknown_field', field, allowed }
    return { constraint: 'unknown_field', field, allowed, nearest }
  }
  const facts = { constraint: 'unknown_field', field, ...listed } as const
  return nearest === undefined ? facts : { ...facts, nearest }
}
