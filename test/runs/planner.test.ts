import { describe, expect, it } from 'vitest'
import { fixedEffects, registrationOf, toolOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentRun,
  answer,
  ask,
  callTools,
  type Decision,
  type Planner,
  type RunOptions,
} from '../../packages/runtime/src/agents.js'
import { type RunEvent, Runtime } from '../../packages/runtime/src/index.js'
import { abortedIn, agentOf, callOf, callsAtOnce, never, order, script, stillRuntime } from './agents.fixture.js'

const failed = { status: 'failed', stop: { reason: 'failed' }, usage: { turns: 0 } }

describe('a planner', () => {
  it('is given the conversation, the tools and the outcomes so far', async () => {
    const seen: unknown[] = []
    const planner: Planner = ({ messages, tools, outcomes, meta, turn }) => {
      seen.push([messages.map(({ role }) => role), tools.map(({ toolName }) => toolName), outcomes.length, turn])
      expect(meta).toMatchObject({ agent: 'support', runId: 'run-1', labels: { tenant: 't' } })
      return turn === 1 ? callTools(callOf(), callOf()) : answer('done')
    }
    await agentOf(() => order, { planner, runtime: stillRuntime() }).run('?', { labels: { tenant: 't' } })
    expect(seen).toEqual([
      [['user'], ['orders_getOrder'], 0, 1],
      [['user', 'assistant', 'tool', 'tool'], ['orders_getOrder'], 2, 2],
    ])
  })

  it.each([1, 2])('that fails or is cancelled in step %d adds its time to the duration of the run', async (last) => {
    for (const isCancelled of [false, true]) {
      const effects = fixedEffects()
      const controller = new AbortController()
      const planner: Planner = ({ turn }) => {
        effects.advance(1_000)
        if (turn < last) return callTools(callOf())
        if (!isCancelled) throw new Error('down')
        controller.abort()
        return never()
      }
      const agent = agentOf(() => order, { planner, runtime: new Runtime({ effects }) })
      const run = await agent.run('?', { signal: controller.signal })
      expect(run).toMatchObject({
        status: isCancelled ? 'cancelled' : 'failed',
        usage: { turns: last - 1, durationMs: 1_000 * last },
      })
    }
  })

  it('may answer with a value, or with text', async () => {
    const ofValue = await agentOf(() => order, { planner: script(answer({ total: 3 })) }).run('?')
    expect(ofValue).toMatchObject({
      status: 'completed',
      result: { value: { total: 3 } },
      stop: { reason: 'answered' },
    })
    expect(ofValue.messages.at(-1)).toEqual({ role: 'assistant', content: '{"total":3}' })
    expect((await agentOf(() => order, { planner: script(answer('text')) }).run('?')).result).toEqual({ text: 'text' })
  })

  it('may ask, which suspends the run', async () => {
    const run = await agentOf(() => order, { planner: script(callTools(callOf()), ask('Which one?')) }).run('?')
    expect(run).toMatchObject({
      status: 'suspended',
      suspension: { kind: 'clarification', question: 'Which one?', fields: [], version: 1 },
      usage: { turns: 2 },
    })
    expect(JSON.parse(JSON.stringify(run.suspension))).toEqual(run.suspension)
    expect(run.messages.at(-1)).toEqual({ role: 'assistant', content: 'Which one?' })
  })

  const loop: { self?: unknown } = {}
  loop.self = loop
  const nothings: readonly unknown[] = [
    undefined,
    null,
    'text',
    [],
    {},
    { kind: 'calls' },
    { kind: 'calls', calls: 'all' },
    { kind: 'answer' },
    { kind: 'answer', text: 1 },
    { kind: 'question' },
    { kind: 'other' },
    { kind: 'answer', value: loop },
    { kind: 'answer', value: 1n },
  ]
  it.each(nothings.map((decision, index) => [index, decision] as const))(
    'that decides nothing ends the run as failed, with a cause that says so: %d',
    async (_, decision) => {
      const run = await agentOf(() => order, { planner: () => decision as Decision }).run('?')
      expect(run).toMatchObject(failed)
      expect(run.error?.message).toContain('The planner did not return a decision')
    },
  )

  it('that throws or rejects ends the run as failed, without its words; what was reached is kept', async () => {
    const fails: readonly Planner[] = [
      ({ turn }) => {
        if (turn === 1) return callTools(callOf())
        throw new Error('secret at /etc')
      },
      async ({ turn }) => {
        if (turn === 1) return callTools(callOf())
        throw new Error('secret at /etc')
      },
    ]
    for (const planner of fails) {
      const run = await agentOf(() => order, { planner }).run('?')
      expect(run).toMatchObject({
        status: 'failed',
        error: { reason: 'internal' },
        outcomes: [{ status: 'completed' }],
        usage: { turns: 1, toolCalls: 1 },
      })
      expect(run.messages).toHaveLength(3)
      expect(run.events.at(-1)).toMatchObject({ type: 'run_ended', status: 'failed' })
      expect(JSON.stringify(run)).not.toContain('secret')
      expect(run.error?.cause).toMatchObject({ message: 'secret at /etc' })
    }
  })

  it('that never settles is left when the run is cancelled', async () => {
    const run = await agentOf(() => order, { planner: never }).run('?', { signal: abortedIn(10) })
    expect(run).toMatchObject({ status: 'cancelled', stop: { reason: 'cancelled' } })
  })

  it('of a run that was cancelled before it began is not asked', async () => {
    let asked = 0
    const planner: Planner = () => {
      asked += 1
      return answer('x')
    }
    const run = await agentOf(() => order, { planner }).run('?', { signal: AbortSignal.abort() })
    expect([run.status, asked]).toEqual(['cancelled', 0])
  })

  it('may be absent: a run fails and says so', async () => {
    const run = await agentOf(() => order).run('?')
    expect(run).toMatchObject(failed)
    expect(run.error?.message).toContain('has no planner')
  })
})

