import type { FailureReason } from '../../contract/retry-hint.js'

/** A reason with the action that suits the fact, where it is not the reason's usual one. */
export interface Verdict {
  readonly reason: Exclude<FailureReason, 'missing_fields' | 'invalid_arguments' | 'unknown_tool' | 'interrupted'>
  readonly action?: 'correct_call' | 'replan'
  /** The service may have done the work although there was no proper answer. */
  readonly mayHaveRun?: true
  /** The causes of the error say nothing more exact. */
  readonly isExact?: true
}

/** Facts that mean the same. */
export type Row<Fact> = readonly [verdict: Verdict, ...facts: readonly Fact[]]

/** The service does not take these values. */
export const WRONG_VALUES: Verdict = { reason: 'domain_rejection', action: 'correct_call' }
/** The state of things forbids it. */
export const REJECTED: Verdict = { reason: 'domain_rejection' }
/** Other arguments do not help. */
export const DENIED: Verdict = { reason: 'denied' }
/** The service asks to slow down. */
export const RATE_LIMITED: Verdict = { reason: 'rate_limited' }
/** Nothing answers, or only for the moment not. */
export const UNAVAILABLE: Verdict = { reason: 'unavailable' }
/** No proper answer came; what was asked may have been done. */
export const BROKEN_OFF: Verdict = { reason: 'unavailable', mayHaveRun: true }
/** It took too long. */
export const TIMEOUT: Verdict = { reason: 'timeout' }
/** This side gave up. */
export const CANCELLED: Verdict = { reason: 'cancelled' }
/** The executor speaks to the service wrongly. */
export const INTERNAL: Verdict = { reason: 'internal' }

/** Looks facts up. */
export function verdictsOf<Fact>(rows: readonly Row<Fact>[]): ReadonlyMap<Fact, Verdict> {
  return new Map(rows.flatMap(([verdict, ...facts]) => facts.map((fact): [Fact, Verdict] => [fact, verdict])))
}
