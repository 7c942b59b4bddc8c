import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ToolService } from '../types/layer.js'
import { rateLimit } from './rate-limit.js'
import { completed, endingOf, requestOf, retryAfterMsOf } from './request.fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const next: ToolService = async (request) => completed(request)

/** Calls at once, each with a signal of its own, and in which order they end. */
function burst(call: ToolService, count: number): { ended: string[]; all: Promise<unknown>; abort(i: number): void } {
  const ended: string[] = []
  const controllers = Array.from({ length: count }, () => new AbortController())
  const all = Promise.all(
    controllers.map(async ({ signal }, i) => {
      const outcome = await call(requestOf({ toolCallId: `call-${i}`, meta: { signal } }))
      ended.push(`${i} ${endingOf(outcome)}`)
    }),
  )
  return { ended, all, abort: (i) => controllers[i]?.abort() }
}

describe('a rate limit', () => {
  it('fails a call over the limit as rate_limited, with the time until there is room', async () => {
    const call = rateLimit({ calls: 2, perMs: 1_000 })(next)
    const outcomes = await Promise.all([1, 2, 3].map((i) => call(requestOf({ toolCallId: `call-${i}` }))))
    expect(outcomes.map(endingOf)).toEqual(['completed', 'completed', 'rate_limited'])
    const [, , refused] = outcomes
    expect(refused).toMatchObject({ status: 'failed', hint: { action: 'wait', retryAfterMs: 1_000 } })
    vi.advanceTimersByTime(999)
    expect(retryAfterMsOf(await call(requestOf()))).toBe(1)
    vi.advanceTimersByTime(1)
    expect(endingOf(await call(requestOf()))).toBe('completed')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('has a limit for each key, and one for the calls without a key', async () => {
    const call = rateLimit({ calls: 1, perMs: 1_000, key: ({ meta }) => meta.labels.user })(next)
    const of = (user: string | undefined): ReturnType<typeof call> =>
      call(requestOf({ meta: { labels: user === undefined ? {} : { user } } }))
    const outcomes = await Promise.all(['ada', 'grace', undefined, 'ada', undefined].map(of))
    expect(outcomes.map(endingOf)).toEqual(['completed', 'completed', 'completed', 'rate_limited', 'rate_limited'])
  })

  it('lets calls wait in order as long as they may, and refuses those that would wait longer', async () => {
    const call = rateLimit({ calls: 1, perMs: 100, maxWaitMs: 250 })(next)
    const { ended, all } = burst(call, 4)
    await vi.advanceTimersByTimeAsync(0)
    expect(ended).toEqual(expect.arrayContaining(['0 completed', '3 rate_limited']))
    await vi.advanceTimersByTimeAsync(99)
    expect(ended).toHaveLength(2)
    await vi.advanceTimersByTimeAsync(2)
    expect(ended.slice(2)).toEqual(['1 completed'])
    await vi.advanceTimersByTimeAsync(102)
    await all
    expect(ended.slice(2)).toEqual(['1 completed', '2 completed'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('lets a cancelled call out of the line at once; those behind it come sooner', async () => {
    const call = rateLimit({ calls: 1, perMs: 100, maxWaitMs: 1_000 })(next)
    const { ended, all, abort } = burst(call, 4)
    await vi.advanceTimersByTimeAsync(50)
    abort(1)
    abort(2)
    await vi.advanceTimersByTimeAsync(0)
    expect([...ended].sort()).toEqual(['0 completed', '1 cancelled', '2 cancelled'])
    await vi.advanceTimersByTimeAsync(52)
    await all
    expect(ended[3]).toBe('3 completed')
    expect(vi.getTimerCount()).toBe(0)
  })

  it('never lets more begin in a time than it may, however many come', async () => {
    const begun: number[] = []
    const call = rateLimit({ calls: 5, perMs: 100, maxWaitMs: 2_000 })(async (request) => {
      begun.push(performance.now())
      return completed(request)
    })
    const { ended, all } = burst(call, 50)
    await vi.advanceTimersByTimeAsync(2_000)
    await all
    expect(ended.filter((text) => text.endsWith('completed'))).toHaveLength(50)
    for (const [i, at] of begun.entries()) expect((begun[i + 5] ?? Number.POSITIVE_INFINITY) - at).toBeGreaterThan(99)
  })

  it('does not take of the quota for a call that is cancelled already', async () => {
    const call = rateLimit({ calls: 1, perMs: 1_000 })(next)
    expect(endingOf(await call(requestOf({ meta: { signal: AbortSignal.abort() } })))).toBe('cancelled')
    expect(endingOf(await call(requestOf()))).toBe('completed')
  })

  it('is one for all tools beneath it, or one for each', async () => {
    const shared = rateLimit({ calls: 1, perMs: 1_000 })
    await shared(next)(requestOf())
    expect(endingOf(await shared(next)(requestOf()))).toBe('rate_limited')
    const own = rateLimit({ calls: 1, perMs: 1_000, per: 'tool' })
    await own(next)(requestOf())
    expect(endingOf(await own(next)(requestOf()))).toBe('completed')
  })

  it.each([
    { calls: 0, perMs: 1 },
    { calls: 1, perMs: 0 },
    { calls: 1, perMs: 1, maxWaitMs: Number.NaN },
  ])('refuses %j', (options) => {
    expect(() => rateLimit(options)).toThrow(RangeError)
  })
})
