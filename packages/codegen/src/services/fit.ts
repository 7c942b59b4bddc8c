import type { Draft } from './draft.js'
import type { Reason } from './reason.js'

/** Result of comparing the type of a schema with a type of the client. */
export interface Fit {
  readonly draft: Draft
  readonly reasons: readonly Reason[]
  /** Number of matched fields. Of two comparisons with the same {@link costOf}, the comparison with more matched fields wins. */
  readonly used: number
}

export const passing: Fit = { draft: { kind: 'pass' }, reasons: [], used: 0 }

export function fitting(draft: Draft): Fit {
  return { draft, reasons: [], used: 0 }
}

/**
 * Creates the result of a comparison with one mismatch. If the weight of the mismatch is `soft`, generated code converts the value with `draft`, and
 * the result codec validates the converted value.
 */
export function failing(reason: Reason, draft: Draft = { kind: 'pass' }): Fit {
  return { draft, reasons: [reason], used: 0 }
}

export function withReasons(fit: Fit, ...more: readonly Reason[]): Fit {
  return { ...fit, reasons: [...fit.reasons, ...more] }
}

export function costOf({ reasons }: Pick<Fit, 'reasons'>): number {
  return reasons.reduce((sum, { weight }) => sum + (weight === 'hard' ? 100 : weight === 'soft' ? 1 : 0), 0)
}

/**
 * Returns the candidate with the fewest mismatches (a `hard` mismatch counts as 100 `soft` ones), and of these the first one with the most matched
 * fields. Returns `undefined` for an empty array.
 */
export function bestFit<Candidate extends Pick<Fit, 'reasons' | 'used'>>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>((best, each) => {
    if (best === undefined) return each
    const difference = costOf(each) - costOf(best)
    return difference < 0 || (difference === 0 && each.used > best.used) ? each : best
  }, undefined)
}

export function joinFits(draft: Draft, fits: readonly Fit[]): Fit {
  return {
    draft,
    reasons: fits.flatMap((fit) => fit.reasons),
    used: fits.reduce((sum, fit) => sum + fit.used, 0),
  }
}
