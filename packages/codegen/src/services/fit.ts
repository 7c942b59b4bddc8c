import type { Draft } from './draft.js'
import type { Reason } from './reason.js'

/** Result of comparing a shape with a type. */
export interface Fit {
  readonly draft: Draft
  readonly reasons: readonly Reason[]
  /** Number of matched fields; decides between otherwise equal alternatives. */
  readonly used: number
}

/** A fit without any conversion. */
export const passing: Fit = { draft: { kind: 'pass' }, reasons: [], used: 0 }

/** Creates a fit with a conversion and without reasons. */
export function fitting(draft: Draft): Fit {
  return { draft, reasons: [], used: 0 }
}

/** Creates a failed fit. With a soft reason, `draft` is used if the result codec decides at run time. */
export function failing(reason: Reason, draft: Draft = { kind: 'pass' }): Fit {
  return { draft, reasons: [reason], used: 0 }
}

/** Adds reasons to a fit. */
export function withReasons(fit: Fit, ...more: readonly Reason[]): Fit {
  return { ...fit, reasons: [...fit.reasons, ...more] }
}

/** Returns the cost of a fit. A hard reason costs more than all soft ones together. */
export function costOf({ reasons }: Pick<Fit, 'reasons'>): number {
  return reasons.reduce((sum, { weight }) => sum + (weight === 'hard' ? 100 : weight === 'soft' ? 1 : 0), 0)
}

/** Returns the candidate with the lowest cost, then with the most matched fields, then the first. */
export function bestFit<Candidate extends Pick<Fit, 'reasons' | 'used'>>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>((best, each) => {
    if (best === undefined) return each
    const difference = costOf(each) - costOf(best)
    return difference < 0 || (difference === 0 && each.used > best.used) ? each : best
  }, undefined)
}

/** Combines several fits into one with another draft. */
export function joinFits(draft: Draft, fits: readonly Fit[]): Fit {
  return {
    draft,
    reasons: fits.flatMap((fit) => fit.reasons),
    used: fits.reduce((sum, fit) => sum + fit.used, 0),
  }
}
