import { afterEach, describe, expect, it, vi } from 'vitest'
import { getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { answer, callTools, type Planner } from '../agents.js'
import { type CallOptions, Runtime, retry, runConfig, stack, ToolFailure, timeout } from '../index.js'
import { bulkhead, cache, circuitBreaker, rateLimit, retryWithBackoff } from '../resilience.js'
import type { ToolLayer } from '../types/layer.js'
import type { ToolOutcome } from '../types/outcome.js'
import { endingOf, retryAfterMsOf } from './request.fixture.js'

const reader = toolOf<{ orderId: string }, unknown>('orders.read', { spec: { annotations: { readOnly: true } } })
const order = { id: 'A-1', total: 1 }
const agent = { name: 'support', description: 'Answers customers.' }
/** Time passes only where a test says so. */
const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
afterEach(() => void vi.useRealTimers())

const later = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

type Tool = typeof reader
type Execute = (attempt: number) => unknown
type Caller = (orderId: string, options?: CallOptions) => Promise<ToolOutcome>

const registered = (tool: Tool, execute: Execute) => registrationOf(tool, ({ meta }) => execute(meta.attempt))

/** As a model sends it, valid or not. */
const callOf = (orderId: string) => ({ tool: 'orders.read', arguments: JSON.stringify({ orderId }) })

/** A tool with a layer at one of the three scopes, through the real runtime. */
const scopes: Readonly<Record<string, (layer: ToolLayer, execute: Execute) => Caller>> = {
  tool: (layer, execute) => {
    const bound = new Runtime().registerAgent(agent, [registered(reader, execute).layer(layer)])
    return (orderId, options) => bound.execute(callOf(orderId), { sessionId: 's', ...options })
  },
  agent: (layer, execute) => {
    const bound = new Runtime().registerAgent(agent, [registered(reader, execute)]).layer(layer)
    return (orderId, options) => bound.execute(callOf(orderId), { sessionId: 's', ...options })
  },
  run: (layer, execute) => {
    const bound = new Runtime().registerAgent(agent, [registered(reader, execute)])
    const config = runConfig().layer(layer)
    return (orderId, options) => bound.execute(callOf(orderId), { sessionId: 's', config, ...options })
  },
}

const down = (): never => {
  throw new ToolFailure('Down.', { reason: 'unavailable', action: 'wait' })
}

describe.each(Object.entries(scopes))('at the scope of the %s', (_, attach) => {
  it('a circuit breaker keeps calls from a service that fails', async () => {
    stopClock()
    let asked = 0
    const call = attach(circuitBreaker({ failures: 2, halfOpenAfterMs: 90 }), () => {
      asked += 1
      return asked > 2 ? order : down()
    })
    const outcomes = [await call('A'), await call('A'), await call('A')]
    expect(outcomes.map(endingOf)).toEqual(['unavailable', 'unavailable', 'unavailable'])
    expect(asked).toBe(2)
    expect(retryAfterMsOf(outcomes[2] ?? (await call('A')))).toBe(90)
    expect(outcomes[2]?.provenance.attempts).toBe(0)
    await vi.advanceTimersByTimeAsync(90)
    expect((await Promise.all([call('A'), call('A')])).map(endingOf)).toEqual(['completed', 'unavailable'])
    expect(endingOf(await call('A'))).toBe('completed')
  })

  it('invalid calls do not open a circuit breaker', async () => {
    const call = attach(circuitBreaker({ failures: 1 }), () => order)
    expect([await call(''), await call(''), await call('A')].map(endingOf)).toEqual([
      'invalid_arguments',
      'invalid_arguments',
      'completed',
    ])
  })

  it('a bulkhead bounds parallel calls, and a cancelled one leaves its line', async () => {
    let [running, most, asked] = [0, 0, 0]
    const call = attach(bulkhead({ concurrent: 2, queue: 3 }), async () => {
      asked += 1
      running += 1
      most = Math.max(most, running)
      await later(15)
      running -= 1
      return order
    })
    const controller = new AbortController()
    const outcomes = ['A', 'B', 'C', 'D', 'E', 'F'].map((id) =>
      call(id, { signal: id === 'C' ? controller.signal : undefined }),
    )
    controller.abort(new Error('left'))
    expect((await Promise.all(outcomes)).map(endingOf)).toEqual([
      'completed',
      'completed',
      'cancelled',
      'completed',
      'completed',
      'unavailable',
    ])
    expect([most, asked]).toEqual([2, 4])
  })

  it('a rate limit refuses or delays what is too much', async () => {
    stopClock()
    const strict = attach(rateLimit({ calls: 2, perMs: 10_000 }), () => order)
    const outcomes = await Promise.all(['A', 'B', 'C'].map((id) => strict(id)))
    expect(outcomes.map(endingOf)).toEqual(['completed', 'completed', 'rate_limited'])
    const patient = attach(rateLimit({ calls: 1, perMs: 20, maxWaitMs: 500 }), () => order)
    const ended: string[] = []
    const calls = ['A', 'B', 'C'].map(async (id) => ended.push(endingOf(await patient(id))))
    await vi.advanceTimersByTimeAsync(19)
    expect(ended).toEqual(['completed'])
    await vi.advanceTimersByTimeAsync(2)
    expect(ended).toEqual(['completed', 'completed'])
    await vi.advanceTimersByTimeAsync(21)
    await Promise.all(calls)
    expect(ended).toEqual(['completed', 'completed', 'completed'])
  })

  it('a retry with backoff counts its attempts', async () => {
    const call = attach(retryWithBackoff({ attempts: 3, initialMs: 2, jitter: 'none' }), (attempt) =>
      attempt < 3 ? down() : order,
    )
    const outcomes = await Promise.all(['A', 'B'].map((id) => call(id)))
    expect(outcomes.map((outcome) => [endingOf(outcome), outcome.provenance.attempts])).toEqual([
      ['completed', 3],
      ['completed', 3],
    ])
  })

  it('a cache answers equal calls of one session once', async () => {
    let asked = 0
    const call = attach(cache(), () => {
      asked += 1
      return { id: `answer ${asked}`, total: asked }
    })
    const outcomes = await Promise.all(['A', 'A', 'B'].map((id) => call(id)))
    expect(asked).toBe(2)
    const again = await call('A')
    expect(again).toMatchObject({
      result: { data: { id: 'answer 1' } },
      provenance: { attempts: 0, extra: { cache: 'hit' } },
    })
    const ids = [...outcomes, again].map((outcome) => outcome.call.toolCallId)
    expect(new Set(ids).size).toBe(4)
    await call('A', { sessionId: 'another user' })
    expect(asked).toBe(3)
    expect([await call(''), await call('')].map(endingOf)).toEqual(['invalid_arguments', 'invalid_arguments'])
  })

  it('the layers stand together: each attempt is counted, timed and broken', async () => {
    let asked = 0
    const layers = stack(
      timeout(20),
      circuitBreaker({ failures: 2, halfOpenAfterMs: 10_000 }),
      bulkhead({ concurrent: 1 }),
      retryWithBackoff({ attempts: 4, initialMs: 1, maxMs: 50 }),
      cache(),
    )
    const call = attach(layers, () => {
      asked += 1
      return new Promise(() => {})
    })
    const outcome = await call('A')
    expect(endingOf(outcome)).toBe('unavailable')
    expect([asked, outcome.provenance.attempts]).toEqual([2, 2])
  })
})

describe('in a run', () => {
  const calls: Planner = ({ outcomes }) =>
    outcomes.length === 0
      ? callTools(...['A', 'A', 'B', 'C'].map((orderId) => reader.call({ orderId })))
      : answer(outcomes.map(endingOf).join(' '))

  it('layers of the run configuration hold for parallel calls, whose outcomes keep their order', async () => {
    let [running, most, asked] = [0, 0, 0]
    const support = new Runtime().registerAgent(
      agent,
      [
        registered(reader, async () => {
          asked += 1
          running += 1
          most = Math.max(most, running)
          await later(5)
          running -= 1
          return order
        }),
      ],
      { planner: calls },
    )
    const config = runConfig()
      .layer(bulkhead({ concurrent: 2 }))
      .layer(rateLimit({ calls: 2, perMs: 60_000 }))
      .layer(cache())
    const run = await support.run('What of A, B and C?', { config })
    expect(run.status).toBe('completed')
    expect(run.outcomes.map(endingOf)).toEqual(['completed', 'completed', 'completed', 'rate_limited'])
    expect(new Set(run.outcomes.map((outcome) => outcome.call.toolCallId)).size).toBe(4)
    expect([most, asked]).toEqual([2, 2])
    const second = await support.run('And now?', { config })
    expect(second.outcomes.map(endingOf)).toEqual(Array.from({ length: 4 }, () => 'rate_limited'))
  })

  it('a cancelled run ends though its calls wait in line, and leaves nothing behind', async () => {
    const line = bulkhead({ concurrent: 1 })
    let begin = (): void => {}
    const begun = new Promise<void>((resolve) => {
      begin = resolve
    })
    let hangs = true
    const hanging = (): unknown => {
      begin()
      return hangs ? new Promise(() => {}) : order
    }
    const support = new Runtime().registerAgent(agent, [registered(reader, hanging)], { planner: calls })
    const controller = new AbortController()
    const handle = support.run('Go.', { config: runConfig().layer(line), signal: controller.signal })
    await begun
    controller.abort()
    const run = await handle
    expect(run.status).toBe('cancelled')
    expect(run.outcomes.map(endingOf)).toEqual(Array.from({ length: 4 }, () => 'cancelled'))
    hangs = false
    const next = await support.run('Again.', { config: runConfig().layer(line) })
    expect(next.status).toBe('completed')
  })
})

describe('with a tool that is not read-only', () => {
  it('nothing is cached', async () => {
    let asked = 0
    const registration = registrationOf(getOrder, () => {
      asked += 1
      return order
    })
    const bound = new Runtime().registerToolset(registration.layer(cache({ audience: 'everyone' })).layer(retry()))
    await bound.execute(getOrder.call({ orderId: 'A' }))
    await bound.execute(getOrder.call({ orderId: 'A' }))
    expect(asked).toBe(2)
  })
})
