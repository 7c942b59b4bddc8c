import type { Draft } from './draft.js'
import type { Reason } from './reason.js'

/** The result of a comparison of a shape and a type. */
export interface Fit {
  readonly draft: Draft
  readonly reasons: readonly Reason[]
  /** Number of fields that found their counterpart; decides between alternatives that fit equally well. */
  readonly used: number
}

/** A fit that passes. */
export const passing: Fit = { draft: { kind: 'pass' }, reasons: [], used: 0 }

/** Returns a fit with a draft and nothing to remark. */
export function fitting(draft: Draft): Fit {
  return { draft, reasons: [], used: 0 }
}

/** Returns a fit that fails, or that the result codec must decide by means of `draft`. */
export function failing(reason: Reason, draft: Draft = { kind: 'pass' }): Fit {
  return { draft, reasons: [reason], used: 0 }
}

/** Returns the same fit with further reasons. */
export function withReasons(fit: Fit, ...more: readonly Reason[]): Fit {
  return { ...fit, reasons: [...fit.reasons, ...more] }
}

/** Returns how much counts against a fit: a hard reason more than all soft ones. */
export function costOf({ reasons }: Pick<Fit, 'reasons'>): number {
  return reasons.reduce((sum, { weight }) => sum + (weight === 'hard' ? 100 : weight === 'soft' ? 1 : 0), 0)
}

/** Returns the candidate of least cost, then with the most fields used, then the first. */
export function bestFit<Candidate extends Pick<Fit, 'reasons' | 'used'>>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>((best, each) => {
    if (best === undefined) return each
    const difference = costOf(each) - costOf(best)
    return difference < 0 || (difference === 0 && each.used > best.used) ? each : best
  }, undefined)
}

/** Joins several fits to one with another draft. */
export function joinFits(draft: Draft, fits: readonly Fit[]): Fit {
  return {
    draft,
    reasons: fits.flatMap((fit) => fit.reasons),
    used: fits.reduce((sum, fit) => sum + fit.used, 0),
  }
}
