import { afterEach, describe, expect, it, vi } from 'vitest'
import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { BindingError, type RunEvent, Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { abortedIn, agentOf, callOf, callsAtOnce, later, never, order, within } from './agents.fixture.js'

afterEach(() => void vi.useRealTimers())

const cyclic: Record<string, unknown> = { id: 'A', total: 1 }
cyclic.id = cyclic
const getter = {
  id: 'A',
  get total(): number {
    throw new Error('secret at /etc')
  },
}

const answers: readonly (readonly [string, () => unknown, string])[] = [
  ['undefined', () => undefined, 'malformed_result'],
  ['null', () => null, 'malformed_result'],
  ['a function', () => () => 1, 'malformed_result'],
  ['a symbol', () => Symbol('s'), 'malformed_result'],
  ['a bigint', () => 1n, 'malformed_result'],
  ['a cyclic value', () => cyclic, 'malformed_result'],
  ['a value that breaks its schema', () => ({ id: 1, total: 'x' }), 'malformed_result'],
  ['a number that is none', () => ({ id: 'A', total: Number.NaN }), 'malformed_result'],
  ['a value that cannot be read', () => getter, 'any'],
  [
    'a throw of an error',
    () => {
      throw new Error('secret at /etc')
    },
    'internal',
  ],
  [
    'a throw of nothing',
    () => {
      throw undefined
    },
    'internal',
  ],
  ['a rejection', () => Promise.reject(new Error('secret at /etc')), 'internal'],
]

describe('an executor that answers with', () => {
  it.each(answers)('%s makes its call fail, and no other', async (_, answer, reason) => {
    const planner = callsAtOnce(callOf('A', 'one'), callOf('B', 'bad'), callOf('C', 'two'))
    const agent = agentOf(({ meta }) => (meta.toolCallId === 'bad' ? answer() : later(5, order)), { planner })
    const run = await agent.run('?')
    expect(run.outcomes.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed'])
    expect(run).toMatchObject({ status: 'completed', result: { text: 'done' }, usage: { toolCalls: 3 } })
    if (reason !== 'any') expect(run.outcomes[1]).toMatchObject({ hint: { reason }, provenance: { attempts: 1 } })
    expect(JSON.stringify(run)).not.toContain('secret')
    expect(run.messages.filter(({ role }) => role === 'tool')).toHaveLength(3)
    const ended = run.events.filter(({ type }) => type === 'call_ended')
    expect(ended).toHaveLength(3)
  })

  it('a cyclic value or a bigint fails a hand-written tool too; nothing is null', async () => {
    const run = async (value: unknown) => {
      const local = toolset('local', tool({ name: 'odd', description: '', parameters: {}, run: () => value }))
      return new Runtime().registerToolset(local).execute({ tool: 'odd', arguments: '{}' })
    }
    for (const value of [cyclic, 1n, () => 1]) expect(await run(value)).toMatchObject({ status: 'failed' })
    expect(await run(undefined)).toMatchObject({ status: 'completed', json: 'null', result: { data: null } })
  })

  it('nothing at all, for ever, ends with the time-out of the policy; siblings are unharmed', async () => {
    const planner = callsAtOnce(callOf('A', 'one'), callOf('B', 'bad'))
    const execute = ({ meta }: { readonly meta: { readonly toolCallId: string } }) =>
      meta.toolCallId === 'bad' ? never() : order
    const run = await within(agentOf(execute, { planner, policy: { toolTimeoutMs: 20 } }).run('?'))
    expect(run).toMatchObject({ outcomes: [{ status: 'completed' }, { hint: { reason: 'timeout' } }] })
    const controller = new AbortController()
    const onEvent = ({ type }: RunEvent): void => (type === 'call_ended' ? controller.abort() : undefined)
    const cancelled = agentOf(execute, { planner }).run('?', { signal: controller.signal, onEvent })
    expect(await within(cancelled)).toMatchObject({
      status: 'cancelled',
      outcomes: [{ status: 'completed' }, { hint: { reason: 'cancelled' } }],
    })
    const single = agentOf(never).execute(callOf(), { signal: abortedIn(20) })
    expect(await within(single)).toMatchObject({ hint: { reason: 'cancelled' } })
    const late = agentOf(never).execute(callOf(), { deadline: Date.now() + 20 })
    expect(await within(late)).toMatchObject({ hint: { reason: 'timeout' } })
  })
})

describe('a sink', () => {
  it('that throws or rejects harms no call, and no other sink', async () => {
    const heard: RunEvent[] = []
    const runtime = new Runtime({
      sinks: [
        () => {
          throw new Error('sink')
        },
        async () => {
          throw new Error('sink')
        },
        never,
        (event) => void heard.push(event),
      ],
    })
    const agent = agentOf(() => order, { runtime, planner: callsAtOnce(callOf('A', 'one'), callOf('B', 'two')) })
    const run = await within(
      agent.run('?', {
        onEvent: () => {
          throw new Error('listener')
        },
      }),
    )
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }, { status: 'completed' }] })
    expect(heard).toEqual(run === 'hangs' ? [] : run.events)
    expect(heard.map(({ sequence }) => sequence)).toEqual(heard.map((_, index) => index + 1))
    expect((await agent.execute(callOf())).status).toBe('completed')
  })
})

