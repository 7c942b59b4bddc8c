import {
  type BulkheadPolicy,
  bulkhead as bulkheadPolicy,
  CircuitState,
  ConsecutiveBreaker,
  CountBreaker,
  circuitBreaker as circuitBreakerPolicy,
  handleWhenResult,
  isBrokenCircuitError,
} from 'cockatiel'
import { RateLimiter } from 'limiter'
import { sleep } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ToolCallRef } from '../types/tool.js'
import { abortedOutcome, endOf, requireMilliseconds, requireWhole, type StateScope, stateOf } from './backoff.js'

/** Options of `bulkhead`. */
export interface BulkheadOptions {
  /** Maximum number of concurrent calls. */
  readonly concurrent: number
  /** Maximum number of waiting calls. Default 100. */
  readonly queue?: number
  /** Calls that are counted together. Default `layer`: tools mostly share a service. */
  readonly per?: StateScope
}

/**
 * Limits the number of calls that run at a time. Others wait in a queue; if it is full, a call fails at once as `unavailable`.
 * A cancelled call leaves the queue at once. Calls that a running call causes do not wait.
 *
 * @throws {RangeError} when `concurrent` is no whole number from 1 on, or `queue` none from 0 on.
 *
 * @example
 * registration.layer(bulkhead({ concurrent: 4, queue: 20 }))
 */
export function bulkhead({ concurrent, queue = 100, per = 'layer' }: BulkheadOptions): ToolLayer {
  requireWhole('bulkhead: concurrent', concurrent, 1)
  requireWhole('bulkhead: queue', queue, 0)
  const slotsOfTool = stateOf(per, () => new Slots(concurrent, queue))
  return (next) => {
    const slots = slotsOfTool()
    return async (request) => {
      const outcome = await slots.run(request.call, request.meta.signal, () => endOf(next, request))
      if (outcome === 'cancelled') return abortedOutcome(request)
      if (outcome !== 'full') return outcome
      const message = 'Too many calls of the tool are under way.'
      return request.fail(new ToolFailure(message, { reason: 'unavailable', action: 'wait' }))
    }
  }
}

/**
 * Limits for running and waiting calls. cockatiel counts the running ones. It does not queue the others: in its queue a
 * cancelled call stays until a slot is free.
 */
class Slots {
  readonly #policy: BulkheadPolicy
  readonly #queue: number
  readonly #line = new WaitingLine()
  /** Number of running calls per id; ids are unique within a run only. */
  readonly #inside = new Map<string, number>()

  constructor(concurrent: number, queue: number) {
    this.#policy = bulkheadPolicy(concurrent, 0)
    this.#queue = queue
  }

  /**
   * Makes a call when there is room. A call that a running call has caused needs no room: both would wait for each other.
   *
   * @param call never rejects
   * @returns `full` if too many calls wait, `cancelled` if the signal was aborted before
   */
  async run<Value>(
    { toolCallId, parentToolCallId }: ToolCallRef,
    signal: AbortSignal,
    call: () => Promise<Value>,
  ): Promise<Value | 'full' | 'cancelled'> {
    const counted = async (): Promise<Value> => {
      this.#count(toolCallId, 1)
      try {
        return await call()
      } finally {
        this.#count(toolCallId, -1)
      }
    }
    if (signal.aborted) return 'cancelled'
    if (parentToolCallId !== undefined && this.#inside.has(parentToolCallId)) return counted()
    this.#advance()
    const isFree = this.#policy.executionSlots > 0
    if (!isFree && this.#line.length >= this.#queue) return 'full'
    const release = isFree ? this.#take() : await this.#line.wait(signal, () => this.#take())
    if (release === undefined) return 'cancelled'
    // Not made by the call that leaves: the context of asynchronous work is this call's own.
    return counted().finally(release)
  }

  #count(id: string, change: number): void {
    const count = (this.#inside.get(id) ?? 0) + change
    if (count > 0) this.#inside.set(id, count)
    else this.#inside.delete(id)
  }

  /** Takes a free slot. @returns a function that releases it */
  #take(): () => void {
    let release = (): void => undefined
    const held = this.#policy.execute(
      () =>
        new Promise<void>((resolve) => {
          release = resolve
        }),
    )
    held.finally(() => this.#advance())
    return () => release()
  }

  /** Starts a waiting call for each free slot. */
  #advance(): void {
    while (this.#policy.executionSlots > 0 && this.#line.callNext());
  }
}

/** Waiting calls, in order of arrival. A cancelled one leaves at once. */
class WaitingLine {
  readonly #turns = new Set<() => void>()

