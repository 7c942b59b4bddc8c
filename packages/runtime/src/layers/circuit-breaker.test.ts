import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolFailure, type ToolFailureOptions } from '../call/tool-failure.js'
import type { ToolService } from '../types/layer.js'
import { circuitBreaker } from './circuit-breaker.js'
import { completed, endingOf, gate, requestOf, retryAfterMsOf } from './request.fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const failures = {
  unavailable: { reason: 'unavailable' },
  timeout: { reason: 'timeout' },
  rate_limited: { reason: 'rate_limited' },
  internal: { reason: 'internal' },
  domain_rejection: { reason: 'domain_rejection' },
  invalid_arguments: { reason: 'invalid_arguments' },
  denied: { reason: 'denied' },
  cancelled: { reason: 'cancelled' },
  malformed_result: { reason: 'malformed_result' },
  interrupted: { reason: 'interrupted' },
} satisfies Record<string, ToolFailureOptions>

/** A service that ends as it is told, and counts. */
function service(): {
  next: ToolService
  calls: number
  ending: keyof typeof failures | 'completed' | 'suspended' | 'throws'
} {
  const told: ReturnType<typeof service> = {
    calls: 0,
    ending: 'completed',
    next: async (request) => {
      told.calls += 1
      if (told.ending === 'completed') return completed(request)
      if (told.ending === 'suspended') return request.suspend('external')
      if (told.ending === 'throws') throw new Error('an inner layer has a fault')
      return request.fail(new ToolFailure('no', failures[told.ending]))
    },
  }
  return told
}

async function endings(call: ToolService, times: number): Promise<readonly string[]> {
  const all: string[] = []
  for (let i = 0; i < times; i += 1) all.push(endingOf(await call(requestOf({ toolCallId: `call-${i}` }))))
  return all
}

describe('a circuit breaker', () => {
  it('opens after a number of consecutive failures, and then fails calls at once with the remaining time', async () => {
    const told = service()
    const call = circuitBreaker({ failures: 3, halfOpenAfterMs: 1_000 })(told.next)
    told.ending = 'timeout'
    expect(await endings(call, 4)).toEqual(['timeout', 'timeout', 'timeout', 'unavailable'])
    expect(told.calls).toBe(3)
    vi.advanceTimersByTime(400)
    const refused = await call(requestOf())
    expect(retryAfterMsOf(refused)).toBe(600)
    expect(refused).toMatchObject({ status: 'failed', hint: { reason: 'unavailable', action: 'wait' } })
    expect(told.calls).toBe(3)
  })

  it.each(['unavailable', 'timeout', 'rate_limited', 'internal', 'throws'] as const)('counts %s', async (ending) => {
    const told = service()
    const call = circuitBreaker({ failures: 2 })(told.next)
    told.ending = ending
    await endings(call, 3)
    expect(told.calls).toBe(2)
  })

  it.each([
    'domain_rejection',
    'invalid_arguments',
    'denied',
    'cancelled',
    'malformed_result',
    'interrupted',
    'suspended',
  ] as const)('does not open for %s', async (ending) => {
    const told = service()
    const call = circuitBreaker({ failures: 2 })(told.next)
    told.ending = ending
    await endings(call, 5)
    expect(told.calls).toBe(5)
  })

  it('resets its count after a result, but not after failures that the service did not cause', async () => {
    const told = service()
    const call = circuitBreaker({ failures: 2 })(told.next)
    for (const ending of ['timeout', 'completed', 'timeout', 'invalid_arguments', 'timeout', 'completed'] as const) {
      told.ending = ending
      await call(requestOf())
    }
    expect(told.calls).toBe(5)
  })

  it('opens at a rate of failures, not before there were enough calls', async () => {
    const told = service()
    const call = circuitBreaker({ failures: { above: 0.5, calls: 4 } })(told.next)
    for (const ending of ['timeout', 'timeout', 'completed', 'timeout', 'completed'] as const) {
      told.ending = ending
      await call(requestOf())
    }
    expect(told.calls).toBe(4)
  })

  it('lets one call test the service and refuses the others meanwhile', async () => {
    const told = service()
    const held = gate()
    const call = circuitBreaker({ failures: 1, halfOpenAfterMs: 100 })(async (request) => {
      if (told.ending === 'completed') await held.open
      return told.next(request)
    })
    told.ending = 'timeout'
    await call(requestOf())
    vi.advanceTimersByTime(100)
    told.ending = 'completed'
    const test = call(requestOf({ toolCallId: 'test' }))
    const refused = await call(requestOf({ toolCallId: 'other' }))
    expect(endingOf(refused)).toBe('unavailable')
    expect(retryAfterMsOf(refused)).toBeUndefined()
    expect(told.calls).toBe(1)
    held.unlock()
    expect(endingOf(await test)).toBe('completed')
    expect(await endings(call, 2)).toEqual(['completed', 'completed'])
  })

  it.each(['timeout', 'cancelled', 'invalid_arguments', 'throws'] as const)(
    'opens again for the whole time when the test ends as %s',
    async (ending) => {
      const told = service()
      const call = circuitBreaker({ failures: 1, halfOpenAfterMs: 100 })(told.next)
      told.ending = 'timeout'
      await call(requestOf())
      vi.advanceTimersByTime(100)
      told.ending = ending
      await call(requestOf())
      told.ending = 'completed'
      expect(retryAfterMsOf(await call(requestOf()))).toBe(100)
      vi.advanceTimersByTime(100)
      expect(await endings(call, 2)).toEqual(['completed', 'completed'])
    },
  )

  it('is not held half open by a test that does not heed its cancellation', async () => {
    let hang = false
    const call = circuitBreaker({ failures: 1, halfOpenAfterMs: 100 })((request) =>
      hang ? new Promise(() => {}) : request.fail(new DOMException('slow', 'TimeoutError')),
    )
    await call(requestOf())
    vi.advanceTimersByTime(100)
    hang = true
    const controller = new AbortController()
    const test = call(requestOf({ meta: { signal: controller.signal } }))
    controller.abort()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(endingOf(await test)).toBe('cancelled')
    expect(retryAfterMsOf(await call(requestOf()))).toBe(100)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is one for each tool that it is attached to, or one for all', async () => {
    const told = service()
    told.ending = 'timeout'
    const own = circuitBreaker({ failures: 1 })
    await own(told.next)(requestOf())
    expect(endingOf(await own(told.next)(requestOf()))).toBe('timeout')
    const shared = circuitBreaker({ failures: 1, per: 'layer' })
    await shared(told.next)(requestOf())
    expect(endingOf(await shared(told.next)(requestOf()))).toBe('unavailable')
  })

  it.each([
    { failures: 0 },
    { failures: 1.5 },
    { failures: { above: 1, calls: 4 } },
    { failures: { above: Number.NaN, calls: 4 } },
    { failures: { above: 0.5, calls: 0 } },
    { halfOpenAfterMs: -1 },
  ])('refuses %j', (options) => {
    expect(() => circuitBreaker(options)).toThrow(RangeError)
  })
})
