import type { ToolCallRef } from './call.js'
import type { JsonText, JsonValue } from './json.js'
import type { FailureReason, RetryHint } from './retry-hint.js'
import type { Acknowledgement } from './session.js'
import type { FinalSignal } from './stop-signal.js'
import type { CallSuspension } from './suspension.js'

/** Where a result comes from and what it cost. */
export interface Provenance {
  /** The tool's id. */
  readonly tool: string
  /** From the start of the call to its end, in milliseconds. */
  readonly durationMs: number
  /** How often the executor was tried. */
  readonly attempts: number
  readonly model?: string
  readonly service?: string
  /** The calls that a nested run made. */
  readonly children?: readonly ToolCallRef[]
  readonly extra?: Readonly<Record<string, JsonValue>>
}

/** A result with where it came from. `data` is the declared value, before a result adapter. */
export interface ProvenancedResult<Result = unknown> {
  readonly data: Result
  readonly provenance: Provenance
}

/** A failure as data. Neither field may hold what was not meant for a model to see, except `cause`. */
export interface ToolError {
  readonly reason: FailureReason
  readonly message: string
  /** What was thrown, for logs; never rendered for a model and never enumerable. */
  readonly cause?: unknown
}

/** How a call ended. */
export type ToolOutcome<Result = unknown> = {
  readonly call: ToolCallRef
  readonly provenance: Provenance
  /** Ends the run of this call with a final value; the outermost layer that sets it counts. */
  readonly stop?: FinalSignal
} & (
  | {
      readonly status: 'completed'
      readonly result: ProvenancedResult<Result>
      /** The encoded result after the result adapter: what a model reads. */
      readonly json: JsonText
      /** Present where the tool goes on in a session: this stands in place of the result, which is still to come. */
      readonly acknowledgement?: Acknowledgement
    }
  | { readonly status: 'failed'; readonly error: ToolError; readonly hint: RetryHint }
  | { readonly status: 'suspended'; readonly suspension: CallSuspension }
)
