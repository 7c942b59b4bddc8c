import { classify, responseHeader } from '../call/classify.js'
import { sleep } from '../call/timers.js'
import { openAi } from './vendor-errors.js'

/** Retries of requests to a model. */
export interface ModelRetry {
  /** Maximum number of requests, with the first one. Default 3; 1: no retries. */
  readonly attempts?: number
  /** Approximate wait before the second attempt, in milliseconds; doubled for each further one. Default 500. */
  readonly initialMs?: number
  /** Maximum wait in milliseconds. If the server asks for more, its error is thrown. Default 30,000. */
  readonly maxWaitMs?: number
}

/** Reasons that may be temporary. */
const TEMPORARY: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timeout'])

/**
 * Returns a function that sends a request until it succeeds. It is sent again if the classifier says that the server was
 * unavailable, too slow or rate-limited, after the time that the server asks for, else after growing random times.
 * `x-should-retry` of the server takes precedence.
 *
 * @throws {RangeError} for an invalid number
 */
export function modelRetry({ attempts = 3, initialMs = 500, maxWaitMs = 30_000 }: ModelRetry = {}) {
  if (!Number.isInteger(attempts) || attempts < 1) throw new RangeError(`retry.attempts is ${attempts}, give 1 or more`)
  if (!(initialMs >= 0 && Number.isFinite(initialMs)))
    throw new RangeError(`retry.initialMs is ${initialMs}, give milliseconds`)
  if (!(maxWaitMs >= 0)) throw new RangeError(`retry.maxWaitMs is ${maxWaitMs}, give milliseconds`)

  const waitBefore = (attempt: number, error: unknown): number | undefined => {
    const { reason, retryAfterMs } = classify(error, Date.now(), { errorRules: [openAi] })
    const advice = responseHeader(error, 'x-should-retry')
    if (advice === 'false' || (advice !== 'true' && !TEMPORARY.has(reason))) return undefined
    if (retryAfterMs !== undefined) return retryAfterMs > maxWaitMs ? undefined : retryAfterMs
    return Math.min(maxWaitMs, initialMs * 2 ** (attempt - 2) * (0.75 + Math.random() / 2))
  }

  /** @param mayRepeat returns whether a failed request may be sent again */
  return async <Response>(
    signal: AbortSignal,
    send: () => Promise<Response>,
    mayRepeat: () => boolean,
  ): Promise<Response> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await send()
      } catch (error) {
        signal.throwIfAborted()
        const waitMs = attempt < attempts && mayRepeat() ? waitBefore(attempt + 1, error) : undefined
        if (waitMs === undefined) throw error
        await sleep(waitMs, signal)
        signal.throwIfAborted()
      }
    }
  }
}
