import type { ToolCallRef } from '../contract/call.js'
import type { FailureReason } from '../contract/retry-hint.js'
import type { SessionCall } from '../contract/session.js'
import type { StoredOutcome } from '../contract/suspension.js'
import { failedOutcome } from '../execute/hint/failed-outcome.js'
import type { BoundTool } from '../execute/tool/bound-tool.js'

/** How a session ends a call whose tool does not. */
export interface EndedByUs {
  readonly reason: Extract<FailureReason, 'timeout' | 'interrupted' | 'internal'>
  /** Shown to the model; the reason's own sentence where it is empty. */
  readonly message: string
  /** Absent where there is no such tool any more. */
  readonly tool: BoundTool | undefined
  readonly durationMs: number
}

/** The outcome of a call that its session ends. */
export function endedByUs(call: SessionCall, { reason, message, tool, durationMs }: EndedByUs): StoredOutcome {
  const { provenance, error, hint } = failedOutcome(
    { reason, message },
    { call: refOf(call), ...(tool !== undefined && { tool }), rejected: '', durationMs, attempts: 1 },
  )
  return Object.freeze({ call: refOf(call), provenance, status: 'failed', error, hint })
}

function refOf({ tool, toolCallId, callId }: SessionCall): ToolCallRef {
  return Object.freeze({ tool, toolCallId: toolCallId ?? callId })
}
