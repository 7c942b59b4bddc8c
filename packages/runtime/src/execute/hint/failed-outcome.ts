import type { ToolCallRef } from '../../contract/call.js'
import type { JsonText, JsonValue } from '../../contract/json.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { KnownFailure } from '../failure/known-failure.js'
import { type CallCost, callProvenance } from '../result/provenance-detail.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { retryHint } from './retry-hint.js'
import { toolError } from './tool-error.js'

/** What is known of a call that failed. */
export interface FailedCall extends CallCost {
  readonly call: ToolCallRef
  /** Absent for an unknown tool. */
  readonly tool?: BoundTool
  /** The arguments as they were sent. */
  readonly rejected: JsonText
  /** Arguments that the tool takes. */
  readonly example?: JsonValue | undefined
  /** What was thrown, for logs. */
  readonly cause?: unknown
}

/** The outcome of a call that failed. */
export function failedOutcome(failure: KnownFailure, failed: FailedCall): ToolOutcome<never> & { status: 'failed' } {
  const { call, tool, cause } = failed
  const hint = retryHint(failure, failed)
  const error = toolError(hint, failure, cause)
  const provenance = callProvenance(call.tool, tool?.executor, failed)
  return Object.freeze({ call, provenance, status: 'failed', error, hint: Object.freeze(hint) })
}
