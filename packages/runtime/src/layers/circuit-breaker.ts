import {
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker as circuitBreakerPolicy,
  handleWhenResult,
  isBrokenCircuitError,
} from 'cockatiel'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import { endOf, requireMilliseconds, requireWhole, type StateScope, stateOf } from './backoff.js'

/** Rate of failed calls that opens the circuit. */
interface FailureRate {
  /** Rate between 0 and 1. The circuit opens if the rate of failed calls is higher. */
  readonly above: number
  /** Number of most recent calls from which the rate is computed. The circuit stays closed until there were this many calls. */
  readonly calls: number
}

type Verdict = 'success' | 'failure' | 'nothing'

/** An outcome, and whether it counts as a failure. It is thrown, because the library cockatiel classifies thrown values. */
class JudgedOutcome {
  readonly outcome: ToolOutcome
  readonly verdict: Verdict

  constructor(outcome: ToolOutcome, verdict: Verdict) {
    this.outcome = outcome
    this.verdict = verdict
  }
}

/** Circuit breaker for outcomes. cockatiel's own breaker only handles thrown errors. */
class Breaker {
  readonly #policy: ReturnType<typeof circuitBreakerPolicy>
  readonly #halfOpenAfterMs: number
  #openedAt = 0

  constructor(failures: number | FailureRate, halfOpenAfterMs: number) {
    this.#halfOpenAfterMs = halfOpenAfterMs
    this.#policy = circuitBreakerPolicy(
      handleWhenResult((judged) => judged instanceof JudgedOutcome && judged.verdict === 'failure'),
      {
        halfOpenAfter: halfOpenAfterMs,
        breaker:
          typeof failures === 'number'
            ? new ConsecutiveBreaker(failures)
            : new CountBreaker({ threshold: failures.above, size: failures.calls }),
      },
    )
    this.#policy.onBreak(() => {
      this.#openedAt = Date.now()
    })
  }

  /** Milliseconds until a call may test the service; `undefined` during a test. */
  get retryAfterMs(): number | undefined {
    if (this.#policy.state === CircuitState.HalfOpen) return undefined
    return Math.max(1, this.#openedAt + this.#halfOpenAfterMs - Date.now())
  }

  /** Returns `undefined` if `call` was not run. `call` must never reject. */
  async pass(call: () => Promise<ToolOutcome>): Promise<ToolOutcome | undefined> {
    // The policy would let other calls wait for the test and ignore their signals.
    if (this.#policy.state === CircuitState.HalfOpen) return undefined
    try {
      return (await this.#policy.execute(() => this.#judged(call))).outcome
    } catch (thrown) {
      if (thrown instanceof JudgedOutcome) return thrown.outcome
      if (isBrokenCircuitError(thrown)) return undefined
      throw thrown
    }
  }

  async #judged(call: () => Promise<ToolOutcome>): Promise<JudgedOutcome> {
    const isTest = this.#policy.state !== CircuitState.Closed
    const outcome = await call()
    const verdict = verdictOf(outcome)
    if (verdict !== 'nothing') return new JudgedOutcome(outcome, verdict)
    if (isTest) return new JudgedOutcome(outcome, 'failure')
    // Errors that a closed policy does not handle count neither as failure nor as success.
    throw new JudgedOutcome(outcome, verdict)
  }
}

function verdictOf(outcome: ToolOutcome): Verdict {
  if (outcome.status === 'completed') return 'success'
  if (outcome.status === 'suspended') return 'nothing'
  switch (outcome.hint.reason) {
    case 'unavailable':
    case 'timeout':
    case 'rate_limited':
    case 'internal':
      return 'failure'
    case 'domain_rejection':
      return 'success'
    default:
      return 'nothing'
  }
}

/** Options for `circuitBreaker`. */
export interface CircuitBreakerOptions {
  /** Number of consecutive failures, or rate of failures, that opens the circuit. Default: 5 in a row. */
  readonly failures?: number | FailureRate
  /** Time until an open circuit allows one test call, in milliseconds. Default: 10,000. */
  readonly halfOpenAfterMs?: number
  /** Calls whose failures are counted together. Default: `tool`. */
  readonly per?: StateScope
}

/**
 * Stops calling a service that keeps failing. After too many failures the circuit opens: calls fail at once with the
 * reason `unavailable` and the remaining time in `retryAfterMs`. After that time, one call tests the service while
 * others still fail. The circuit closes if the test succeeds, otherwise it opens again.
 *
 * `unavailable`, `timeout`, `rate_limited` and `internal` count as failures, results and domain rejections as
 * successes. Other outcomes, such as invalid arguments, a denial or a cancellation, do not count; a test with such an
 * outcome opens the circuit again. Attach the layer inside `bulkhead` and `rateLimit`, so that it does not count their
 * rejections.
 *
 * @throws {RangeError} if an option is out of range.
 *
 * @example
 * registration.layer(circuitBreaker({ failures: 3, halfOpenAfterMs: 5_000 }))
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): ToolLayer {
  const { failures = 5, halfOpenAfterMs = 10_000, per = 'tool' } = options
  requireFailures(failures)
  requireMilliseconds('circuitBreaker: halfOpenAfterMs', halfOpenAfterMs)
  const breakerOfTool = stateOf(per, () => new Breaker(failures, halfOpenAfterMs))
  return (next) => {
    const breaker = breakerOfTool()
    return async (request) => {
      const outcome = await breaker.pass(() => endOf(next, request))
      if (outcome !== undefined) return outcome
      const { retryAfterMs } = breaker
      const message = 'The tool has failed repeatedly and is temporarily disabled.'
      return request.fail(new ToolFailure(message, { reason: 'unavailable', action: 'wait', retryAfterMs }))
    }
  }
}

function requireFailures(failures: number | FailureRate): void {
  if (typeof failures === 'number') {
    requireWhole('circuitBreaker: failures', failures, 1)
    return
  }
  requireWhole('circuitBreaker: failures.calls', failures.calls, 1)
  if (!(failures.above > 0 && failures.above < 1)) {
    throw new RangeError(`circuitBreaker: failures.above must be more than 0 and less than 1, but is ${failures.above}`)
  }
}
