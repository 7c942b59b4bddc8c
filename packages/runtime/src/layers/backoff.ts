import {
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  fullJitterGenerator,
  halfJitterGenerator,
  type IBackoffFactory,
  noJitterGenerator,
} from 'cockatiel'
import { abortFailure } from '../call/call-group.js'
import { GRACE_MS } from '../call/tool-call.js'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolLayer, ToolRequest, ToolService } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import { retry } from './built-in.js'

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
  const newDelays = delaysOf(jitter, { initialDelay: initialMs, maxDelay: maxMs })
  retry({ attempts }) // Refuses what is no number of attempts here, not at the first call.
  return (next) => (request) => retry({ attempts, maxWaitMs: maxMs, delayMs: newDelays() })(next)(request)
}

/** The waits of one call, one after the other. */
type Delays = () => number

interface Limits {
  readonly initialDelay: number
  readonly maxDelay: number
}

const backoffs: Readonly<Record<Jitter, (limits: Limits) => IBackoffFactory<unknown>>> = {
  decorrelated: (limits) => new ExponentialBackoff({ generator: decorrelatedJitterGenerator, ...limits }),
  full: (limits) => new ExponentialBackoff({ generator: fullJitterGenerator, ...limits }),
  half: (limits) => new ExponentialBackoff({ generator: halfJitterGenerator, ...limits }),
  none: (limits) => new ExponentialBackoff({ generator: noJitterGenerator, ...limits }),
}

/** New waits for each call: a decorrelated one depends on the one before. */
function delaysOf(jitter: Jitter, limits: Limits): () => Delays {
  if (!Object.hasOwn(backoffs, jitter)) {
    throw new RangeError(`retryWithBackoff: jitter is '${jitter}', give one of ${Object.keys(backoffs).join(', ')}`)
  }
  const backoff = backoffs[jitter](limits)
  return () => {
    let step = backoff
    return () => {
      const wait = step.next(undefined)
      step = wait
      return wait.duration
    }
  }
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
    outcomeOf(next, request).finally(end).then(resolve, reject)
  })
}

/** The outcome of a call that was cancelled, or whose time was over, before its tool was asked. */
export function abortedOutcome(request: ToolRequest): Promise<ToolOutcome> {
  const cause: unknown = request.meta.signal.reason
  const { reason, message } = abortFailure(cause)
  return request.fail(
    reason === 'timeout'
      ? new ToolFailure(message, { reason, cause })
      : new ToolFailure(message, { reason: 'cancelled', cause }),
  )
}

async function outcomeOf<Env>(next: ToolService<Env>, request: ToolRequest<Env>): Promise<ToolOutcome> {
  try {
    return await next(request)
  } catch (error) {
    return request.fail(error)
  }
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
