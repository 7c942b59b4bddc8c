import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ToolFailure } from '../call/tool-failure.js'
import type { ToolService } from '../types/layer.js'
import type { CircuitGrant, LimitStore, RateGrant } from '../types/limits.js'
import { circuitBreaker } from './circuit-breaker.js'
import { rateLimit } from './rate-limit.js'
import { completed, endingOf, gate, requestOf, retryAfterMsOf } from './request.fixture.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const next: ToolService = async (request) => completed(request)
const down = (): never => {
  throw new Error('connection refused')
}

interface FakeStore extends LimitStore {
  readonly asked: unknown[]
  grant: RateGrant
  circuit: CircuitGrant
}

/** A store that answers as it is told, and remembers what it was asked. */
function fakeStore(): FakeStore {
  const store: FakeStore = {
    asked: [],
    grant: { admitted: true, waitMs: 0 },
    circuit: { state: 'closed', epoch: '1', hasFailures: false },
    take: async (rate) => {
      store.asked.push(rate)
      return store.grant
    },
    enter: async (circuit) => {
      store.asked.push(circuit)
      return store.circuit
    },
    report: async ({ successes }, report) => {
      store.asked.push({ ...report, successes })
    },
  }
  return store
}

const unavailable: ToolService = async (request) => request.fail(new ToolFailure('no', { reason: 'unavailable' }))
const limit = { calls: 2, perMs: 1_000, name: 'pay' }

describe('a rate limit in a store', () => {
  it('has a name for each key', async () => {
    const store = fakeStore()
    const call = rateLimit({ ...limit, store, key: ({ meta }) => meta.labels.user })(next)
    for (const labels of [{ user: 'ada' }, {}]) await call(requestOf({ meta: { labels } }))
    expect(store.asked).toMatchObject([{ name: 'pay/ada' }, { name: 'pay' }])
  })

  it('asks once for each call, under its name, and waits as long as the store says', async () => {
    const store = fakeStore()
    const call = rateLimit({ ...limit, store, maxWaitMs: 500 })(next)
    expect(endingOf(await call(requestOf()))).toBe('completed')
    expect(store.asked).toEqual([{ name: 'pay', calls: 2, perMs: 1_000, maxWaitMs: 500 }])
    store.grant = { admitted: true, waitMs: 300 }
    let ending = ''
    const waiting = call(requestOf()).then((outcome) => {
      ending = endingOf(outcome)
    })
    await vi.advanceTimersByTimeAsync(299)
    expect(ending).toBe('')
    await vi.advanceTimersByTimeAsync(1)
    await waiting
    expect(ending).toBe('completed')
    expect(store.asked).toHaveLength(2)
  })

  it('refuses what is not admitted, spread over the time of one call', async () => {
    const store = fakeStore()
    store.grant = { admitted: false, retryAfterMs: 200 }
    const call = rateLimit({ ...limit, store, per: 'tool' })(next)
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => call(requestOf())))
    expect(new Set(outcomes.map(endingOf))).toEqual(new Set(['rate_limited']))
    const waits = outcomes.map(retryAfterMsOf).map(Number)
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(200)
    expect(Math.max(...waits)).toBeLessThanOrEqual(700)
    expect(new Set(waits).size).toBeGreaterThan(1)
    expect(store.asked[0]).toMatchObject({ name: 'pay/orders.getOrder' })
  })

  it('ends a cancelled call at once, even if the store never answers', async () => {
    const store = fakeStore()
    const controller = new AbortController()
    const call = rateLimit({ ...limit, store: { ...store, take: () => new Promise<RateGrant>(() => undefined) } })(next)
    const outcome = call(requestOf({ meta: { signal: controller.signal } }))
    controller.abort()
    expect(endingOf(await outcome)).toBe('cancelled')
  })

  it('fails clearly while the store cannot be reached, and asks it seldom and alone', async () => {
    const store = { ...fakeStore(), take: vi.fn(async (): Promise<RateGrant> => down()) }
    const call = rateLimit({ ...limit, store })(next)
    const first = await call(requestOf())
    expect(first).toMatchObject({
      status: 'failed',
      hint: { reason: 'unavailable', action: 'wait', message: expect.stringContaining('store of its rate limit') },
      error: { cause: { cause: { message: 'connection refused' } } },
    })
    expect(retryAfterMsOf(first)).toBeGreaterThanOrEqual(50)
    await Promise.all(Array.from({ length: 100 }, () => call(requestOf())))
    expect(store.take).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(100)
    await Promise.all(Array.from({ length: 100 }, () => call(requestOf())))
    expect(store.take).toHaveBeenCalledTimes(2)
    vi.advanceTimersByTime(5_000)
    store.take.mockImplementation(async () => ({ admitted: true, waitMs: 0 }))
    expect(endingOf(await call(requestOf()))).toBe('completed')
    expect(endingOf(await call(requestOf()))).toBe('completed')
  })

  it('can be that of the process while the store cannot be reached', async () => {
    const store = { ...fakeStore(), take: vi.fn(async (): Promise<RateGrant> => down()) }
    const call = rateLimit({ ...limit, store, whenUnreachable: 'local' })(next)
    const outcomes = await Promise.all([1, 2, 3].map(() => call(requestOf())))
    expect(outcomes.map(endingOf)).toEqual(['completed', 'completed', 'rate_limited'])
  })
})

