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
   * Whether the suspension of this id may be resumed: `true` for exactly one caller. Give one that your processes share
   * where several of them resume, e.g. an insert into a table with a unique key.
   */
  claim(suspensionId: string): boolean | Promise<boolean>
}
