import type { Draft } from './draft.js'
import type { Reason } from './reason.js'

export interface Fit {
  readonly draft: Draft
  readonly reasons: readonly Reason[]
  /** Number of matched fields. Decides between comparisons with the same {@link costOf}. */
  readonly used: number
}

export const passing: Fit = { draft: { kind: 'pass' }, reasons: [], used: 0 }

export function fitting(draft: Draft): Fit {
  return { draft, reasons: [], used: 0 }
}

/** If the reason has the weight `soft`, generated code converts the value with `draft`, and the result codec validates the converted value. */
export function failing(reason: Reason, draft: Draft = { kind: 'pass' }): Fit {
  return { draft, reasons: [reason], used: 0 }
}

export function withReasons(fit: Fit, ...more: readonly Reason[]): Fit {
  return { ...fit, reasons: [...fit.reasons, ...more] }
}

export function costOf({ reasons }: Pick<Fit, 'reasons'>): number {
  return reasons.reduce((sum, { weight }) => sum + (weight === 'hard' ? 100 : weight === 'soft' ? 1 : 0), 0)
}

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
