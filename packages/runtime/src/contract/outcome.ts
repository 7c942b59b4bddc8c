import type { ToolCallRef } from './call.js'
import type { Issue } from './issue.js'
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
  /** The model that produced the result, as it calls itself. For an agent's tool: the model that the run asked last. */
  readonly model?: string
  /** The service behind the tool: the client's name in the design, an MCP server, an HTTP API, or an agent. */
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

/**
 * A failure as data, for developers. `reason` and `message` hold nothing that a model may not see. `issues` and `cause` are
 * for logs and are never rendered for a model.
 *
 * @example
 * if (outcome.status === 'failed') for (const { path, constraint } of outcome.error.issues ?? []) log(path, constraint)
 */
export interface ToolError {
  readonly reason: FailureReason
  readonly message: string
  /**
   * The broken constraints with their JSON Pointers and facts: of the arguments, of a result that breaks its contract, or of
   * arguments that a payload adapter changed. At most 100, then `more_issues`. Texts that a service answered or an adapter
   * wrote are replaced with `…`; `cause` has them. Absent where the failure has no issues. Of an outcome that was stored or
   * recorded and read again: those of its hint.
   */
  readonly issues?: readonly Issue[]
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
