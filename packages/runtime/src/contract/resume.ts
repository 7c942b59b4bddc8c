import type { JsonValue } from './json.js'
import type { FailureReason } from './retry-hint.js'

/**
 * What somebody answers to one pending call:
 * - `approve` runs the tool; `deny`, with or without a reason that the model is shown, never does;
 * - `result` is the tool's result, as JSON: the tool is not run;
 * - `failure` lets the call fail: the tool is not run;
 * - `text` answers a question.
 */
export type PendingAnswer =
  | 'approve'
  | 'deny'
  | { readonly decision: 'deny'; readonly reason: string }
  | { readonly result: JsonValue }
  | {
      readonly failure: {
        /** Shown to the model. */
        readonly message: string
        /** Default `domain_rejection`. */
        readonly reason?: FailureReason
      }
    }
  | { readonly text: string }

/**
 * What a suspended run is resumed with: a text where it asks one question, else answers by the ids of its pending calls.
 * Calls without an answer go on waiting.
 *
 * @example
 * support.resume(suspension, { call_17: 'approve', call_18: { decision: 'deny', reason: 'Too expensive.' } })
 */
export type Answers = string | Readonly<Record<string, PendingAnswer>>

/** Remembers which suspensions have been resumed. */
export interface ResumeClaims {
  /**
   * Returns whether the suspension of this id may be resumed: `true` for exactly one caller, `false` where it was resumed
   * before, `'expired'` where the suspension is so old that the claims no longer know. Use claims that your processes share
   * where several of them resume, for example `postgresClaims`.
   *
   * @param suspension `suspendedAt`: when the run was suspended, in milliseconds since the epoch; absent for a suspension of an
   * earlier version
   */
  claim(
    suspensionId: string,
    suspension?: { readonly suspendedAt?: number },
  ): boolean | 'expired' | Promise<boolean | 'expired'>
}

/** Signs suspensions and verifies them, as `signSuspensions` does; implement it where a service keeps the key. */
export interface SuspensionSigner {
  /** Returns the signature of a text. */
  sign(text: string): Promise<string>
  /** Verifies the signature of a text in constant time; `invalid` where the text or the signature was changed. */
  verify(text: string, signature: string): Promise<'valid' | 'invalid' | 'unknown_key'>
}