describe('a circuit in a store', () => {
  const options = { name: 'pay', failures: 2, halfOpenAfterMs: 3_000 }
  const named = { name: 'pay/orders.getOrder', failures: 2, halfOpenAfterMs: 3_000, leaseMs: 3_000, successes: 0 }

  it('asks once for each call that succeeds, and reports failures and the end of a series of them', async () => {
    const store = fakeStore()
    const layer = circuitBreaker({ ...options, store })
    await layer(next)(requestOf())
    expect(store.asked.splice(0)).toEqual([named])
    await layer(unavailable)(requestOf())
    expect(store.asked.splice(0)).toEqual([named, { epoch: '1', end: 'failure', successes: 0 }])
    store.circuit = { state: 'closed', epoch: '1', hasFailures: true }
    await layer(next)(requestOf())
    expect(store.asked.splice(0)).toEqual([named, { epoch: '1', end: 'success', successes: 0 }])
  })

  it('sends successes that count for a rate with the next question', async () => {
    const store = fakeStore()
    const call = circuitBreaker({ ...options, failures: { above: 0.5, calls: 10 }, store })(next)
    for (let i = 0; i < 3; i += 1) await call(requestOf())
    expect(store.asked).toMatchObject([{ successes: 0 }, { successes: 1 }, { successes: 1 }])
  })

  it('is not asked while it is open, but by each call while another one tests', async () => {
    const store = fakeStore()
    store.circuit = { state: 'open', retryAfterMs: 1_000 }
    const call = circuitBreaker({ ...options, store })(next)
    expect(retryAfterMsOf(await call(requestOf()))).toBe(1_000)
    vi.advanceTimersByTime(400)
    expect(retryAfterMsOf(await call(requestOf()))).toBe(600)
    expect(store.asked).toHaveLength(1)
    vi.advanceTimersByTime(600)
    store.circuit = { state: 'open', retryAfterMs: undefined }
    for (let i = 0; i < 2; i += 1) expect(endingOf(await call(requestOf()))).toBe('unavailable')
    expect(store.asked).toHaveLength(3)
  })

  it('keeps its lease while its test runs', async () => {
    const store = fakeStore()
    store.circuit = { state: 'test', epoch: '7' }
    const held = gate()
    const service: ToolService = async (request) => {
      await held.open
      return completed(request)
    }
    const outcome = circuitBreaker({ ...options, store })(service)(requestOf())
    await vi.advanceTimersByTimeAsync(2_000)
    const running = { epoch: '7', end: 'running', successes: 0 }
    expect(store.asked.splice(0)).toEqual([named, running, running])
    held.unlock()
    expect(endingOf(await outcome)).toBe('completed')
    expect(store.asked).toEqual([{ epoch: '7', end: 'success', successes: 0 }])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('opens again after a test that says nothing of the service', async () => {
    const store = fakeStore()
    store.circuit = { state: 'test', epoch: '7' }
    await circuitBreaker({ ...options, store })(async (request) => request.suspend('external'))(requestOf())
    expect(store.asked[1]).toMatchObject({ end: 'failure' })
  })

  it('fails clearly, or is that of the process, while the store cannot be reached; outcomes do not need reports', async () => {
    const store = { ...fakeStore(), enter: vi.fn(async (): Promise<CircuitGrant> => down()) }
    const refused = await circuitBreaker({ ...options, store })(next)(requestOf())
    expect(refused).toMatchObject({ hint: { message: expect.stringContaining('store of its circuit breaker') } })
    const call = circuitBreaker({ ...options, store, whenUnreachable: 'local' })(unavailable)
    for (let i = 0; i < 2; i += 1) expect(retryAfterMsOf(await call(requestOf()))).toBeUndefined()
    expect(retryAfterMsOf(await call(requestOf()))).toBe(3_000)
    const mute = { ...fakeStore(), report: async () => down() }
    expect(endingOf(await circuitBreaker({ ...options, store: mute })(unavailable)(requestOf()))).toBe('unavailable')
  })
})

describe('options of a shared store', () => {
  it.each([
    [{ store: fakeStore() }, "needs a name. Pass `name: 'payments'`"],
    [{ store: fakeStore(), name: '' }, 'needs a name'],
    [{ name: 'pay' }, '`store` is missing'],
    [{ store: {}, name: 'pay' }, 'Pass `postgresLimits(query)`'],
    [{ store: fakeStore(), name: 'pay', whenUnreachable: 'open' }, "Use 'reject' or 'local'"],
  ])('are checked: %j', (options, message) => {
    const given: any = options
    expect(() => rateLimit({ calls: 1, perMs: 1, ...given })).toThrow(message)
    expect(() => circuitBreaker(given)).toThrow(message)
  })
})