describe('calls of a run', () => {
  it('get their ids in call order before any of them runs, and answer in call order', async () => {
    const started: string[] = []
    const held: (() => void)[] = []
    const execute = async ({ meta: { toolCallId } }: { readonly meta: { readonly toolCallId: string } }) => {
      started.push(toolCallId)
      // The first call ends last.
      if (toolCallId === 'toolCall-1') await new Promise<void>((resolve) => held.push(resolve))
      return { id: toolCallId, total: 1 }
    }
    const onEvent = (event: RunEvent): void => {
      if (event.type === 'call_ended' && event.call.toolCallId === 'toolCall-3') for (const go of held) go()
    }
    const agent = agentOf(execute, {
      planner: callsAtOnce(callOf('A'), callOf('B'), callOf('C')),
      runtime: stillRuntime(),
      policy: { parallelism: 2 },
    })
    const run = await agent.run('?', { onEvent })
    const ids = ['toolCall-1', 'toolCall-2', 'toolCall-3']
    expect(run.outcomes.map(({ call }) => call.toolCallId)).toEqual(ids)
    expect(started).toEqual(ids)
    expect(run.messages.slice(2, 5)).toMatchObject(ids.map((id) => ({ tool_call_id: id })))
    const ended = run.events.flatMap((event) => (event.type === 'call_ended' ? [event.call.toolCallId] : []))
    expect(ended.at(-1)).toBe('toolCall-1')
  })

  it('keep the ids of a model in the conversation, byte for byte, also where they are equal', async () => {
    const odd = ' cäll\u0000/\u{1F600} '
    const planner = script(callTools(callOf('A', odd), callOf('B', odd)), callTools(callOf('C', odd), callOf('D', '')))
    const run = await agentOf(() => order, { planner }).run('?')
    const told = run.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
    expect(told).toEqual([odd, odd, odd, ''])
    const asked = run.messages.flatMap((message) =>
      message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
    )
    expect(asked).toEqual(told)
    expect(new Set(run.outcomes.map(({ call }) => call.toolCallId)).size).toBe(4)
  })

  it('keep the arguments of a model byte for byte, also malformed ones and unknown tools', async () => {
    const odd = [
      { tool: 'orders_getOrder', arguments: '{ "orderId" : "A\\u0041" }' },
      { tool: 'orders_getOrder', arguments: '{"orderId":' },
      { tool: 'orders_get', arguments: '' },
    ]
    const run = await agentOf(() => order, { planner: callsAtOnce(...odd) }).run('?')
    expect(run.messages[1]).toMatchObject({
      tool_calls: odd.map((call) => ({ function: { name: call.tool, arguments: call.arguments } })),
    })
    expect(run.outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.hint.reason : 'completed'))).toEqual([
      'completed',
      'invalid_arguments',
      'unknown_tool',
    ])
    expect(run.status).toBe('completed')
  })
})

describe('the options of a run', () => {
  const run = (options: unknown): PromiseLike<AgentRun> =>
    agentOf(() => order, { planner: callsAtOnce(callOf()) }).run('?', options as RunOptions)

  it.each([
    ['signal', {}],
    ['sessionId', 1],
    ['runId', 1],
    ['onEvent', 'x'],
    ['config', {}],
    ['labels', { tenant: 1 }],
  ])('fail the run where %s is none', async (option, value) => {
    const ended = await run({ [option]: value })
    expect(ended).toMatchObject(failed)
    expect(ended.stop).toMatchObject({ message: expect.stringContaining(`options.${option}`) })
  })

  it.each([undefined, null, 1, {}])('may be %j', async (options) => {
    expect((await run(options)).status).toBe('completed')
  })

  it.each([[undefined], [1], [{}], [[null]], [[{}]]])('are not to blame for an input such as %j', async (input) => {
    const ended = await agentOf(() => order, { planner: script() }).run(input as never)
    expect(ended).toMatchObject(failed)
    expect(ended.error?.message).toContain('The caller of this run must pass a valid input: a string, an array')
  })

  it('must give the server-owned fields of all tools: every missing one is listed at the start', async () => {
    const owning = (id: 'a.x' | 'b.y', from: 'sessionId' | 'turnId' | 'labels.tenant' | 'toolCallId' | 'runId') =>
      toolOf(id, { spec: { serverOwned: [{ field: 'owned', from, schema: { type: 'string' } }] } })
    let asked = 0
    const agent = new Runtime({ effects: fixedEffects() }).registerAgent(
      { name: 'support', description: '' },
      [
        registrationOf(owning('a.x', 'sessionId'), () => order),
        registrationOf(owning('b.y', 'labels.tenant'), () => order),
      ],
      {
        planner: () => {
          asked += 1
          return answer('x')
        },
      },
    )
    const ended = await agent.run('?')
    expect(ended).toMatchObject({ ...failed, outcomes: [] })
    expect(ended.stop).toMatchObject({ message: expect.stringMatching(/options\.sessionId.*options\.labels\.tenant/) })
    expect(asked).toBe(0)
    expect((await agent.run('?', { sessionId: 's', labels: { tenant: 't' } })).status).toBe('completed')
    const known = new Runtime().registerAgent(
      { name: 'support', description: '' },
      [registrationOf(owning('a.x', 'toolCallId'), () => order), registrationOf(owning('b.y', 'runId'), () => order)],
      { planner: () => answer('x') },
    )
    expect((await known.run('?')).status).toBe('completed')
  })
})
