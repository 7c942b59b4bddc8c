import {
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker,
  handleWhenResult,
  isBrokenCircuitError,
} from 'cockatiel'
import type { ToolOutcome } from '../contract/outcome.js'

/** Of how many of the last calls may which share fail. */
interface Rate {
  readonly above: number
  readonly calls: number
}

/** What an outcome says of the service. */
type Verdict = 'success' | 'failure' | 'nothing'

/** An outcome as cockatiel's policy sees it. */
class Judged {
  readonly outcome: ToolOutcome
  readonly verdict: Verdict

  constructor(outcome: ToolOutcome, verdict: Verdict) {
    this.outcome = outcome
    this.verdict = verdict
  }
}

/** A circuit breaker over outcomes, which are values: cockatiel's own is over what is thrown. */
export class Breaker {
  readonly #policy: ReturnType<typeof circuitBreaker>
  readonly #halfOpenAfterMs: number
  #openedAt = 0

  constructor(failures: number | Rate, halfOpenAfterMs: number) {
    this.#halfOpenAfterMs = halfOpenAfterMs
    this.#policy = circuitBreaker(
      handleWhenResult((judged) => judged instanceof Judged && judged.verdict === 'failure'),
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
      if (thrown instanceof Judged) return thrown.outcome
      if (isBrokenCircuitError(thrown)) return undefined
      throw thrown
    }
  }

  async #judged(call: () => Promise<ToolOutcome>): Promise<Judged> {
    const isTest = this.#policy.state !== CircuitState.Closed
    const outcome = await call()
    const verdict = verdictOf(outcome)
    if (verdict !== 'nothing') return new Judged(outcome, verdict)
    if (isTest) return new Judged(outcome, 'failure')
    // To a closed policy something thrown that it does not handle is neither a failure nor a success.
    throw new Judged(outcome, verdict)
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
