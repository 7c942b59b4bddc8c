import type { Draft } from './draft.js'
import type { Reason } from './reason.js'

/** Result of comparing a shape of the tool with a type of the client. */
export interface Fit {
  readonly draft: Draft
  readonly reasons: readonly Reason[]
  /** Number of matched fields. If several results have the same cost, the one with the most matched fields is used. */
  readonly used: number
}

/** Result of a comparison in which the value matches without a conversion. */
export const passing: Fit = { draft: { kind: 'pass' }, reasons: [], used: 0 }

/** Creates the result of a comparison in which the value matches after the conversion `draft`. */
export function fitting(draft: Draft): Fit {
  return { draft, reasons: [], used: 0 }
}

/**
 * Creates the result of a failed comparison. If the `weight` of the reason is `soft`, the plan can still use the conversion `draft`,
 * because the result codec can validate the value at run time.
 */
export function failing(reason: Reason, draft: Draft = { kind: 'pass' }): Fit {
  return { draft, reasons: [reason], used: 0 }
}

/** Returns a copy of a comparison result with additional reasons. */
export function withReasons(fit: Fit, ...more: readonly Reason[]): Fit {
  return { ...fit, reasons: [...fit.reasons, ...more] }
}

/** Returns the cost of a comparison result: 100 for each reason with the `weight` `hard`, 1 for `soft`, and 0 for `note`. */
export function costOf({ reasons }: Pick<Fit, 'reasons'>): number {
  return reasons.reduce((sum, { weight }) => sum + (weight === 'hard' ? 100 : weight === 'soft' ? 1 : 0), 0)
}

/**
 * Returns the candidate with the lowest cost; `undefined` if there are no candidates. If several candidates have the same cost, prefers the
 * one with the most matched fields, then the first.
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

/** Combines several comparison results into one with the conversion `draft`: joins their reasons, and adds up their matched fields. */
export function joinFits(draft: Draft, fits: readonly Fit[]): Fit {
  return {
    draft,
    reasons: fits.flatMap((fit) => fit.reasons),
    used: fits.reduce((sum, fit) => sum + fit.used, 0),
  }
}
