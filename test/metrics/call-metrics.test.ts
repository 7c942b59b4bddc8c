import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { LatencySummary } from '../../packages/runtime/src/adapters/metrics-snapshot.js'

import {
  approval,
  type Effects,
  Runtime,
  type Tool,
  ToolFailure,
  type Tracer,
  tool,
  toolset,
} from '../../packages/runtime/src/index.js'
import { RuntimeMetrics } from '../../packages/runtime/src/metrics.js'
import { agents } from '../nested/agents.fixture.js'

/** A clock that only tools move. */
function clock(): Effects & { pass(ms: number): void } {
  let [now, ids] = [0, 0]
  return {
    now: () => now,
    newId: (kind) => {
      ids += 1
      return `${kind}-${ids}`
    },
    pass: (ms) => {
      now += ms
    },
  }
}

const call = (name: string, args: object = {}) => ({ tool: name, arguments: JSON.stringify(args) })

const named = (name: string, run: (args: Record<string, unknown>) => unknown): Tool =>
  tool({ name, description: '', parameters: {}, run })

/** The figures of calls that took so long, one after another. */
async function latencyOf(times: readonly number[]): Promise<LatencySummary | undefined> {
  const metrics = new RuntimeMetrics()
  const effects = clock()
  const wait = named('wait', ({ ms }) => effects.pass(Number(ms)))
  const local = new Runtime({ tracer: metrics, effects }).registerToolset(toolset('local', wait))
  for (const ms of times) await local.execute(call('wait', { ms }))
  const { calls, tools } = metrics.snapshot()
  expect(calls.count).toBe(times.length)
  expect(tools['local.wait']?.latencyMs).toEqual(calls.latencyMs)
  return calls.latencyMs
}

/** The value that so many per cent of all do not exceed. */
function exact(times: readonly number[], percent: number): number {
  return [...times].sort((one, other) => one - other)[Math.ceil((percent / 100) * times.length) - 1] ?? 0
}

describe('the latency of calls', () => {
  it('is at most 2 % off, from a microsecond to a day, however it is spread', async () => {
    // Sums of powers of two: the clock adds and subtracts them without loss.
    const time = fc.tuple(fc.integer({ min: -9, max: 25 }), fc.integer({ min: 0, max: 63 }))
    const ms = time.map(([power, part]) => 2 ** power * (1 + part / 64))
    const many = fc.array(fc.oneof(ms, fc.integer({ min: 0, max: 40 })), { minLength: 1, maxLength: 150 })
    await fc.assert(
      fc.asyncProperty(many, async (times) => {
        const figures = await latencyOf(times)
        for (const percent of [50, 95, 99] as const) {
          const [right, told] = [exact(times, percent), figures?.[`p${percent}`] ?? -1]
          expect(Math.abs(told - right)).toBeLessThanOrEqual(0.02 * right + 1e-9)
        }
        const mean = times.reduce((sum, each) => sum + each, 0) / times.length
        expect(figures?.mean).toBeCloseTo(mean, 6)
        expect(figures?.max).toBe(Math.max(...times))
      }),
      { numRuns: 60 },
    )
  })

  it('is exact where all took as long, and absent before any', async () => {
    for (const ms of [0.25, 1, 17, 18, 19.5, 86_400_000]) {
      expect(await latencyOf([ms, ms])).toEqual({ mean: ms, p50: ms, p95: ms, p99: ms, max: ms })
    }
    expect(await latencyOf([])).toBeUndefined()
  })

  it('counts what took no time as 0, and what took more than a day as a day', async () => {
    expect(await latencyOf([0, 0, 0])).toEqual({ mean: 0, p50: 0, p95: 0, p99: 0, max: 0 })
    const day = 86_400_000
    expect(await latencyOf([5 * day])).toEqual({ mean: day, p50: day, p95: day, p99: day, max: day })
  })
})

