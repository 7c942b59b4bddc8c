import { describe, expect, it } from 'vitest'
import type { AgentRun } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { type ApprovalRequest, approval, type ToolLayer } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, callsAtOnce, order, stillRuntime } from './agents.fixture.js'

const calls = [callOf('A', 'one'), callOf('B', 'two'), callOf('C', 'three')]

describe('a run with calls that wait', () => {
  it('is suspended with all of them in call order, as plain data; the others have their answers', async () => {
    const approve = async ({ toolCallId }: ApprovalRequest): Promise<'approve' | 'suspend'> =>
      toolCallId === 'two' ? 'approve' : 'suspend'
    const agent = agentOf(() => order, { planner: callsAtOnce(...calls) }).layer(approval())
    const run = await agent.run('?', { env: { approval: { approve } } })
    expect(run).toMatchObject({ status: 'suspended', stop: { reason: 'suspended' }, usage: { turns: 1, toolCalls: 3 } })
    expect(run.outcomes.map(({ status }) => status)).toEqual(['suspended', 'completed', 'suspended'])
    expect(run.suspension).toMatchObject({
      version: 1,
      runId: run.runId,
      agent: 'support',
      messages: run.messages,
      kind: 'approval',
      pending: ['one', 'three'].map((toolCallId, index) => ({
        id: toolCallId,
        kind: 'approval',
        agent: 'support',
        call: { tool: 'orders.getOrder', toolCallId },
        arguments: index === 0 ? '{"orderId":"A"}' : '{"orderId":"C"}',
      })),
      calls: ['one', 'two', 'three'].map((toolCallId) => ({ toolCallId, chatId: toolCallId })),
      progress: { turns: 1, toolCalls: 3, outcomes: [{}, { json: '{"id":"A-1","total":12.5}' }, {}] },
    })
    expect(run.suspension?.id).toMatch(/^suspension_[0-9a-f]{16}_\d+$/)
    expect(JSON.parse(JSON.stringify(run.suspension))).toEqual(run.suspension)
    expect(run.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))).toEqual(['two'])
  })

  it('waits for an external result where no approval is asked for', async () => {
    const external: ToolLayer = () => async (request) => request.suspend('external', 'Wait for the warehouse.')
    const agent = agentOf(() => order, { planner: callsAtOnce(callOf('A', 'one')) }).layer(external)
    expect((await agent.run('?')).suspension).toMatchObject({
      kind: 'external',
      pending: [{ kind: 'external', prompt: 'Wait for the warehouse.', call: { toolCallId: 'one' } }],
    })
  })

  it('ends with a final value where another call has one', async () => {
    const mixed: ToolLayer = (next) => async (request) =>
      request.meta.toolCallId === 'one'
        ? request.suspend('external')
        : { ...(await next(request)), stop: { reason: 'final', value: 'enough' } }
    const run = await agentOf(() => order, { planner: callsAtOnce(...calls) })
      .layer(mixed)
      .run('?')
    expect(run).toMatchObject({ status: 'completed', result: { value: 'enough' } })
    expect(run.suspension).toBeUndefined()
    const answered = run.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
    expect(answered).toEqual(['one', 'two', 'three'])
  })
})

