import type { ToolCallRef } from '../../contract/call.js'
import type { JsonText, JsonValue } from '../../contract/json.js'
import type { Mutable } from '../../contract/mutable.js'
import type { Provenance, ToolError, ToolOutcome } from '../../contract/outcome.js'
import type { KnownFailure } from '../failure/known-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { retryHint } from './retry-hint.js'

/** What is known of a call that failed. */
export interface FailedCall {
  readonly call: ToolCallRef
  /** Absent for an unknown tool. */
  readonly tool?: BoundTool
  /** The arguments as they were sent. */
  readonly rejected: JsonText
  readonly durationMs: number
  readonly attempts: number
  /** The calls that a run beneath made; absent where there was none. */
  readonly children?: readonly ToolCallRef[]
  /** Arguments that the tool takes. */
  readonly example?: JsonValue | undefined
  /** What was thrown, for logs. */
  readonly cause?: unknown
}

/** The outcome of a call that failed. */
export function failedOutcome(failure: KnownFailure, failed: FailedCall): ToolOutcome<never> & { status: 'failed' } {
  const { call, durationMs, attempts, children } = failed
  const hint = retryHint(failure, failed)
  const error: ToolError = { reason: hint.reason, message: hint.message }
  // Not enumerable: an outcome that is logged, stored or shown as JSON tells nothing of it.
  if (failed.cause !== undefined) Object.defineProperty(error, 'cause', { value: failed.cause, enumerable: false })
  const provenance: Mutable<Provenance> = { tool: call.tool, durationMs, attempts }
  if (children !== undefined) provenance.children = children
  Object.freeze(provenance)
  return Object.freeze({ call, provenance, status: 'failed', error: Object.freeze(error), hint: Object.freeze(hint) })
}