describe('the calls of a runtime', () => {
  const failWith = (status: number) => () => {
    throw Object.assign(new Error('no'), { status })
  }
  const tools = [
    named('works', () => ({ ok: true })),
    named('busy', failWith(429)),
    named('moody', ({ reason }) => {
      if (reason === 'domain_rejection') throw new ToolFailure('No.', { reason, action: 'replan' })
      throw Object.assign(new Error('down'), { status: 503 })
    }),
  ]

  it('are counted by tool, by what came of them and by the reason of a failure', async () => {
    const metrics = new RuntimeMetrics()
    const runtime = new Runtime({ tracer: metrics })
    const local = runtime.registerToolset(toolset('local', ...tools))
    const asking = runtime.registerToolset(
      toolset(
        'asking',
        named('pay', () => 'paid'),
      ).layer(approval()),
    )
    for (const name of ['works', 'works', 'busy', 'moody']) await local.execute(call(name))
    await local.execute(call('moody', { reason: 'domain_rejection' }))
    await asking.execute(call('pay'), { env: { approval: { approve: async () => 'suspend' } } })
    await asking.execute(call('pay'), { env: { approval: { approve: async () => 'deny' } } })

    const { calls, tools: byTool } = metrics.snapshot()
    expect(calls).toMatchObject({
      ...{ active: 0, count: 7, completed: 2, failed: 4, suspended: 1 },
      failures: { rate_limited: 1, unavailable: 1, domain_rejection: 1, denied: 1 },
    })
    expect(Object.keys(byTool)).toEqual(['local.works', 'local.busy', 'local.moody', 'asking.pay'])
    expect(byTool['local.works']).toMatchObject({ count: 2, completed: 2, failed: 0, suspended: 0, failures: {} })
    expect(byTool['local.moody']).toMatchObject({ failed: 2, failures: { unavailable: 1, domain_rejection: 1 } })
    expect(byTool['asking.pay']).toMatchObject({ count: 2, failed: 1, suspended: 1, failures: { denied: 1 } })
  })

  it('of tools that models make up are counted under one name', async () => {
    const metrics = new RuntimeMetrics()
    const local = new Runtime({ tracer: metrics }).registerToolset(toolset('local', ...tools))
    for (let index = 0; index < 2_000; index += 1) await local.execute(call(`local.made_up_${index}`))
    await local.execute(call('__proto__'))
    expect(metrics.snapshot().tools).toMatchObject({ _OTHER: { failed: 2_001, failures: { unknown_tool: 2_001 } } })
    expect(Object.keys(metrics.snapshot().tools)).toEqual(['_OTHER'])
  })

  it('of tools above the limit are counted under one name, with those of unknown tools', async () => {
    const metrics = new RuntimeMetrics({ maxTools: 2 })
    const local = new Runtime({ tracer: metrics }).registerToolset(toolset('local', ...tools))
    for (const name of ['nobody', 'works', 'busy', 'moody', 'works']) await local.execute(call(name))
    const { calls, tools: byTool } = metrics.snapshot()
    expect(Object.entries(byTool).map(([name, { count }]) => [name, count])).toEqual([
      ['_OTHER', 2],
      ['local.works', 2],
      ['local.busy', 1],
    ])
    expect(calls.count).toBe(5)
  })

  it.each([0, -1, 1.5, Number.NaN])('%s is not a valid number of tools', (maxTools) => {
    expect(() => new RuntimeMetrics({ maxTools })).toThrow(RangeError)
  })

  it('are counted too where an agent that serves as a tool makes them', async () => {
    const metrics = new RuntimeMetrics()
    const { support } = agents({ runtime: new Runtime({ tracer: metrics }) })
    await support.run('Look into lamps.')
    const { calls, tools: byTool } = metrics.snapshot()
    expect(Object.keys(byTool)).toEqual(['orders.getOrder', 'investigation.investigate'])
    expect(calls).toMatchObject({ count: 2, completed: 2, active: 0 })
  })

  it('that have not ended are under way, also after a reset, and nothing else is left by it', async () => {
    const metrics = new RuntimeMetrics()
    let end: (result: unknown) => void = () => undefined
    const slow = named('slow', () => new Promise((resolve) => (end = resolve)))
    const local = new Runtime({ tracer: metrics }).registerToolset(toolset('local', slow, ...tools))
    const ended = local.execute(call('slow'))
    await local.execute(call('busy'))
    expect(metrics.snapshot().calls).toMatchObject({ active: 1, count: 1, failures: { rate_limited: 1 } })
    metrics.reset()
    expect(metrics.snapshot().calls).toMatchObject({ active: 1, count: 0, failures: {} })
    expect(metrics.snapshot().tools).toEqual({})
    end('done')
    await ended
    expect(metrics.snapshot().calls).toMatchObject({ active: 0, count: 1, completed: 1 })
  })

  it('are plain data that JSON holds whole', async () => {
    const metrics = new RuntimeMetrics()
    const local = new Runtime({ tracer: metrics }).registerToolset(toolset('local', ...tools))
    await local.execute(call('works'))
    await local.execute(call('busy'))
    const snapshot = metrics.snapshot()
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
  })
})

describe('a tracer beside the metrics', () => {
  const told: string[] = []
  const telling: Tracer = {
    call: async ({ call: { tool: name } }, work) => {
      told.push(name)
      return work()
    },
    run: async ({ agent }, work) => {
      told.push(agent)
      return work()
    },
    model: (_, work) => work(),
  }
  const boom = (): never => {
    throw new Error('the tracer is broken')
  }

  const endless = (): Promise<never> => new Promise(() => undefined)

  it('accompanies every call and run', async () => {
    const metrics = new RuntimeMetrics({ tracer: telling })
    const { support } = agents({ runtime: new Runtime({ tracer: metrics }) })
    await support.run('Look into lamps.')
    expect(told).toEqual(['support', 'investigation.investigate', 'research', 'orders.getOrder'])
    expect(metrics.snapshot().calls.count).toBe(2)
  })

  it.each<[string, Tracer]>([
    ['throws', { call: boom, run: boom, model: boom }],
    ['never comes to an end', { call: endless, run: endless, model: endless }],
  ])('that %s changes no outcome and no figure', async (_, tracer) => {
    const metrics = new RuntimeMetrics({ tracer })
    const { support } = agents({ runtime: new Runtime({ tracer: metrics }) })
    expect((await support.run('Look into lamps.')).status).toBe('completed')
    expect(metrics.snapshot().calls).toMatchObject({ count: 2, completed: 2, active: 0 })
  })
})