describe('calls that wait in a run that ends otherwise', () => {
  const ended = (run: AgentRun) => ({
    status: run.status,
    outcomes: run.outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status)),
    answers: run.messages.flatMap((message) =>
      message.role === 'tool' ? [`${message.tool_call_id}: ${String(message.content)}`] : [],
    ),
  })
  const unanswered = 'The run ended before this call was answered.'
  const waitingAt =
    (id: string, others: ToolLayer): ToolLayer =>
    (next) => {
      const other = others(next)
      return async (request) => (request.meta.toolCallId === id ? request.suspend('external') : other(request))
    }

  it('defect 6a: end as cancelled where another call has a final value', async () => {
    const final: ToolLayer = (next) => async (request) => ({
      ...(await next(request)),
      stop: { reason: 'final', value: 'enough' },
    })
    const agent = agentOf(() => order, { planner: callsAtOnce(...calls.slice(0, 2)) }).layer(waitingAt('one', final))
    const run = await agent.run('?')
    expect(ended(run)).toEqual({
      status: 'completed',
      outcomes: ['cancelled', 'completed'],
      answers: [`one: ${unanswered}`, 'two: {"id":"A-1","total":12.5}'],
    })
    const ends = run.events.flatMap((event) => (event.type === 'call_ended' ? [event.outcome] : []))
    expect(ends.toReversed()).toEqual(run.outcomes)
  })

  it('defect 6a: end as cancelled for operators too, with the facts of the telemetry builder', async () => {
    const final: ToolLayer = (next) => async (request) => ({
      ...(await next(request)),
      stop: { reason: 'final', value: 'enough' },
    })
    const agent = agentOf(() => order, {
      planner: callsAtOnce(...calls.slice(0, 2)),
      options: { telemetryBuilder: ({ outcome }) => ({ status: outcome.status }) },
    }).layer(waitingAt('one', final))
    const { events } = await agent.run('?')
    const ends = events.flatMap((event) =>
      event.type === 'call_ended' ? [[event.call.toolCallId, event.telemetry.attributes]] : [],
    )
    expect(Object.fromEntries(ends)).toEqual({ one: { status: 'failed' }, two: { status: 'completed' } })
  })

  it('defect 6a: end as cancelled where the run is cancelled', async () => {
    const controller = new AbortController()
    const agent = agentOf(() => order, { planner: callsAtOnce(...calls.slice(0, 1)) }).layer(() => async (request) => {
      controller.abort()
      return request.suspend('external')
    })
    const run = await agent.run('?', { signal: controller.signal })
    expect(ended(run)).toEqual({ status: 'cancelled', outcomes: ['cancelled'], answers: [`one: ${unanswered}`] })
  })

  it('defect 6a: end as cancelled where a step layer ends the run with a final value', async () => {
    const agent = agentOf(() => order, { planner: callsAtOnce(...calls) })
      .layer(waitingAt('two', (next) => next))
      .stepLayer((next) => async (request) => ({
        ...(await next(request)),
        kind: 'done',
        stop: { reason: 'final', value: 1 },
        result: { value: 1 },
      }))
    const run = await agent.run('?')
    expect(ended(run)).toEqual({
      status: 'completed',
      outcomes: ['completed', 'cancelled', 'completed'],
      answers: ['one: {"id":"A-1","total":12.5}', `two: ${unanswered}`, 'three: {"id":"A-1","total":12.5}'],
    })
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('defect 6a: end as cancelled where nobody answered them in a resumed run that is cancelled', async () => {
    const controller = new AbortController()
    const waiting: ToolLayer = (next) => async (request) => {
      if (request.answer === undefined) return request.suspend('external')
      controller.abort()
      return next(request)
    }
    const agent = agentOf(() => order, { planner: callsAtOnce(...calls.slice(0, 2)) }).layer(waiting)
    const { suspension } = await agent.run('?')
    if (suspension === undefined) throw new Error('nothing waits')
    const run = await agent.resume(suspension, { one: 'deny' }, { signal: controller.signal })
    expect(run.status).toBe('cancelled')
    expect(ended(run).outcomes[1]).toBe('cancelled')
    expect(validateHistory(run.messages)).toEqual([])
  })
})

describe('a run with calls that wait and a limit', () => {
  it('is suspended, not stopped: only a suspension can be taken up again', async () => {
    const agent = agentOf(() => order, { planner: callsAtOnce(...calls), policy: { maxToolCalls: 1 } })
    const run = await agent.layer(() => async (request) => request.suspend('external')).run('?')
    expect(run).toMatchObject({ status: 'suspended', stops: [{ reason: 'suspended' }, { reason: 'max_tool_calls' }] })
    expect(run.suspension).toMatchObject({ pending: [{ call: { toolCallId: 'one' } }] })
    const answered = run.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
    expect(answered).toEqual(['two', 'three'])
  })

  it('is cancelled when its caller aborts meanwhile', async () => {
    const controller = new AbortController()
    const agent = agentOf(() => order, { planner: callsAtOnce(...calls) }).layer(() => async (request) => {
      controller.abort()
      return request.suspend('external')
    })
    const run = await agent.run('?', { signal: controller.signal })
    expect([run.status, run.suspension]).toEqual(['cancelled', undefined])
  })
})

describe('ids', () => {
  it('that the runtime makes are not those that a model has used', async () => {
    const planner = callsAtOnce(callOf('A', 'toolCall-1'), callOf('B'), callOf('C', 'toolCall-2'))
    const run = await agentOf(() => order, { planner, runtime: stillRuntime() }).run('?')
    expect(new Set(run.outcomes.map(({ call }) => call.toolCallId)).size).toBe(3)
  })
})
