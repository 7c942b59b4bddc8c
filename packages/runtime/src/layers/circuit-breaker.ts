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

/** A share of failed calls that is too high. */
interface FailureRate {
  /** Share between 0 and 1: the circuit opens when more of the calls failed. */
  readonly above: number
  /** Number of latest calls that count; the circuit does not open before there are as many. */
  readonly calls: number
}

type Verdict = 'success' | 'failure' | 'nothing'

/** An outcome as cockatiel's policy sees it. */
class JudgedOutcome {
  readonly outcome: ToolOutcome
  readonly verdict: Verdict

  constructor(outcome: ToolOutcome, verdict: Verdict) {
    this.outcome = outcome
    this.verdict = verdict
  }
}

/** A circuit breaker over outcomes, which are values: cockatiel's own is over what is thrown. */
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

  /** In how many milliseconds a call may test the service; `undefined` when it is being tested. */
  get retryAfterMs(): number | undefined {
    if (this.#policy.state === CircuitState.HalfOpen) return undefined
    return Math.max(1, this.#openedAt + this.#halfOpenAfterMs - Date.now())
  }

  /**
   * Makes a call, if it may be made.
   *
   * @param call never rejects
   * @returns `undefined` where it may not
   */
  async pass(call: () => Promise<ToolOutcome>): Promise<ToolOutcome | undefined> {
    // The policy would let others wait for the end of the test, deaf to their signals.
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
    // To a closed policy something thrown that it does not handle is neither a failure nor a success.
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

/** Options of `circuitBreaker`. */
export interface CircuitBreakerOptions {
  /** Number of consecutive failures, or rate of failures, that opens the circuit. Default 5 in a row. */
  readonly failures?: number | FailureRate
  /** Time before an open circuit lets one test call through, in milliseconds. Default 10,000. */
  readonly halfOpenAfterMs?: number
  /** Calls whose failures are counted together. Default `tool`. */
  readonly per?: StateScope
}

/**
 * Leaves a service alone that keeps failing. After too many failures it is open: calls fail at once as `unavailable`, with
 * the time that is left in `retryAfterMs`. Then one call tests the service, while others still fail; it closes when the
 * test goes well and opens again when not.
 *
 * `unavailable`, `timeout`, `rate_limited` and `internal` count as failures, results and domain rejections as successes.
 * Other ends, such as invalid arguments, a denial or a cancellation, say nothing of the service and do not count; a test
 * that ends so has shown nothing, and the breaker opens again. Attach it inside `bulkhead` and `rateLimit`, whose
 * refusals are not the service's.
 *
 * @throws {RangeError} when a number is out of its bounds.
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
      const message = 'The tool has failed repeatedly and is not tried for the moment.'
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
    throw new RangeError(`circuitBreaker: failures.above is ${failures.above}, give more than 0 and less than 1`)
  }
}
