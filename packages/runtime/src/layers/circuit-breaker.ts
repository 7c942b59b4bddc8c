import {
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker as circuitBreakerPolicy,
  handleWhenResult,
  isBrokenCircuitError,
} from 'cockatiel'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer, ToolRequest } from '../types/layer.js'
import type { CircuitReport, FailureRate, LimitStore, SharedCircuit } from '../types/limits.js'
import type { ToolOutcome } from '../types/outcome.js'
import { abortedOutcome, endOf, requireMilliseconds, requireWhole, type StateScope, stateOf } from './backoff.js'
import { requireStore, StoreAccess, type StoreOptions, Unreachable, unlessAborted } from './shared-store.js'

type Verdict = 'success' | 'failure' | 'nothing'

class JudgedOutcome {
  readonly outcome: ToolOutcome
  readonly verdict: Verdict

  constructor(outcome: ToolOutcome, verdict: Verdict) {
    this.outcome = outcome
    this.verdict = verdict
  }
}

class OpenCircuit {
  /** `undefined` if a call is testing the service now. */
  readonly retryAfterMs: number | undefined

  constructor(retryAfterMs: number | undefined) {
    this.retryAfterMs = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs))
  }
}

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

  /** `call` must never reject. */
  async pass(call: () => Promise<ToolOutcome>): Promise<ToolOutcome | OpenCircuit> {
    // The policy would let other calls wait for the test and ignore their signals.
    if (this.#policy.state === CircuitState.HalfOpen) return new OpenCircuit(undefined)
    try {
      return (await this.#policy.execute(() => this.#judged(call))).outcome
    } catch (thrown) {
      if (thrown instanceof JudgedOutcome) return thrown.outcome
      if (!isBrokenCircuitError(thrown)) throw thrown
      return new OpenCircuit(this.#openedAt + this.#halfOpenAfterMs - Date.now())
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

class SharedBreaker {
  readonly #store: StoreAccess
  readonly #circuit: Omit<SharedCircuit, 'successes'>
  readonly #per: StateScope
  readonly #local: Breaker | undefined
  /** Successful calls that the next request to the store reports. Counted only if the option `failures` is a failure rate. */
  #successes = 0
  /** The circuit is open in all processes until this time, so calls fail without a request to the store. */
  #openUntil = 0

  constructor(
    store: LimitStore,
    circuit: Omit<SharedCircuit, 'successes'>,
    per: StateScope,
    local: Breaker | undefined,
  ) {
    this.#store = StoreAccess.of(store)
    this.#circuit = circuit
    this.#per = per
    this.#local = local
  }

  async pass(
    call: () => Promise<ToolOutcome>,
    { tool, meta: { signal } }: ToolRequest,
  ): Promise<ToolOutcome | OpenCircuit | Unreachable | 'cancelled'> {
    const openMs = this.#openUntil - performance.now()
    if (openMs > 0) return new OpenCircuit(openMs)
    const circuit = this.#next(tool.id)
    const grant = await unlessAborted(signal, () => this.#store.ask((store) => store.enter(circuit)))
    if (grant === undefined) return 'cancelled'
    if (grant instanceof Unreachable) return this.#local?.pass(call) ?? grant
    if (grant.state === 'open') {
      const { retryAfterMs } = grant
      if (retryAfterMs !== undefined) this.#openUntil = performance.now() + retryAfterMs
      return new OpenCircuit(retryAfterMs)
    }
    const { epoch } = grant
    const report = async (end: CircuitReport['end']): Promise<void> => {
      // The outcome of the call does not depend on the report.
      await this.#store.ask((store) => store.report(this.#next(tool.id), { epoch, end }))
    }
    if (grant.state === 'test') {
      const heartbeat = setInterval(() => void report('running'), circuit.leaseMs / 3)
      const outcome = await call().finally(() => clearInterval(heartbeat))
      await report(verdictOf(outcome) === 'success' ? 'success' : 'failure')
      return outcome
    }
    const outcome = await call()
    const verdict = verdictOf(outcome)
    if (verdict === 'failure') await report('failure')
    else if (verdict === 'success' && typeof circuit.failures !== 'number') this.#successes += 1
    else if (verdict === 'success' && grant.hasFailures) await report('success')
    return outcome
  }

  #next(tool: string): SharedCircuit {
    const successes = this.#successes
    this.#successes = 0
    const name = this.#per === 'tool' ? `${this.#circuit.name}/${tool}` : this.#circuit.name
    return { ...this.#circuit, name, successes }
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

export type CircuitBreakerOptions = BreakerOptions & StoreOptions

interface BreakerOptions {
  /** Number of consecutive failures, or failure rate, that opens the circuit. Default: 5 consecutive failures. */
  readonly failures?: number | FailureRate
  /** Time until an open circuit allows one test call, in milliseconds. Default: 10,000. */
  readonly halfOpenAfterMs?: number
  /** Group of calls that share one circuit. Default: `tool`. */
  readonly per?: StateScope
}

/**
 * Stops calls to a service that fails repeatedly. After too many failures, the circuit opens: calls immediately fail with the reason
 * `unavailable`, and `retryAfterMs` contains the remaining time. After this time, one call tests the service while other calls still fail.
 * The circuit closes if the test succeeds, and opens again if the test fails.
 *
 * Outcomes with the reasons `unavailable`, `timeout`, `rate_limited` and `internal` are failures. Results and domain rejections are
 * successes. The circuit ignores other outcomes, such as invalid arguments, a denial or a cancellation. A test with an ignored outcome
 * opens the circuit again. Attach the layer inside `bulkhead` and `rateLimit`, so that the circuit does not count rejections by these
 * layers.
 *
 * With `store` and `name`, the processes on all machines share the circuit, and only one call in all processes tests the service. If the process of
 * this call exits, another call tests the service after `halfOpenAfterMs`, or after one second if `halfOpenAfterMs` is shorter. Each call needs one
 * round trip to the store. A failed call needs a second round trip.
 *
 * @throws {RangeError} if an option is out of range.
 * @throws {TypeError} if `store` is not a store, or if only one of `store` and `name` is set.
 *
 * @example
 * registration.layer(circuitBreaker({ failures: 3, halfOpenAfterMs: 5_000 }))
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): ToolLayer {
  const { failures = 5, halfOpenAfterMs = 10_000, per = 'tool', store, name, whenUnreachable } = options
  requireStore('circuitBreaker', options)
  requireFailures(failures)
  requireMilliseconds('circuitBreaker: halfOpenAfterMs', halfOpenAfterMs)
  const newBreaker = (): Breaker => new Breaker(failures, halfOpenAfterMs)
  if (store === undefined) return guarded(stateOf<Passage>(per, newBreaker))
  const circuit = { name, failures, halfOpenAfterMs, leaseMs: Math.max(LEAST_LEASE_MS, halfOpenAfterMs) }
  const local = (): Breaker | undefined => (whenUnreachable === 'local' ? newBreaker() : undefined)
  return guarded(stateOf<Passage>(per, () => new SharedBreaker(store, circuit, per, local())))
}

const LEAST_LEASE_MS = 1_000

interface Passage {
  pass(
    call: () => Promise<ToolOutcome>,
    request: ToolRequest,
  ): Promise<ToolOutcome | OpenCircuit | Unreachable | 'cancelled'>
}

function guarded(breakerOfTool: () => Passage): ToolLayer {
  return (next) => {
    const breaker = breakerOfTool()
    return async (request) => {
      const outcome = await breaker.pass(() => endOf(next, request), request)
      if (outcome === 'cancelled') return abortedOutcome(request)
      if (outcome instanceof Unreachable) return outcome.outcome('circuit breaker', request)
      if (!(outcome instanceof OpenCircuit)) return outcome
      const { retryAfterMs } = outcome
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
