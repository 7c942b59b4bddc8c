import type { AgentRun } from '../../contract/agent-run.js'
import type { Issue } from '../../contract/issue.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import { FIXED_MESSAGES } from '../../execute/failure/reasons.js'
import { ToolFailure } from '../../execute/failure/tool-failure.js'
import { renderForModel } from '../../execute/render/render-for-model.js'

/**
 * What a call fails with whose run did not come to an end of its own: what the run failed by, so that all it says of the
 * failure (when to come back, what to do next) reaches those above. `undefined` where it did.
 *
 * @param mayRepeat whether the whole run may be made again
 */
export function unendedFailure({ agent, status, stop, error }: AgentRun, mayRepeat: boolean): unknown {
  if (status === 'failed') {
    const { reason = 'internal', message = FIXED_MESSAGES.internal, cause } = error ?? {}
    const failure = new ToolFailure(message, { reason, cause })
    return mayRepeat ? (cause ?? failure) : notRepeatable(failure)
  }
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

/**
 * The failure of the last call of a run, as that of the call which the run served. What was wrong with the arguments of that
 * call is nothing that the caller of this one could correct.
 *
 * @param mayRepeat whether the whole run may be made again
 */
export function lastCallFailure(
  agent: string,
  outcome: Extract<ToolOutcome, { readonly status: 'failed' }>,
  mayRepeat: boolean,
): ToolFailure {
  const { error, hint } = outcome
  const { cause } = error
  switch (hint.reason) {
    case 'missing_fields':
    case 'invalid_arguments':
    case 'unknown_tool': {
      const message = `The agent '${agent}' could not do it. Its last call failed: ${renderForModel(outcome)}`
      return new ToolFailure(message, { reason: 'domain_rejection', action: 'replan', cause })
    }
    default: {
      const failure = Object.assign(new ToolFailure(hint.message, { reason: hint.reason, cause }), {
        action: hint.action,
        // The hint of the outer call hides again what a service answered; its developers' error keeps it.
        ...('issues' in hint && { issues: hint.reason === 'malformed_result' ? error.issues : hint.issues }),
        ...('retryAfterMs' in hint && { retryAfterMs: hint.retryAfterMs }),
      })
      return mayRepeat ? failure : notRepeatable(failure)
    }
  }
}

/** A failure that invites nobody to have done again what has been done. */
function notRepeatable(failure: ToolFailure): ToolFailure {
  const { reason, message, cause } = failure
  if (reason !== 'unavailable' && reason !== 'timeout' && reason !== 'rate_limited') return failure
  return new ToolFailure(message, { reason: reason === 'timeout' ? reason : 'unavailable', action: 'replan', cause })
}
