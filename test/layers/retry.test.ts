import { afterEach, describe, expect, it, vi } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type BoundAgent,
  type FailureReason,
  Runtime,
  recommended,
  retry,
  runConfig,
  ToolFailure,
  type ToolFailureOptions,
  type ToolLayer,
  type ToolSpec,
  timeout,
} from '../../packages/runtime/src/index.js'
import { agentOf, callOf, later, order } from '../runs/agents.fixture.js'

interface Flaky {
  readonly agent: BoundAgent
  readonly times: number[]
}

/** Time passes only where a test says so. */
const stopClock = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
afterEach(() => void vi.useRealTimers())

/** A tool that fails so often, then answers; it keeps when it was tried. */
function flaky(failures: number, options: ToolFailureOptions, spec: Partial<ToolSpec> = {}): Flaky {
  const times: number[] = []
  const execute = (): unknown => {
    times.push(Date.now())
    if (times.length <= failures) throw new ToolFailure('not now', options)
    return order
  }
  const tool = toolOf('orders.getOrder', { spec })
  const agent = new Runtime().registerAgent({ name: 'support', description: '' }, [registrationOf(tool, execute)])
  return { agent, times }
}

const busy: ToolFailureOptions = { reason: 'unavailable', action: 'wait', retryAfterMs: 1 }

/** Lets time pass until a call has ended. */
async function passing(call: PromiseLike<unknown>): Promise<void> {
  await vi.advanceTimersByTimeAsync(10_000)
  await call
}

const gap = ([first = 0, second = 0]: readonly number[]): number => second - first

