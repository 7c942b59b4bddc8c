import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, deserted, type Service, startService } from './service.js'
import { NOW, type Told, told } from './thrown.js'

/**
 * Sends a request with an HTTP client. Rejects with an error of this client.
 *
 * @param patience timeout of the client, in milliseconds
 */
export type Request = (url: string, patience: number, signal?: AbortSignal) => Promise<unknown>

const PATIENT = 60_000
const IMPATIENT = 150

const wrongValues: Told = { reason: 'domain_rejection', action: 'correct_call' }
const rejected: Told = { reason: 'domain_rejection', action: 'replan' }
const denied: Told = { reason: 'denied', action: 'replan' }
const rateLimited: Told = { reason: 'rate_limited', action: 'wait' }

/** Expected hint if a service is not available. */
export const unavailable: Told = { reason: 'unavailable', action: 'wait' }
/** Expected hint after a timeout. */
export const timedOut: Told = { reason: 'timeout', action: 'wait' }
/** Expected hint after a cancellation. */
export const cancelled: Told = { reason: 'cancelled', action: 'finish' }
/** Expected hint for an unknown error. */
export const internal: Told = { reason: 'internal', action: 'replan' }

/** Host name that is too long for a DNS request. */
const nobody = `http://${'x'.repeat(64)}.invalid`

const inHalfAMinute = new Date(NOW + 30_000).toUTCString()

const statuses: readonly (readonly [status: number, retryAfter: string | undefined, Told])[] = [
  [400, undefined, wrongValues],
  [401, undefined, denied],
  [403, undefined, denied],
  [404, undefined, rejected],
  [408, undefined, timedOut],
  [409, undefined, rejected],
  [422, undefined, wrongValues],
  [429, undefined, rateLimited],
  [429, '7', { ...rateLimited, retryAfterMs: 7000 }],
  [429, inHalfAMinute, { ...rateLimited, retryAfterMs: 30_000 }],
  [403, '7', { ...rateLimited, retryAfterMs: 7000 }],
  [500, undefined, unavailable],
  [503, '3', { ...unavailable, retryAfterMs: 3000 }],
  [503, inHalfAMinute, { ...unavailable, retryAfterMs: 30_000 }],
  [504, undefined, timedOut],
]

/** Differences of a client from the others. */
export interface ClientDifferences {
  /** True if the client fails for a 429 whose `Retry-After` is not in seconds. */
  readonly needsSeconds?: true
  /** Expected hint if the response stops in the middle. `null` if the client has no timeout for this case. */
  readonly stopping: Told | null
  /** Expected hint if the connection breaks in the middle of the response. `null` if the client accepts the truncated response. */
  readonly breakingOff?: Told | null
  /** True if the client accepts an abort signal. */
  readonly abortable: boolean
}

/** Declares tests of the errors that every HTTP client must pass. */
export function describeClient(name: string, request: Request, differences: ClientDifferences): void {
  describe(`errors of ${name}`, () => {
    let service: Service
    beforeAll(async () => {
      service = await startService()
    })
    afterAll(() => service.close())

    const toldOf = (answer: Answer, patience = PATIENT, signal?: AbortSignal): Promise<Told> => {
      service.answer = answer
      return told(() => request(service.url, patience, signal))
    }

    const { needsSeconds, stopping, breakingOff = unavailable, abortable } = differences
    const readable = statuses.filter(([status, wait]) => !needsSeconds || status !== 429 || wait === '7')
    it.each(readable)('status %d, Retry-After %s', async (status, retryAfter, expected) => {
      const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
      expect(await toldOf({ status, headers })).toEqual(expected)
    })

    it('a port at which nobody listens', async () => {
      const url = await deserted()
      expect(await told(() => request(url, PATIENT))).toEqual(unavailable)
    })

    it('a host that nobody knows', async () => {
      expect(await told(() => request(nobody, PATIENT))).toEqual(unavailable)
    })

    it('a connection that is reset', async () => {
      expect(await toldOf('resets the connection')).toEqual(unavailable)
    })

    it('no answer in time', async () => {
      expect(await toldOf('never answers', IMPATIENT)).toEqual(timedOut)
    })

    if (stopping !== null)
      it('an answer that stops', async () => {
        // On a busy machine, the client can time out before it receives the headers. In this case, a longer timeout is used.
        let ended = await toldOf('stops within its answer', IMPATIENT)
        for (let patience = 2 * IMPATIENT; ended.reason !== stopping.reason && patience < PATIENT; patience *= 2) {
          ended = await toldOf('stops within its answer', patience)
        }
        expect(ended).toEqual(stopping)
      })

    if (breakingOff !== null)
      it('an answer that breaks off', async () => {
        expect(await toldOf('breaks off its answer')).toEqual(breakingOff)
      })

    if (abortable)
      it('a request that was given up', async () => {
        const controller = new AbortController()
        setTimeout(() => controller.abort(), 30)
        expect(await toldOf('never answers', PATIENT, controller.signal)).toEqual(cancelled)
      })
  })
}
