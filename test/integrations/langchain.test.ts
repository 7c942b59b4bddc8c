import { AIMessage } from '@langchain/core/messages'
import { createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { renderForModel } from '../../packages/runtime/src/index.js'
import { keepMalformed, langChainTools } from '../../packages/runtime/src/langchain.js'
import { langChain, ScriptedChatModel, toolMessages } from './langchain.framework.js'
import { agentOf, call } from './shop.fixture.js'
import { integrationSuite } from './suite.js'

const context = { sessionId: 's-1' }

integrationSuite(langChain)

describe('what LangChain shows of a call', () => {
  it('is a message with a status, and the answer as data beside it', async () => {
    const model = new ScriptedChatModel([
      [call('orders_find', { orderId: 'A-1' }), call('orders_find', { orderId: 'shipped' })],
    ])
    const agent = createAgent({ model, tools: langChainTools(agentOf(), { context }) })
    await agent.invoke({ messages: [{ role: 'user', content: 'Help.' }] })
    const messages = toolMessages(model.heard.at(-1) ?? [])
    expect(messages.map(({ status, artifact }) => [status, artifact])).toEqual([
      ['success', { status: 'completed', result: { id: 'A-1', total: 12.5 } }],
      ['error', { status: 'failed', reason: 'domain_rejection', text: 'The order has shipped. Do not call it again.' }],
    ])
  })

  it('is the text for the model where a tool is called by hand', async () => {
    const [find] = langChainTools(agentOf(), { context })
    expect(await find?.invoke({ orderId: 'A-1' })).toBe('{"id":"A-1","total":12.5}')
    expect(await find?.invoke({ orderid: 'A-1' })).toContain('Correct example: {"orderId":"A-1"}')
  })

  it('are the updates of a streaming tool as events of its run', async () => {
    const follow = langChainTools(agentOf(), { context }).find(({ name }) => name === 'parcels_follow')
    const heard: unknown[] = []
    const answer = await follow?.invoke(
      { orderId: 'A' },
      {
        callbacks: [
          {
            handleToolStart: (_tool, input) => void heard.push(input),
            handleToolEvent: (update) => void heard.push(update),
            handleToolEnd: (output) => void heard.push(output),
          },
        ],
      },
    )
    expect(answer).toBe('{"place":"Rome"}')
    expect(heard).toEqual(['{"orderId":"A"}', { place: 'Turin' }, { place: 'Milan' }, '{"place":"Rome"}'])
  })
})

it('nobody is asked by LangChain, whatever is said without types', async () => {
  const untyped: object = { approvals: 'framework' }
  const { told } = await langChain.play(agentOf(), [[call('orders_cancel', { orderId: 'A-1' })]], {
    ...untyped,
    context,
  })
  expect(told.flat()).toMatchObject([{ text: '{"cancelled":false}' }])
})

it('the config says what a call runs with', async () => {
  const tools = langChainTools(agentOf(), {
    context: ({ configurable }) => ({ sessionId: `of ${String(configurable?.thread_id)}` }),
  })
  const model = new ScriptedChatModel([[call('orders_mine', {})]])
  const agent = createAgent({ model, tools })
  await agent.invoke({ messages: [{ role: 'user', content: 'Help.' }] }, { configurable: { thread_id: 'Ada' } })
  expect(toolMessages(model.heard.at(-1) ?? [])).toMatchObject([{ content: '{"id":"of Ada","total":1}' }])
})

describe('arguments that are no JSON', () => {
  const malformed = call('orders_find', '{"orderId": "A-1"')

  it('reach the tool unchanged, next to the others', async () => {
    const direct = await agentOf().execute({ tool: malformed.tool, arguments: malformed.arguments }, context)
    const right = call('orders_find', { orderId: 'A-1' })
    const { told } = await langChain.play(agentOf(), [[malformed, right]], { context })
    expect(told[0]).toEqual([
      { id: right.id, text: '{"id":"A-1","total":12.5}' },
      { id: malformed.id, text: renderForModel(direct) },
    ])
  })

  it('of tools from elsewhere stay aside, and all else of a message stays as it is', () => {
    const kept = keepMalformed(langChainTools(agentOf(), { context }))
    const elsewhere = { type: 'invalid_tool_call' as const, id: 'c', name: 'weather', args: '{' }
    const ours = { type: 'invalid_tool_call' as const, id: 'd', name: 'orders_find', args: '{' }
    const alone = new AIMessage({ content: 'Hm.', invalid_tool_calls: [elsewhere] })
    expect(kept(alone)).toBe(alone)
    const facts = { id: 'm', content: 'Hm.', response_metadata: { model: 'm' }, additional_kwargs: { seed: 1 } }
    const message = kept(new AIMessage({ ...facts, invalid_tool_calls: [elsewhere, ours] }))
    expect(message).toMatchObject({ ...facts, invalid_tool_calls: [elsewhere], tool_calls: [{ id: 'd' }] })
  })
})
