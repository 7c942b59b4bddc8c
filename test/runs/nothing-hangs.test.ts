import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { callTools, type RunLayer, type StepLayer } from '../../packages/runtime/src/agents.js'
import {
  approval,
  Runtime,
  retry,
  ToolFailure,
  timeout,
  tool,
  toolset,
  tracing,
} from '../../packages/runtime/src/index.js'
import {
  abortedIn,
  agentOf,
  callOf,
  callsAtOnce,
  later,
  never,
  order,
  script,
  unhandledDuring,
  within,
} from './agents.fixture.js'

const soon = (): AbortSignal => abortedIn(20)

describe('a call ends', () => {
  it('when its payload adapter never settles, also while somebody listens to its events', async () => {
    const hinted = toolOf<{ orderId: string }, unknown>('orders.getOrder', { spec: { callHint: 'Order {{orderId}}' } })
    const orders = new Runtime().registerToolset(registrationOf(hinted, () => order, { payloadAdapter: never }))
    const seen: string[] = []
    const onEvent = ({ type }: { readonly type: string }): number => seen.push(type)
    const outcome = await within(
      orders.execute(hinted.call({ orderId: 'A' }), {
        signal: soon(),
        onEvent: (event) => void onEvent(event),
      }),
    )
    expect(outcome).toMatchObject({ status: 'failed' })
    expect(seen).toEqual(['call_started', 'call_ended'])
  })

  it('without asking anybody for an approval when it was cancelled before it began', async () => {
    let asked = 0
    const env = {
      approval: {
        approve: async () => {
          asked += 1
          return 'approve' as const
        },
      },
    }
    const agent = agentOf(() => order).layer(approval())
    const outcome = await agent.execute(callOf(), { signal: AbortSignal.abort(), env })
    expect(outcome).toMatchObject({ status: 'failed', hint: { reason: 'cancelled' } })
    expect(asked).toBe(0)
  })
})

describe('a run ends', () => {
  const waits: StepLayer = () => never
  const waitsLong: RunLayer = () => never

  it('when it is cancelled and a layer around its steps never settles', async () => {
    const run = agentOf(() => order, { planner: callsAtOnce(callOf()) })
      .stepLayer(waits)
      .run('?', { signal: soon() })
    expect(await within(run)).toMatchObject({ status: 'cancelled' })
  })

  it('when it is cancelled and a layer around it never settles', async () => {
    const run = agentOf(() => order, { planner: callsAtOnce(callOf()) })
      .runLayer(waitsLong)
      .run('?', { signal: soon() })
    expect(await within(run)).toMatchObject({ status: 'cancelled' })
  })

  it('when its planner never settles and its time is used up', async () => {
    const run = agentOf(() => order, { planner: never, policy: { timeBudgetMs: 20 } }).run('?')
    expect(await within(run)).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget', limit: 20 } })
  })

  it('when its planner asks for no call at all', async () => {
    const run = agentOf(() => order, { planner: script(callTools(), callTools(), callTools()) }).run('?')
    expect(await within(run)).toMatchObject({ status: 'failed', usage: { turns: 0 } })
  })

  it('when the runtime is closed while its planner would go on for ever', async () => {
    const runtime = new Runtime()
    let turns = 0
    const planner = async () => {
      turns += 1
      if (turns > 500) throw new Error('still running')
      return later(1, callTools(callOf()))
    }
    const run = agentOf(() => order, { runtime, planner }).run('?')
    await later(20, undefined)
    await runtime.close({ drainMs: 50 })
    expect(await within(run)).toMatchObject({ status: 'cancelled' })
  })

  it('when the runtime is closed while its planner never settles', async () => {
    const runtime = new Runtime()
    const run = agentOf(() => order, { runtime, planner: never }).run('?')
    await later(5, undefined)
    await runtime.close({ drainMs: 10 })
    expect(await within(run)).toMatchObject({ status: 'cancelled' })
  })

  it('without a rejection when the clock fails', async () => {
    const broken = new Runtime({
      effects: {
        now: () => {
          throw new Error('no clock')
        },
        newId: () => 'id',
      },
    })
    const unhandled = await unhandledDuring(async () => {
      const run = agentOf(() => order, { runtime: broken, planner: script() }).run('?')
      expect(
        await within(
          run.then(
            (ended) => ended.status,
            () => 'rejected',
          ),
        ),
      ).toBe('failed')
    })
    expect(unhandled).toEqual([])
  })
})

