import type { KnownFailure } from '../failure/known-failure.js'
import { peek } from '../failure/peek.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'

/** Why an abort ended a call: `timeout` where the abort's reason is a `TimeoutError`, else `cancelled`. */
export function abortFailure(abortReason: unknown): KnownFailure {
  const reason = peek(abortReason, 'name') === 'TimeoutError' ? 'timeout' : 'cancelled'
  return { reason, message: FIXED_MESSAGES[reason] }
}
