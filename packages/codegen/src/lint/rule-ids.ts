import { nearest } from '../diagnostics/near.js'
import { rules } from './rules/rules.js'

/** The ids of all rules, in the order of the docs. */
export const ruleIds: readonly string[] = rules.map(({ id }) => id)

/** What a finding about an id that no rule has says beside its message. */
export interface NearRules {
  readonly next: string
  /** Nearest first; absent where none is. */
  readonly near?: readonly string[]
  /** All rules, in one line. */
  readonly related: readonly { readonly message: string }[]
}

/**
 * The rules that may have been meant, and all that there are.
 *
 * @param otherwise what to do where none is near
 */
export function nearRules(id: string, otherwise: string): NearRules {
  const near = nearest(id, ruleIds)
  return {
    next: near[0] === undefined ? otherwise : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
    related: [{ message: `The rules are ${ruleIds.join(', ')}; \`toolgen explain RULE\` tells more.` }],
  }
}
