import type { AgentRun } from '../../contract/agent-run.js'
import type { Issue } from '../../contract/issue.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { FIXED_MESSAGES } from '../../execute/failure/reasons.js'
import { ToolFailure } from '../../execute/failure/tool-failure.js'

/**
 * What a call fails with whose run did not come to an end of its own: what the run failed by, so that all it says of the
 * failure (when to come back, what to do next) reaches those above. `undefined` where it did.
 */
export function unendedFailure({ agent, status, stop, error }: AgentRun): unknown {
  if (status === 'failed') return error?.cause ?? new ToolFailure(FIXED_MESSAGES.internal, { reason: 'internal' })
  if (status !== 'cancelled') return undefined
  return new ToolFailure(`The agent '${agent}' was stopped.`, { reason: 'cancelled', cause: stop })
}

/** Why a call fails whose run ended without a result that fits. */
export function emptyFailure({ agent, status, stop }: AgentRun, issues: readonly Issue[]): ToolFailure {
  if (status === 'stopped') {
    const message = `The agent '${agent}' was stopped before it had a result (${stop.reason}).`
    return new ToolFailure(message, { reason: 'interrupted' })
  }
  return new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', issues })
}

/** The failure of the last call of a run, as that of the call which the run served. Its example is one of other arguments. */
export function lastCallFailure({ error, hint }: Extract<ToolOutcome, { readonly status: 'failed' }>): ToolFailure {
  const { reason, message, action } = hint
  const failure = new ToolFailure(message, { reason, cause: error.cause })
  return Object.assign(failure, {
    action,
    ...('issues' in hint && { issues: hint.issues }),
    ...('retryAfterMs' in hint && { retryAfterMs: hint.retryAfterMs }),
    ...('near' in hint && { near: hint.near }),
  })
}
