import { describe, expect, it } from 'vitest'
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
