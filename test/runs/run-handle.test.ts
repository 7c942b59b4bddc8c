import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { type AgentRun, answer, callTools } from '../../packages/runtime/src/agents.js'
import { type RunEvent, Runtime } from '../../packages/runtime/src/index.js'
import { abortedIn, agentOf, callOf, callsAtOnce, later, order, script, within } from './agents.fixture.js'

/** A run of so many steps of one call, and how many of them have begun. */
function longRun(steps: number, signal?: AbortSignal) {
  const begun = { steps: 0 }
  const planner = ({ turn }: { readonly turn: number }) => {
    begun.steps = turn
    return turn <= steps ? callTools(callOf()) : answer('done')
  }
  return { begun, run: agentOf(() => order, { planner, policy: { maxTurns: steps + 1 } }).run('?', { signal }) }
}

/** What a count comes to: it has not changed for a while. */
async function settled(count: () => number): Promise<number> {
  for (let before = -1; ; ) {
    if (before === count()) return before
    before = count()
    await later(40, undefined)
  }
}

async function typesOf(events: AsyncIterable<RunEvent>): Promise<readonly string[]> {
  const types: string[] = []
  for await (const { type } of events) types.push(type)
  return types
}

describe('the handle of a run', () => {
  it('is the run where it is awaited, as often as one likes', async () => {
    const run = agentOf(() => order, { planner: script() }).run('?')
    const [one, two] = await Promise.all([run, run])
    expect(one).toBe(two)
    expect(one).toMatchObject({ runId: run.runId, status: 'completed' })
    expect(await Promise.resolve(run)).toBe(one)
  })

  it('is its events where it is iterated over, each time from the first one on', async () => {
    const run = agentOf(() => order, { planner: callsAtOnce(callOf()) }).run('?')
    const types = await typesOf(run)
    expect(types).toEqual([
      'run_started',
      'step_started',
      'call_started',
      'call_ended',
      'step_ended',
      'step_started',
      'step_ended',
      'run_ended',
    ])
    expect(await typesOf(run)).toEqual(types)
    const { events } = await run
    expect(events.map(({ type }) => type)).toEqual(types)
    expect(events.map(({ sequence }) => sequence)).toEqual(types.map((_, index) => index + 1))
    for (const event of events) expect(event).toMatchObject({ runId: run.runId, agent: 'support' })
  })

  it('runs on by itself when nobody awaits it and nobody iterates', async () => {
    const { begun } = longRun(100)
    expect(await settled(() => begun.steps)).toBe(101)
  })

  it('waits while the only iteration is far behind, and goes on when it reads, leaves or somebody awaits', async () => {
    const { begun, run } = longRun(100)
    const events = run[Symbol.asyncIterator]()
    const reached = await settled(() => begun.steps)
    expect(reached).toBeGreaterThan(20)
    expect(reached).toBeLessThan(30)
    for (let index = 0; index < 40; index += 1) await events.next()
    const further = await settled(() => begun.steps)
    expect(further).toBeGreaterThan(reached)
    expect(further).toBeLessThan(45)
    await events.return?.()
    expect(await settled(() => begun.steps)).toBe(101)
    const other = longRun(100)
    other.run[Symbol.asyncIterator]()
    expect(await within(other.run)).toMatchObject({ status: 'completed', usage: { turns: 101 } })
  })

  it('ends when it is cancelled, also while an iteration is far behind', async () => {
    const ended: string[] = []
    const signal = abortedIn(30)
    const planner = () => callTools(callOf())
    const onEvent = ({ type }: RunEvent): void => {
      if (type === 'run_ended') ended.push(type)
    }
    const run = agentOf(() => order, { planner }).run('?', { signal, onEvent })
    run[Symbol.asyncIterator]()
    await later(200, undefined)
    expect(ended).toEqual(['run_ended'])
  })

  it('lets a loop stop the run', async () => {
    const controller = new AbortController()
    const run = agentOf(() => order, { planner: () => callTools(callOf()) }).run('?', { signal: controller.signal })
    let calls = 0
    for await (const event of run) if (event.type === 'call_ended' && ++calls === 3) controller.abort()
    expect(await run).toMatchObject({ status: 'cancelled' })
  })

  it('reports the updates of streaming tools between the start and the end of their call', async () => {
    const tool = toolOf<{ orderId: string }, unknown>('orders.getOrder', { spec: { updates: { type: 'integer' } } })
    const registration = registrationOf(tool, async ({ emit }) => {
      for (const update of [1, 2, 3]) await emit(update)
      return order
    })
    const agent = new Runtime().registerAgent({ name: 'support', description: '' }, [registration], {
      planner: callsAtOnce(callOf('A', 'one'), callOf('B', 'two')),
    })
    const { events } = await agent.run('?')
    for (const id of ['one', 'two']) {
      const own = events.filter((event) => 'call' in event && event.call.toolCallId === id)
      expect(own.map((event) => (event.type === 'call_updated' ? event.update : event.type))).toEqual([
        'call_started',
        '1',
        '2',
        '3',
        'call_ended',
      ])
    }
  })
})

it('the events of ended runs are read by one getter: one for each would keep every run in memory for long', async () => {
  const agent = agentOf(() => order, { planner: async () => answer('Done.') })
  const [first, second] = [await agent.run('Go on.'), await agent.run('Go on.')]
  const getterOf = (run: AgentRun): unknown => Object.getOwnPropertyDescriptor(run, 'events')?.get
  expect(getterOf(first)).toBeTypeOf('function')
  expect(getterOf(first)).toBe(getterOf(second))
  expect({ ...first }.events).toBe(first.events)
  expect(first.events).not.toBe(second.events)
  expect(structuredClone(first)).toEqual({ ...first })
})
