import {
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  fullJitterGenerator,
  type GeneratorFn,
  halfJitterGenerator,
  type IBackoffFactory,
  noJitterGenerator,
} from 'cockatiel'
import { abortFailure } from '../call/call-group.js'
import { GRACE_MS } from '../call/tool-call.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import { retry } from './retry.js'

/**
 * Distribution of waits, so that many callers do not retry at the same moment. `decorrelated` varies around a
 * doubling curve, based on the previous wait; `full` waits 0 to 100 % of the doubled time, `half` 50 to 100 %; `none`
 * exactly that time.
 */
export type Jitter = 'decorrelated' | 'full' | 'half' | 'none'

/** Options of `retryWithBackoff`. */
export interface BackoffOptions {
  /** Maximum number of attempts, including the first. Default 3. */
  readonly attempts?: number
  /** About how long to wait before the first retry, in milliseconds. Default 128. */
  readonly initialMs?: number
  /** The longest wait, in milliseconds; where a hint asks for a longer one, the planner decides. Default 10,000. */
  readonly maxMs?: number
  /** Default `decorrelated`. */
  readonly jitter?: Jitter
}

/**
 * Like `retry`, by the same rules, with waits that grow exponentially and are spread by chance. Where a hint says how
 * long to wait, that counts. Each call has its own sequence of waits.
 *
 * @throws {RangeError} when `attempts` is no whole number from 1 on, a time is none that a timer can
 * wait, or `jitter` is none of the four.
 *
 * @example
 * registration.layer(retryWithBackoff({ attempts: 4, initialMs: 200 }))
 */
export function retryWithBackoff(options: BackoffOptions = {}): ToolLayer {
  const { attempts = 3, initialMs = 128, maxMs = 10_000, jitter = 'decorrelated' } = options
  requireMilliseconds('retryWithBackoff: initialMs', initialMs)
  requireMilliseconds('retryWithBackoff: maxMs', maxMs)
  if (!Object.hasOwn(GENERATORS, jitter)) {
    throw new RangeError(`retryWithBackoff: jitter is '${jitter}', give one of ${Object.keys(GENERATORS).join(', ')}`)
  }
  const limits = { initialDelay: initialMs, maxDelay: maxMs }
  const backoff = new ExponentialBackoff({ generator: GENERATORS[jitter], ...limits })
  retry({ attempts }) // Rejects an invalid number here, not at the first call.
  return (next) => (request) => {
    // A decorrelated wait depends on the previous one of its call.
    let step: IBackoffFactory<unknown> = backoff
    const delayMs = (): number => {
      const wait = step.next(undefined)
      step = wait
      return wait.duration
    }
    return retry({ attempts, maxWaitMs: maxMs, delayMs })(next)(request)
  }
}

const GENERATORS: Readonly<Record<Jitter, GeneratorFn<any>>> = {
  decorrelated: decorrelatedJitterGenerator,
  full: fullJitterGenerator,
  half: halfJitterGenerator,
  none: noJitterGenerator,
}

/**
 * Returns the outcome of a service in every case: for exceptions, and for calls that were cancelled while an inner
 * layer ignored it. Resources held for a call are therefore always released.
 */
export function endOf<Env>(next: ToolService<Env>, request: ToolRequest<Env>): Promise<ToolOutcome> {
  const { signal } = request.meta
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', endLater)
    }
    const endLater = (): void => {
      timer = setTimeout(() => abortedOutcome(request).then(resolve, reject), GRACE_MS)
    }
    if (signal.aborted) endLater()
    else signal.addEventListener('abort', endLater)
    const outcome = async (): Promise<ToolOutcome> => next(request)
    outcome()
      .catch((error: unknown) => request.fail(error))
      .finally(end)
      .then(resolve, reject)
  })
}

/** The outcome of a call that was cancelled, or whose time was over, before its tool was asked. */
export function abortedOutcome(request: ToolRequest): Promise<ToolOutcome> {
  const cause: unknown = request.meta.signal.reason
  const { reason, message } = abortFailure(cause)
  return request.fail(new ToolFailure(message, { reason, cause }))
}

/** @throws {RangeError} when an option is no whole number from `least` on. */
export function requireWhole(option: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`${option} is ${value}: give a whole number from ${least} on`)
  }
}

/** @throws {RangeError} when an option is no time in milliseconds that a timer can wait. */
export function requireMilliseconds(option: string, value: number): void {
  if (!(value >= 0 && value <= 2_147_483_647)) {
    throw new RangeError(`${option} is ${value}: give milliseconds from 0 to 2147483647`)
  }
}

/**
 * Calls that share a counter: `tool` counts each tool separately, with new state wherever the layer is attached;
 * `layer` shares one state among all tools with this layer value.
 */
export type StateScope = 'tool' | 'layer'

/** Gives out state for each tool that a layer is applied to. */
export function stateOf<State>(scope: StateScope, newState: () => State): () => State {
  if (scope === 'tool') return newState
  const shared = newState()
  return () => shared
}
