import type { KnownFailure } from '../failure/known-failure.js'
import { peek } from '../failure/peek.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'

/** Why an aborted signal ended a call: `timeout` where the reason is a `TimeoutError`, else `cancelled`. */
export function abortFailure(signal: AbortSignal): KnownFailure {
  const reason = peek(signal.reason, 'name') === 'TimeoutError' ? 'timeout' : 'cancelled'
  return { reason, message: FIXED_MESSAGES[reason] }
}
