import {
  decorrelatedJitterGenerator,
  ExponentialBackoff,
  fullJitterGenerator,
  halfJitterGenerator,
  type IBackoffFactory,
  noJitterGenerator,
} from 'cockatiel'
import type { ToolLayer } from '../contract/layer.js'
import { retry } from '../layer/retry.js'
import { requireMilliseconds } from './number-options.js'

/**
 * How waits are spread by chance, so that many callers do not come back at the same moment. `decorrelated` spreads
 * around a doubling curve, each wait from the one before; `full` waits from 0 to the doubled time, `half` from half of it;
 * `none` exactly that.
 */
export type Jitter = 'decorrelated' | 'full' | 'half' | 'none'

/** How a retry with backoff differs from the plainest one. */
export interface BackoffOptions {
  /** How often the tool is tried at most, the first time included. Default 3. */
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