  get length(): number {
    return this.#turns.size
  }

  /** Waits for the turn, then returns the result of `start`; `undefined` if the signal is aborted first. */
  wait<Value>(signal: AbortSignal, start: () => Value | Promise<Value>): Promise<Value | undefined> {
    if (signal.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const end = (): void => {
        this.#turns.delete(turn)
        signal.removeEventListener('abort', leave)
      }
      const leave = (): void => {
        end()
        resolve(undefined)
      }
      const turn = (): void => {
        end()
        resolve(start())
      }
      this.#turns.add(turn)
      signal.addEventListener('abort', leave)
    })
  }

  /** Starts the call that has waited longest. Returns false if none waits. */
  callNext(): boolean {
    const [turn] = this.#turns
    turn?.()
    return turn !== undefined
  }
}

/** Limit for calls in an interval. `limiter` counts them; calls wait in line until their signal is aborted. */
class Quota {
  readonly #limiter: RateLimiter
  readonly #calls: number
  readonly #perMs: number
  readonly #line = new WaitingLine()
  /** True while a call waits for time to pass; others wait behind it. */
  #hasHead = false

  constructor(calls: number, perMs: number) {
    this.#limiter = new RateLimiter({ tokensPerInterval: calls, interval: perMs })
    this.#calls = calls
    this.#perMs = perMs
  }

  /**
   * Takes one call of the quota.
   *
   * @returns `taken`, `cancelled` if the signal is aborted first, or the wait in milliseconds if it exceeds `maxWaitMs`
   */
  async take(signal: AbortSignal, maxWaitMs: number): Promise<'taken' | 'cancelled' | number> {
    if (signal.aborted) return 'cancelled'
    if (!this.#hasHead && this.#limiter.tryRemoveTokens(1)) return 'taken'
    const waitMs = this.#waitMs()
    if (waitMs > maxWaitMs) return waitMs
    if (this.#hasHead && (await this.#line.wait(signal, () => true)) === undefined) return 'cancelled'
    this.#hasHead = true
    try {
      return (await this.#atHead(signal)) ? 'taken' : 'cancelled'
    } finally {
      this.#hasHead = this.#line.callNext()
    }
  }

  async #atHead(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      if (this.#limiter.tryRemoveTokens(1)) return true
      await sleep(Math.max(1, this.#limiter.getWaitTime(1)), signal)
    }
    return false
  }

  /** Wait of a call that arrives now, in milliseconds, at least 1. */
  #waitMs(): number {
    const ahead = this.#line.length + (this.#hasHead ? 1 : 0)
    const rounds = Math.floor(ahead / this.#calls)
    return Math.max(1, rounds * this.#perMs + this.#limiter.getWaitTime((ahead % this.#calls) + 1))
  }
}

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /** Maximum number of calls that start in `perMs`. */
  readonly calls: number
  /** In milliseconds. */
  readonly perMs: number
  /** A call that would have to wait longer than this, in milliseconds, fails at once. Default 0: none waits. */
  readonly maxWaitMs?: number
  /** Calls that are counted together. Default `layer`: tools mostly share a quota. */
  readonly per?: StateScope
}

/**
 * Keeps calls within a rate. A call over it fails at once as `rate_limited`, with the time until there is room in
 * `retryAfterMs`; with `maxWaitMs` it waits, first come first served, if the wait is no longer than that. Retries beneath
 * the layer are not counted; attach it inside `retry` to count every attempt.
 *
 * @throws {RangeError} when `calls` is no whole number from 1 on, or a time none that a timer can wait.
 *
 * @example
 * registration.layer(rateLimit({ calls: 10, perMs: 1_000, maxWaitMs: 2_000 }))
 */
export function rateLimit({ calls, perMs, maxWaitMs = 0, per = 'layer' }: RateLimitOptions): ToolLayer {
  requireWhole('rateLimit: calls', calls, 1)
  requireWhole('rateLimit: perMs', perMs, 1)
  requireMilliseconds('rateLimit: maxWaitMs', maxWaitMs)
  const quotaOfTool = stateOf(per, () => new Quota(calls, perMs))
  return (next) => {
    const quota = quotaOfTool()
    return async (request) => {
      const taken = await quota.take(request.meta.signal, maxWaitMs)
      if (taken === 'taken') return next(request)
      if (taken === 'cancelled') return abortedOutcome(request)
      const message = 'The limit of calls in a time is reached.'
      return request.fail(new ToolFailure(message, { reason: 'rate_limited', retryAfterMs: taken }))
    }
  }
}

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