describe('closing', () => {
  it.each([Number.POSITIVE_INFINITY, 3_000_000_000])(
    'waits for calls as long as it was told: %d ms',
    async (drainMs) => {
      const runtime = new Runtime()
      const outcome = agentOf(() => later(60, order), { runtime }).execute(callOf())
      await runtime.close({ drainMs })
      expect(await outcome).toMatchObject({ status: 'completed' })
    },
  )
})

describe('nothing brings the process down', () => {
  it('not a listener to updates that rejects', async () => {
    const counting = toolset(
      'local',
      tool({
        name: 'count',
        description: 'Counts.',
        parameters: {},
        updates: { type: 'integer' },
        run: async (_, { emit }) => emit(1),
      }),
    )
    const unhandled = await unhandledDuring(async () => {
      const onUpdate = async (): Promise<void> => {
        throw new Error('listener')
      }
      const outcome = await new Runtime()
        .registerToolset(counting)
        .execute({ tool: 'count', arguments: '{}' }, { onUpdate: (update) => onUpdate().then(() => void update) })
      expect(outcome.status).toBe('completed')
    })
    expect(unhandled).toEqual([])
  })

  it('not a tool that goes on emitting after its time-out, and waits for none', async () => {
    const counting = toolset(
      'local',
      tool({
        name: 'count',
        description: 'Counts.',
        parameters: {},
        updates: { type: 'integer' },
        run: async (_, { emit }) => {
          for (let index = 0; index < 10; index += 1) {
            void emit(index)
            await later(5, undefined)
          }
        },
      }).layer(timeout(10)),
    )
    const unhandled = await unhandledDuring(async () => {
      const outcome = await new Runtime().registerToolset(counting).execute({ tool: 'count', arguments: '{}' })
      expect(outcome).toMatchObject({ hint: { reason: 'timeout' } })
      await later(60, undefined)
    })
    expect(unhandled).toEqual([])
  })

  it('not a report of the tracing layer that rejects', async () => {
    const unhandled = await unhandledDuring(async () => {
      const agent = agentOf(() => order).layer(tracing(() => Promise.reject(new Error('report'))))
      expect((await agent.execute(callOf())).status).toBe('completed')
    })
    expect(unhandled).toEqual([])
  })
})

describe('retries of two scopes', () => {
  it('multiply: each attempt of the outer one may be tried again by the inner one', async () => {
    let tried = 0
    const execute = (): unknown => {
      tried += 1
      if (tried < 4) throw new ToolFailure('busy', { reason: 'unavailable', action: 'wait', retryAfterMs: 0 })
      return order
    }
    const outcome = await agentOf(execute).layer(retry()).layer(retry()).execute(callOf())
    expect(outcome).toMatchObject({ status: 'completed', provenance: { attempts: 4 } })
  })

  it('wait for the given time, also longer than the maximum of a timer', async () => {
    let tried = 0
    const execute = (): unknown => {
      tried += 1
      throw new ToolFailure('busy', { reason: 'unavailable', action: 'wait' })
    }
    const agent = agentOf(execute).layer(retry({ maxWaitMs: Number.POSITIVE_INFINITY, delayMs: () => 3_000_000_000 }))
    await agent.execute(callOf(), { signal: abortedIn(60) })
    expect(tried).toBe(1)
  })
})

describe('listeners', () => {
  it('stay few however many runs share the signal of their caller', async () => {
    const warnings: string[] = []
    const listener = ({ name }: Error): number => warnings.push(name)
    process.on('warning', listener)
    const { signal } = new AbortController()
    const agent = agentOf(() => later(5, order), { planner: callsAtOnce(callOf()) })
    await Promise.all(Array.from({ length: 30 }, () => agent.run('?', { signal })))
    await later(5, undefined)
    process.off('warning', listener)
    expect(warnings).toEqual([])
  })
})
