import { classify } from '../call/classify.js'
import { responseHeader } from '../call/retry-after.js'
import { sleep } from '../call/timers.js'

/** When a model is asked again. */
export interface ModelRetry {
  /** How often one question is sent at most, the first time included. Default 3; 1: never again. */
  readonly attempts?: number
  /** About how long to wait before the second attempt, in milliseconds; doubled for each further one. Default 500. */
  readonly initialMs?: number
  /** A longer wait than this, in milliseconds, ends the question with its error. Default 30,000. */
  readonly maxWaitMs?: number
}

/** A question to a model. */
export interface Question<Answer> {
  readonly signal: AbortSignal
  /** One attempt. */
  readonly ask: () => Promise<Answer>
  /** Whether an attempt may be made after one that failed. */
  readonly mayRepeat: () => boolean
}

/** Asks, and asks again. */
export type AskAgain = <Answer>(question: Question<Answer>) => Promise<Answer>

/** What may be over in a moment. */
const PASSING: ReadonlySet<string> = new Set(['rate_limited', 'unavailable', 'timeout'])

/**
 * Asks until there is an answer: again where the server was not available, too slow, or asked to slow down, as the runtime's
 * classifier says. Waits as long as the server says, else ever longer, spread by chance. An `x-should-retry` of the server
 * counts more than the error.
 *
 * @throws {RangeError} when `attempts` is no whole number from 1 on, or a time is none.
 */
export function modelRetry({ attempts = 3, initialMs = 500, maxWaitMs = 30_000 }: ModelRetry = {}): AskAgain {
  if (!Number.isInteger(attempts) || attempts < 1) throw new RangeError(`retry.attempts is ${attempts}, give 1 or more`)
  if (!(initialMs >= 0 && Number.isFinite(initialMs)))
    throw new RangeError(`retry.initialMs is ${initialMs}, give milliseconds`)
  if (!(maxWaitMs >= 0)) throw new RangeError(`retry.maxWaitMs is ${maxWaitMs}, give milliseconds`)
  return async <Answer>({ signal, ask, mayRepeat }: Question<Answer>): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask()
      } catch (error) {
        signal.throwIfAborted()
        if (attempt >= attempts || !mayRepeat()) throw error
        const waitMs = waitBefore(error, initialMs * 2 ** (attempt - 1), maxWaitMs)
        if (waitMs === undefined) throw error
        await sleep(waitMs, signal)
        signal.throwIfAborted()
      }
    }
  }
}

/** How long to wait before the next attempt; `undefined`: there is to be none. */
function waitBefore(error: unknown, usualMs: number, maxWaitMs: number): number | undefined {
  const { reason, retryAfterMs } = classify(error, Date.now())
  const told = responseHeader(error, 'x-should-retry')
  if (told === 'false' || (told !== 'true' && !PASSING.has(reason))) return undefined
  if (retryAfterMs !== undefined) return retryAfterMs > maxWaitMs ? undefined : retryAfterMs
  return Math.min(maxWaitMs, usualMs * (0.75 + Math.random() / 2))
}
