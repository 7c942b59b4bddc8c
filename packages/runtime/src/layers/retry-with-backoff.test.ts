import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolFailure, type ToolFailureOptions } from '../call/tool-failure.js'
import type { ToolService } from '../types/layer.js'
import { type BackoffOptions, type Jitter, retryWithBackoff } from './backoff.js'
import { completed, endingOf, type RequestParts, requestOf } from './request.fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Makes a call that fails each time, and tells the attempts and the waits between them. */
async function tried(
  options: BackoffOptions,
  failure: ToolFailureOptions,
  parts: RequestParts = {},
): Promise<{ attempts: number[]; waits: number[] }> {
  const attempts: number[] = []
  const times: number[] = []
  const next: ToolService = (request) => {
    attempts.push(request.meta.attempt)
    times.push(Date.now())
    return request.fail(new ToolFailure('no', failure))
  }
  const outcome = retryWithBackoff(options)(next)(requestOf(parts))
  await vi.runAllTimersAsync()
  await outcome
  return { attempts, waits: times.slice(1).map((time, i) => time - (times[i] ?? 0)) }
}

const unavailable: ToolFailureOptions = { reason: 'unavailable', action: 'wait' }

describe('retry with backoff', () => {
  it('doubles its waits up to the longest, without jitter', async () => {
    const { attempts, waits } = await tried({ attempts: 5, initialMs: 100, maxMs: 300, jitter: 'none' }, unavailable)
    expect(attempts).toEqual([1, 2, 3, 4, 5])
    expect(waits).toEqual([100, 200, 300, 300])
  })

  it.each<[Jitter, number, number]>([
    ['full', 0, 1],
    ['half', 0.5, 1],
  ])('spreads its waits, %s', async (jitter, least, most) => {
    const { waits } = await tried({ attempts: 6, initialMs: 1_000, maxMs: 9_000, jitter }, unavailable)
    const steps = [1_000, 2_000, 4_000, 8_000, 9_000]
    for (const [i, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(least * (steps[i] ?? 0))
      expect(wait).toBeLessThanOrEqual(most * (steps[i] ?? 0))
    }
    expect(waits).not.toEqual(steps)
  })

  it('starts again for each call, with other random times', async () => {
    const first = await tried({ attempts: 4, initialMs: 1_000, maxMs: 60_000 }, unavailable)
    const second = await tried({ attempts: 4, initialMs: 1_000, maxMs: 60_000 }, unavailable)
    expect(first.waits).not.toEqual(second.waits)
    for (const { waits } of [first, second]) {
      expect(waits).toHaveLength(3)
      expect(waits[0]).toBeLessThan(2_000)
    }
  })

  it('waits as long as the hint says, and leaves what is too long to the planner', async () => {
    expect((await tried({ attempts: 2 }, { reason: 'rate_limited', retryAfterMs: 4_321 })).waits).toEqual([4_321])
    expect((await tried({ attempts: 2, maxMs: 4_000 }, { reason: 'rate_limited', retryAfterMs: 4_321 })).waits).toEqual(
      [],
    )
  })

  it('keeps the rules of retry', async () => {
    expect((await tried({}, { reason: 'internal' })).attempts).toEqual([1])
    expect((await tried({}, { reason: 'unavailable', action: 'replan' })).attempts).toEqual([1])
    expect((await tried({}, unavailable, { emitted: true })).attempts).toEqual([1])
    const idempotent = { tool: { annotations: { idempotent: true } } }
    expect((await tried({}, { reason: 'timeout', action: 'replan' }, idempotent)).attempts).toEqual([1, 2, 3])
  })

  it('answers with the result of a later attempt', async () => {
    const next: ToolService = async (request) =>
      request.meta.attempt === 1 ? request.fail(new ToolFailure('no', unavailable)) : completed(request)
    const outcome = retryWithBackoff()(next)(requestOf())
    await vi.runAllTimersAsync()
    expect(endingOf(await outcome)).toBe('completed')
  })

  it('stops waiting when the call is cancelled', async () => {
    const controller = new AbortController()
    const next = vi.fn<ToolService>((request) => request.fail(new ToolFailure('no', unavailable)))
    const outcome = retryWithBackoff({ initialMs: 5_000, jitter: 'none' })(next)(
      requestOf({ meta: { signal: controller.signal } }),
    )
    await vi.advanceTimersByTimeAsync(10)
    controller.abort()
    expect(endingOf(await outcome)).toBe('unavailable')
    expect(next).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each([{ attempts: 0 }, { initialMs: Number.NaN }, { maxMs: -1 }])('refuses %j', (options) => {
    expect(() => retryWithBackoff(options)).toThrow(RangeError)
  })

  it('refuses a jitter that there is not', () => {
    // @ts-expect-error untyped code may give any
    expect(() => retryWithBackoff({ jitter: 'constructor' })).toThrow("none, but is 'constructor'")
  })
})