describe('recommended', () => {
  it.each([
    ['any tool', {}, 1],
    ['a read-only tool', { readOnly: true }, 2],
    ['an idempotent tool', { idempotent: true }, 2],
  ])('defect 23: ends each attempt of %s after 30 seconds', async (_, annotations, attempts) => {
    stopClock()
    let begun = 0
    const tool = toolOf('orders.getOrder', { spec: { annotations } })
    const registration = registrationOf(tool, () => {
      begun += 1
      return new Promise(() => undefined)
    })
    const agent = new Runtime().registerAgent({ name: 'support', description: '' }, [registration])
    const ended = vi.fn()
    const call = agent.layer(recommended()).execute(callOf())
    void call.then(ended)
    await vi.advanceTimersByTimeAsync(29_999)
    expect([begun, ended.mock.calls.length]).toEqual([1, 0])
    await vi.advanceTimersByTimeAsync(1)
    expect(ended).toHaveBeenCalledTimes(attempts === 1 ? 1 : 0)
    // The wait between two attempts, then the whole time of the second.
    await vi.advanceTimersByTimeAsync(60_000)
    expect(await call).toMatchObject({ status: 'failed', hint: { reason: 'timeout' }, provenance: { attempts } })
    expect(begun).toBe(attempts)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('retry', () => {
  it('tries again and counts the attempts', async () => {
    const { agent } = flaky(2, busy)
    const outcome = await agent.layer(retry({ attempts: 3 })).execute(callOf())
    expect(outcome).toMatchObject({
      status: 'completed',
      provenance: { attempts: 3 },
      result: { provenance: { attempts: 3 } },
    })
  })

  it('ends with the last failure when the attempts are used up', async () => {
    const { agent, times } = flaky(9, busy)
    const outcome = await agent.layer(retry({ attempts: 3 })).execute(callOf())
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'unavailable' }, provenance: { attempts: 3 } })
    expect(times).toHaveLength(3)
  })

  it('waits as long as the hint says, whatever its own delays are', async () => {
    stopClock()
    const { agent, times } = flaky(1, { ...busy, retryAfterMs: 80 })
    await passing(agent.layer(retry({ delayMs: () => 0 })).execute(callOf()))
    expect(gap(times)).toBe(80)
    const quick = flaky(1, { ...busy, retryAfterMs: 1 })
    await passing(quick.agent.layer(retry({ delayMs: () => 2_000 })).execute(callOf()))
    expect(gap(quick.times)).toBe(1)
  })

  it('waits its own delay where the hint says nothing, longer each time', async () => {
    const asked: number[] = []
    const delayMs = (attempt: number): number => {
      asked.push(attempt)
      return 20
    }
    stopClock()
    const { agent, times } = flaky(2, { reason: 'unavailable', action: 'wait' })
    await passing(agent.layer(retry({ attempts: 3, delayMs })).execute(callOf()))
    expect(asked).toEqual([2, 3])
    expect(gap(times)).toBe(20)
    const plain = flaky(1, { reason: 'rate_limited' })
    await passing(plain.agent.layer(retry()).execute(callOf()))
    expect(gap(plain.times)).toBe(100)
  })

  it('leaves a longer wait to the planner', async () => {
    const { agent, times } = flaky(1, { ...busy, retryAfterMs: 10_001 })
    expect(await agent.layer(retry()).execute(callOf())).toMatchObject({ hint: { retryAfterMs: 10_001 } })
    expect(times).toHaveLength(1)
  })

  const finalReasons: readonly FailureReason[] = ['denied', 'domain_rejection', 'internal', 'cancelled', 'interrupted']
  it.each(finalReasons)('never tries again after %s, not even an idempotent tool', async (reason) => {
    const { agent, times } = flaky(1, { reason } as ToolFailureOptions, { annotations: { idempotent: true } })
    expect(await agent.layer(retry()).execute(callOf())).toMatchObject({ hint: { reason } })
    expect(times).toHaveLength(1)
  })

  it.each([
    [{}, 1],
    [{ destructive: true }, 1],
    [{ idempotent: true }, 2],
    [{ readOnly: true }, 2],
  ])('tries after a time-out only what may run twice: %j', async (annotations, tried) => {
    const { agent, times } = flaky(1, { reason: 'timeout', action: 'replan', retryAfterMs: 1 }, { annotations })
    await agent.layer(retry()).execute(callOf())
    expect(times).toHaveLength(tried)
  })

  it('never tries again after an update', async () => {
    let tried = 0
    const tool = toolOf('orders.getOrder', { spec: { updates: { type: 'integer' } } })
    const registration = registrationOf(tool, async ({ emit }) => {
      tried += 1
      await emit(tried)
      throw new ToolFailure('not now', busy)
    })
    const outcome = await new Runtime().registerToolset(registration.layer(retry({ attempts: 5 }))).execute(callOf())
    expect(outcome).toMatchObject({ hint: { reason: 'unavailable' }, provenance: { attempts: 1 } })
    expect(tried).toBe(1)
  })

  it('stops waiting when the call is cancelled', async () => {
    const { agent, times } = flaky(9, { ...busy, retryAfterMs: 5_000 })
    stopClock()
    const controller = new AbortController()
    const call = agent.layer(retry()).execute(callOf(), { signal: controller.signal })
    await vi.advanceTimersByTimeAsync(20)
    controller.abort()
    expect((await call).status).toBe('failed')
    expect(times).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('runs the payload adapter once, and shows each attempt its number and a payload of its own', async () => {
    let adapted = 0
    const attempts: number[] = []
    const execute = async (request: { readonly meta: { readonly attempt: number }; payload(): Promise<unknown> }) => {
      attempts.push(request.meta.attempt)
      const payload = await request.payload()
      expect(payload).toEqual({ orderId: 'A-1', quantity: 1 })
      Object.assign(payload as object, { orderId: 'changed' })
      if (attempts.length < 3) throw new ToolFailure('not now', busy)
      return order
    }
    const payloadAdapter = (json: string): string => {
      adapted += 1
      return json
    }
    expect(
      await agentOf(execute, { options: { payloadAdapter } })
        .layer(retry({ attempts: 3 }))
        .execute(callOf()),
    ).toMatchObject({
      status: 'completed',
    })
    expect([adapted, attempts]).toEqual([1, [1, 2, 3]])
  })

  it.each([0, -1, 1.5, Number.NaN])('takes no %d attempts', (attempts) => {
    expect(() => retry({ attempts })).toThrow(RangeError)
  })

  const scopes: readonly (readonly [string, (layer: ToolLayer) => Promise<unknown>])[] = [
    [
      'a registration',
      async (layer) => {
        let tried = 0
        const registration = registrationOf(toolOf('orders.getOrder'), () => {
          tried += 1
          if (tried === 1) throw new ToolFailure('not now', busy)
          return order
        })
        return new Runtime().registerToolset(registration.layer(layer)).execute(callOf())
      },
    ],
    ['an agent', (layer) => flaky(1, busy).agent.layer(layer).execute(callOf())],
    ['a configuration', (layer) => flaky(1, busy).agent.execute(callOf(), { config: runConfig().layer(layer) })],
  ]
  it.each(scopes)('works around %s, and within recommended()', async (_, executeWith) => {
    expect(await executeWith(retry())).toMatchObject({ status: 'completed', provenance: { attempts: 2 } })
    expect(await executeWith(recommended())).toMatchObject({ status: 'completed', provenance: { attempts: 2 } })
  })
})

describe('timeout and retry', () => {
  it('limits each attempt beneath a retry, and all together around it', async () => {
    let tried = 0
    const slow = registrationOf(toolOf('orders.getOrder', { spec: { annotations: { idempotent: true } } }), () => {
      tried += 1
      return later(tried === 1 ? 1_000 : 1, order)
    })
    const quickly = retry({ delayMs: () => 1 })
    const each = slow.layer(timeout(30)).layer(quickly)
    expect(await new Runtime().registerToolset(each).execute(callOf())).toMatchObject({
      status: 'completed',
      provenance: { attempts: 2 },
    })
    tried = 0
    const all = slow.layer(quickly).layer(timeout(30))
    expect(await new Runtime().registerToolset(all).execute(callOf())).toMatchObject({
      hint: { reason: 'timeout' },
      provenance: { attempts: 1 },
    })
  })
})
