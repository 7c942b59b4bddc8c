import { describe, expect, it } from 'vitest'
import {
  type AgentRun,
  agentLoop,
  answer,
  base,
  callTools,
  type Planner,
  type RunLayer,
  type StepRequest,
  type StepResult,
  useGuards,
  useHook,
} from '../../packages/runtime/src/agents.js'
import { type ChatMessage, type RunItem, runItems, validateHistory } from '../../packages/runtime/src/chat.js'
import { type RunEvent, Runtime, type Service } from '../../packages/runtime/src/index.js'
import { says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { agents, investigation, lookingUp, onceThen } from '../nested/agents.fixture.js'
import { agentOf, callOf, order, script } from './agents.fixture.js'

const hello: readonly ChatMessage[] = [{ role: 'user', content: 'Hello' }]
const usage = { promptTokens: 10, completionTokens: 2, toolCalls: 0 }

/** A step that says what turn it is, and is done in the last of so many turns. */
const counting =
  (turns: number, seen: StepRequest[] = []): Service<StepRequest, StepResult> =>
  async (request) => {
    seen.push(request)
    const { messages, turn } = request
    const text = `turn ${turn}`
    const step = {
      messages: [...messages, { role: 'assistant', content: text } as const],
      outcomes: [],
      refused: 0,
      usage,
    }
    return turn < turns
      ? { ...step, kind: 'next' }
      : { ...step, kind: 'done', stop: { reason: 'answered' }, result: { text } }
  }

async function itemsOf(run: { items(): AsyncIterable<RunItem> }): Promise<readonly RunItem[]> {
  const items: RunItem[] = []
  for await (const item of run.items()) items.push(item)
  return items
}

describe('defect 19: the loop over a step service of one’s own', () => {
  it('defect 19: takes step after step until one is done', async () => {
    const seen: StepRequest[] = []
    const run = await agentLoop(counting(3, seen), { agent: 'counter' })({ messages: hello })
    expect(run).toMatchObject({
      agent: 'counter',
      status: 'completed',
      result: { text: 'turn 3' },
      stops: [{ reason: 'answered' }],
      usage: { turns: 3, toolCalls: 0, promptTokens: 30, completionTokens: 6 },
    })
    expect(run.runId).toMatch(/^run_/)
    expect(run.messages.map(({ content }) => content)).toEqual(['Hello', 'turn 1', 'turn 2', 'turn 3'])
    expect(run.events.map(({ type, sequence }) => `${sequence} ${type}`)).toEqual([
      '1 run_started',
      ...['2 step_started', '3 step_ended', '4 step_started', '5 step_ended', '6 step_started', '7 step_ended'],
      '8 run_ended',
    ])
    expect(seen.map(({ runStart, tools, meta }) => [runStart, tools.length, meta.agent])).toEqual(
      [1, 2, 3].map(() => [1, 0, 'counter']),
    )
  })

  it('defect 19: passes env, fields and meta on, and sends each event to a sink', async () => {
    const seen: StepRequest<{ readonly name: string }>[] = []
    const events: RunEvent[] = []
    const step: Service<StepRequest<{ readonly name: string }>, StepResult> = (request) => {
      seen.push(request)
      return counting(1)(request)
    }
    const loop = agentLoop(step, { onEvent: (event) => events.push(event) })
    const run = await loop({
      messages: hello,
      env: { name: 'mine' },
      fields: { temperature: 0 },
      meta: { runId: 'r-1', sessionId: 's-1', labels: { a: 'b' } },
    })
    expect(run.runId).toBe('r-1')
    expect(seen).toMatchObject([
      {
        env: { name: 'mine' },
        fields: { temperature: 0 },
        meta: { runId: 'r-1', sessionId: 's-1', labels: { a: 'b' } },
      },
    ])
    expect(events).toEqual(run.events)
    expect(events[0]).toMatchObject({ type: 'run_started', runId: 'r-1', sessionId: 's-1', agent: 'agent' })
  })

  it('defect 19: ends by the policy of the options and of the request, and by guards', async () => {
    const loop = agentLoop(counting(9), {
      policy: { maxTurns: 4 },
      guards: [
        ({ completionTokens }) =>
          completionTokens >= 6 ? { reason: 'stopped', by: 'me', message: 'Enough.' } : undefined,
      ],
    })
    expect(await loop({ messages: hello })).toMatchObject({
      status: 'stopped',
      stop: { by: 'me' },
      usage: { turns: 3 },
    })
    expect(await loop({ messages: hello, policy: { maxTurns: 2 } })).toMatchObject({
      stop: { reason: 'max_turns', limit: 2 },
      usage: { turns: 2 },
    })
    expect(await loop({ messages: hello, policy: { maxTokens: 0 } })).toMatchObject({
      stop: { reason: 'max_tokens' },
      usage: { turns: 0 },
    })
  })

  it('defect 19: ends by the signal, by the time budget, and by what a step throws', async () => {
    const never: Service<StepRequest, StepResult> = ({ meta }) =>
      new Promise((_, reject) => meta.signal.addEventListener('abort', () => reject(meta.signal.reason)))
    const controller = new AbortController()
    const cancelled = agentLoop(never)({ messages: hello, meta: { signal: controller.signal } })
    controller.abort()
    expect(await cancelled).toMatchObject({ status: 'cancelled', stop: { reason: 'cancelled' } })
    expect(await agentLoop(never, { policy: { timeBudgetMs: 5 } })({ messages: hello })).toMatchObject({
      stop: { reason: 'time_budget', limit: 5 },
    })
    const broken = await agentLoop(async () => {
      throw new Error('no route')
    })({ messages: hello })
    expect(broken).toMatchObject({ status: 'failed', error: { reason: 'internal' } })
    expect(String(broken.error?.cause)).toBe('Error: no route')
  })

  it.each([
    ['nothing', undefined, 'result'],
    ['no kind', { messages: [], outcomes: [], usage, refused: 0 }, '`kind`'],
    ['no stop', { kind: 'done', messages: [], outcomes: [], usage, refused: 0 }, '`stop`'],
    ['no messages', { kind: 'next', outcomes: [], usage, refused: 0 }, '`messages`'],
    ['no usage', { kind: 'next', messages: [], outcomes: [], refused: 0 }, '`usage`'],
  ])('defect 19: says what a step lacks that answers with %s', async (_, answered, lacks) => {
    const step: any = async () => answered
    const run = await agentLoop(step)({ messages: hello })
    const message = `The step returned no ${lacks}. Return a \`StepResult\` with \`kind: 'next'\` or \`kind: 'done'\`.`
    expect(String(run.error?.cause)).toContain(message)
  })

  it('defect 19: refuses what is no step, no policy and no conversation', async () => {
    const none: any = undefined
    expect(() => agentLoop(none)).toThrow('`agentLoop` expects a step function')
    const policy: any = { maxTurns: 'many' }
    expect(() => agentLoop(counting(1), { policy })).toThrow('policy.maxTurns')
    await expect(agentLoop(counting(1))({ messages: none })).rejects.toThrow('`messages`')
  })

  it('defect 19: is wrapped by run layers, whose passes share one limit', async () => {
    const twice: RunLayer = (next) => async (request) => {
      await next(request)
      return next(request)
    }
    const agent = agentOf(() => order, { planner: () => answer('the planner'), policy: { maxTurns: 5 } })
    const run = await agent
      .runLayer(() => agentLoop(counting(9), { policy: { maxTurns: 7 } }))
      .runLayer(twice)
      .run('Hello')
    expect(run).toMatchObject({ agent: 'support', stop: { reason: 'max_turns', limit: 5 }, usage: { turns: 5 } })
    expect(run.events.filter(({ type }) => type === 'step_started')).toHaveLength(5)
  })

  it('defect 19: has the tools and guards of the agent whose loop it is', async () => {
    const seen: StepRequest[] = []
    const finished: Service<StepRequest, StepResult> = async (request) => ({
      ...(await counting(9, seen)(request)),
      finishReason: request.turn === 3 ? 'length' : 'stop',
    })
    const agent = base(scriptedModel([]))
      .with(useGuards({ finishReasons: ['length'] }))
      .runLayer(() => agentLoop(finished))
      .build()
    const run = await agentOf(() => order, { agent }).run('Hello')
    expect(run).toMatchObject({ stop: { reason: 'finish_reason' }, usage: { turns: 3 } })
    expect(seen[0]?.tools.map(({ id }) => id)).toEqual(['orders.getOrder'])
  })

  it('defect 19: is the loop of an agent in place of its own, with its handle, events and env', async () => {
    const seen: StepRequest[] = []
    const events: RunEvent[] = []
    const agent = base(scriptedModel([]))
      .runLayer(() => agentLoop(counting(2, seen)))
      .build()
    const bound = new Runtime({ sinks: [(event) => events.push(event)] }).registerAgent(
      { name: 'support', description: 'Answers customers.', instructions: 'Be brief.' },
      [],
      { agent },
    )
    const handle = bound.run('Hello', { sessionId: 's-1', labels: { a: 'b' } })
    const items = await itemsOf(handle)
    const run = await handle
    expect(run).toMatchObject({
      agent: 'support',
      status: 'completed',
      result: { text: 'turn 2' },
      usage: { turns: 2 },
    })
    expect(items).toEqual(runItems(run.messages.slice(2)))
    expect(events).toEqual(run.events)
    expect(seen[0]).toMatchObject({
      messages: [{ content: 'Be brief.' }, { content: 'Hello' }],
      meta: { sessionId: 's-1' },
    })
  })

  it('defect 19: a run of its own can wait for an answer', async () => {
    const asking: Service<StepRequest, StepResult> = async ({ messages }) => ({
      kind: 'done',
      stop: { reason: 'suspended' },
      suspension: { kind: 'clarification', question: 'Which?', fields: [], calls: [], pending: [] },
      messages: [...messages, { role: 'assistant', content: 'Which?' }],
      outcomes: [],
      usage,
      refused: 0,
    })
    const run = await agentLoop(asking)({ messages: hello })
    expect(run).toMatchObject({ status: 'suspended', suspension: { question: 'Which?', progress: { turns: 1 } } })
    expect(JSON.parse(JSON.stringify(run.suspension))).toEqual(run.suspension)
  })
})

describe('defect 19: the items of a run', () => {
  const planner = script(
    { kind: 'calls', calls: [callOf('A', 'one'), callOf('B', 'two')], text: 'One moment.' },
    callTools(callOf('C', 'three')),
  )

  it('defect 19: are its messages and tool outputs, each once', async () => {
    const handle = agentOf(() => order, { planner }).run('?')
    const items = await itemsOf(handle)
    const run = await handle
    expect(items).toEqual(runItems(run.messages.slice(1)))
    expect(items.map(({ kind }) => kind)).toEqual([
      'message',
      'tool_output',
      'tool_output',
      'message',
      'tool_output',
      'message',
    ])
    expect(await itemsOf(handle)).toEqual(items)
  })

  it('defect 19: appear while the run goes on', async () => {
    const releases: (() => void)[] = []
    const agent = agentOf(() => new Promise((resolve) => releases.push(() => resolve(order))), {
      planner: script(callTools(callOf('A', 'one'), callOf('B', 'two'))),
    })
    const handle = agent.run('?')
    const items = handle.items()
    expect((await items.next()).value).toMatchObject({ kind: 'message', tool_calls: [{ id: 'one' }, { id: 'two' }] })
    while (releases.length < 2) await new Promise((resolve) => setTimeout(resolve, 0))
    releases[1]?.()
    expect((await items.next()).value).toMatchObject({ kind: 'tool_output', tool_call_id: 'two' })
    releases[0]?.()
    expect((await items.next()).value).toMatchObject({ kind: 'tool_output', tool_call_id: 'one' })
    expect((await items.next()).value).toMatchObject({ kind: 'message', content: 'done' })
    expect(await items.next()).toEqual({ done: true, value: undefined })
    const run: AgentRun = await handle
    expect(run.messages.map((message) => ('tool_call_id' in message ? message.tool_call_id : message.role))).toEqual([
      'user',
      'assistant',
      'one',
      'two',
      'assistant',
    ])
  })

  it('defect 19: include the handoffs to agents that serve calls', async () => {
    const { support } = agents({
      inner: { planner: lookingUp(['A']) },
      outer: { planner: onceThen([investigation()]) },
    })
    const items = await itemsOf(support.run('?'))
    expect(items).toMatchObject([
      { kind: 'message', tool_calls: [{ id: 'outer-1' }] },
      { kind: 'handoff', from_agent: 'support', to_agent: 'research', reason: 'started' },
      { kind: 'handoff', from_agent: 'research', to_agent: 'support', reason: 'completed' },
      { kind: 'tool_output', tool_call_id: 'outer-1' },
      { kind: 'message', content: 'done' },
    ])
  })

  it('defect 19: are those of all passes, and no message twice where hooks rewrite the conversation', async () => {
    const twice: RunLayer = (next) => async (request) => {
      await next(request)
      return next(request)
    }
    const asking: Planner = ({ messages }) => (messages.length === 1 ? callTools(callOf('A')) : answer('done'))
    expect(
      (
        await itemsOf(
          agentOf(() => order, { planner: asking })
            .runLayer(twice)
            .run('?'),
        )
      ).map(({ kind }) => kind),
    ).toEqual(['message', 'tool_output', 'message', 'message', 'tool_output', 'message'])
    const copying = base(scriptedModel([says('Hi')]))
      .with(useHook('afterStep', ({ result }) => ({ messages: result.messages.map((message) => ({ ...message })) })))
      .build()
    const bound = new Runtime().registerAgent({ name: 'a', description: 'A.' }, [], { agent: copying })
    expect(await itemsOf(bound.run('?'))).toEqual([{ kind: 'message', role: 'assistant', content: 'Hi' }])
  })

  it('defect 19: of a run that goes on are what it adds', async () => {
    const agent = agentOf(() => order, { planner: script(callTools(callOf('A', 'one'))) }).layer(
      (next) => async (request) => (request.answer === undefined ? request.suspend('external') : next(request)),
    )
    const waiting = await agent.run('?')
    if (waiting.suspension === undefined) throw new Error('it does not wait')
    const handle = agent.resume(waiting.suspension, { one: { result: order } })
    const items = await itemsOf(handle)
    expect(items.map(({ kind }) => kind)).toEqual(['tool_output', 'message'])
    const { messages, status } = await handle
    expect(status).toBe('completed')
    expect(validateHistory(messages)).toEqual([])
  })
})
