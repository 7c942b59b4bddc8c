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
 * Random distribution of waits, so that callers do not retry at the same moment. The base wait doubles with each retry:
 * - `full`: 0 to 100 % of the base wait
 * - `half`: 50 to 100 % of the base wait
 * - `none`: exactly the base wait
 * - `decorrelated`: a random time that depends on the base wait and on the previous wait
 */
export type Jitter = 'decorrelated' | 'full' | 'half' | 'none'

export interface BackoffOptions {
  /** Maximum number of attempts, including the first attempt. Default: 3. */
  readonly attempts?: number
  /** Approximate wait before the first retry, in milliseconds. Default: 128. */
  readonly initialMs?: number
  /** Maximum wait in milliseconds. If the hint of a failed call requires a longer wait, the layer does not retry the call. Default: 10,000. */
  readonly maxMs?: number
  /** Random distribution of the waits. Default: `decorrelated`. */
  readonly jitter?: Jitter
}

/**
 * Retries a failed call under the same conditions as the layer `retry`, but with random waits that grow exponentially. If the hint of a failed call
 * contains `retryAfterMs`, the layer waits for `retryAfterMs` instead. Each call has its own sequence of waits.
 *
 * @throws {RangeError} if `attempts` is not an integer of at least 1, if a time is out of range, or if `jitter` is unknown.
 *
 * @example
 * registration.layer(retryWithBackoff({ attempts: 4, initialMs: 200 }))
 */
export function retryWithBackoff(options: BackoffOptions = {}): ToolLayer {
  const { attempts = 3, initialMs = 128, maxMs = 10_000, jitter = 'decorrelated' } = options
  requireMilliseconds('retryWithBackoff: initialMs', initialMs)
  requireMilliseconds('retryWithBackoff: maxMs', maxMs)
  if (!Object.hasOwn(GENERATORS, jitter)) {
    const known = Object.keys(GENERATORS).join(', ')
    throw new RangeError(`retryWithBackoff: jitter must be one of ${known}, but is '${jitter}'`)
  }
  const limits = { initialDelay: initialMs, maxDelay: maxMs }
  const backoff = new ExponentialBackoff({ generator: GENERATORS[jitter], ...limits })
  retry({ attempts }) // Rejects an invalid number here, not at the first call.
  return (next) => (request) => {
    // A decorrelated wait depends on the previous wait of the same call.
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

/** `next` can throw or ignore an abort. This function then returns a failed outcome, at the latest {@link GRACE_MS} after the abort. */
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

export function abortedOutcome(request: ToolRequest): Promise<ToolOutcome> {
  const cause: unknown = request.meta.signal.reason
  const { reason, message } = abortFailure(cause)
  return request.fail(new ToolFailure(message, { reason, cause }))
}

export function requireWhole(option: string, value: number, least: number): void {
  if (!Number.isSafeInteger(value) || value < least) {
    throw new RangeError(`${option} must be an integer of at least ${least}, but is ${value}`)
  }
}

export function requireMilliseconds(option: string, value: number): void {
  if (!(value >= 0 && value <= 2_147_483_647)) {
    throw new RangeError(`${option} must be 0 to 2147483647 milliseconds, but is ${value}`)
  }
}

/** Group of calls that share a counter or limit. `tool`: the calls of one tool. `layer`: the calls of all tools with the same layer object. */
export type StateScope = 'tool' | 'layer'

export function stateOf<State>(scope: StateScope, newState: () => State): () => State {
  if (scope === 'tool') return newState
  const shared = newState()
  return () => shared
}
