import { peek } from '../failure/peek.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'

/** Why an aborted signal ended a call: `timeout` where the reason is a `TimeoutError`, else `cancelled`. */
export function abortFailure(signal: AbortSignal): ToolFailure {
  const reason = peek(signal.reason, 'name') === 'TimeoutError' ? 'timeout' : 'cancelled'
  return new ToolFailure(FIXED_MESSAGES[reason], { reason })
}
