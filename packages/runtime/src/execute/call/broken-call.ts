import type { ToolCallRef } from '../../contract/call.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { failedOutcome } from '../hint/failed-outcome.js'

/** The outcome of a call whose clock or source of ids has failed: nothing is known of it but what its caller gave. */
export function brokenCall(call: ToolCallRef, rejected: JsonText, cause: unknown): ToolOutcome {
  const failure = { reason: 'internal', message: FIXED_MESSAGES.internal } as const
  return failedOutcome(failure, { call, rejected, durationMs: 0, attempts: 0, cause })
}
