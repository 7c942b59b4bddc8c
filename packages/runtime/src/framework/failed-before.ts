import type { ToolCall } from '../contract/call.js'
import type { ToolOutcome } from '../contract/outcome.js'
import { classify } from '../execute/failure/classify.js'
import { failedOutcome } from '../execute/hint/failed-outcome.js'

/**
 * The outcome of a call that could not be begun, since the application could not say what it runs with or its session takes
 * no calls: told as if the tool had thrown the error.
 */
export function failedBefore({ tool, toolCallId = '', arguments: rejected }: ToolCall, cause: unknown): ToolOutcome {
  const failed = { call: { tool, toolCallId }, rejected, durationMs: 0, attempts: 0, cause }
  return failedOutcome(classify(cause, Date.now()), failed)
}
