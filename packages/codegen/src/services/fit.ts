import type { Draft } from './draft.js'
import type { Reason } from './reason.js'

/** Result of comparing a shape of the tool with a type of the client. */
export interface Fit {
  readonly draft: Draft
  readonly reasons: readonly Reason[]
  /** Number of matched fields. Among candidates with equal cost, the one with the most matched fields is used. */
  readonly used: number
}

/** A fit without any conversion. */
export const passing: Fit = { draft: { kind: 'pass' }, reasons: [], used: 0 }

/** Creates a fit with a conversion and without reasons. */
export function fitting(draft: Draft): Fit {
  return { draft, reasons: [], used: 0 }
}

/** Creates a failed fit. If the reason is soft, generated code can use `draft`, and the result codec validates the result. */
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

/** Returns the candidate with the lowest cost. Among equals, prefers the most matched fields, then the first candidate. */
export function bestFit<Candidate extends Pick<Fit, 'reasons' | 'used'>>(
  candidates: readonly Candidate[],
): Candidate | undefined {
  return candidates.reduce<Candidate | undefined>((best, each) => {
    if (best === undefined) return each
    const difference = costOf(each) - costOf(best)
    return difference < 0 || (difference === 0 && each.used > best.used) ? each : best
  }, undefined)
}

/** Combines the reasons and matched fields of several fits into one fit with the given draft. */
export function joinFits(draft: Draft, fits: readonly Fit[]): Fit {
  return {
    draft,
    reasons: fits.flatMap((fit) => fit.reasons),
    used: fits.reduce((sum, fit) => sum + fit.used, 0),
  }
}