describe('registering', () => {
  it('the same toolset twice for one agent is refused, and says what to do', () => {
    const registration = registrationOf(getOrder, () => order)
    const register = () =>
      new Runtime().registerAgent({ name: 'support', description: '' }, [registration, registration])
    expect(register).toThrow(BindingError)
    expect(register).toThrow("Two toolsets have the name 'orders'")
  })
})

describe('a closed runtime', () => {
  it('refuses calls and runs', async () => {
    const runtime = new Runtime()
    let asked = 0
    const planner = () => {
      asked += 1
      return callsAtOnce(callOf())({ turn: asked } as never)
    }
    const agent = agentOf(() => order, { runtime, planner })
    await runtime.close()
    const events: RunEvent[] = []
    const onEvent = (event: RunEvent): void => void events.push(event)
    expect(await agent.execute(callOf(), { onEvent })).toMatchObject({
      hint: { reason: 'cancelled' },
      error: { message: 'The runtime is closed and accepts no more calls.' },
    })
    expect(events.map(({ type }) => type)).toEqual(['call_started', 'call_ended'])
    const run = await agent.run('?')
    expect(['failed', 'cancelled']).toContain(run.status)
    expect([asked, run.outcomes]).toEqual([0, []])
    await runtime.close()
  })

  it('waits for calls under way, and cuts off what takes longer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const runtime = new Runtime()
    const ended: string[] = []
    const quick = agentOf(() => later(30, order), { runtime }).execute(callOf())
    const slow = agentOf(never, { runtime }).execute(callOf())
    void quick.then(() => ended.push('quick'))
    void slow.then(() => ended.push('slow'))
    const closing = runtime.close({ drainMs: 60 }).then(() => ended.push('runtime'))
    await vi.advanceTimersByTimeAsync(59)
    expect(ended).toEqual(['quick'])
    await vi.advanceTimersByTimeAsync(1)
    await closing
    expect(ended.toSorted()).toEqual(['quick', 'runtime', 'slow'])
    expect(await quick).toMatchObject({ status: 'completed' })
    expect(await slow).toMatchObject({ hint: { reason: 'cancelled' } })
  })

  it('is closed once the last call has ended, however long it may have taken', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const runtime = new Runtime()
    const call = agentOf(() => later(20, order), { runtime }).execute(callOf())
    const closing = Promise.all([runtime.close(), runtime.close({ drainMs: 9_000 })])
    await vi.advanceTimersByTimeAsync(20)
    await closing
    expect(vi.getTimerCount()).toBe(0)
    expect((await call).status).toBe('completed')
  })

  it('leaves other runtimes open', async () => {
    await new Runtime().close()
    expect((await agentOf(() => order).execute(callOf())).status).toBe('completed')
  })
})
