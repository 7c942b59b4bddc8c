import { Agent, type RunContext } from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { type RunEvent, Runtime, toolsetRegistration } from '../../packages/runtime/src/index.js'
import { openAiAgentsTools } from '../../packages/runtime/src/openai-agents.js'
import { find, Shop } from '../conformance/shop.js'
import { executorOf, orders } from '../conformance/shop-executor.js'
import { openAiAgents, runner, scripted, toldIn } from './openai-agents.framework.js'
import { agentOf, call } from './shop.fixture.js'
import { integrationSuite } from './suite.js'

const context = { sessionId: 's-1' }

integrationSuite(openAiAgents)

it('what is no JSON is answered by the SDK, and the run goes on', async () => {
  const turns = [[call('orders_find', '{"orderId":')], [call('orders_find', { orderId: 'A-1' })]]
  const { told } = await openAiAgents.play(agentOf(), turns, { context })
  expect(told.flat().map(({ text }) => text)).toEqual([
    'An error occurred while parsing tool arguments. Please try again with valid JSON.',
    '{"id":"A-1","total":12.5}',
  ])
})

describe('approval by the SDK', () => {
  const approved = (shop: Shop) => openAiAgentsTools(agentOf({ shop }), { context, approvals: 'framework' })

  it('asks before a tool that wants to be confirmed, and its answer counts', async () => {
    const yes = call('orders_cancel', { orderId: 'A-1' })
    const no = call('orders_cancel', { orderId: 'A-2' })
    const model = scripted([[yes, no]])
    const shop = new Shop()
    const agent = new Agent({ name: 'support', model, tools: approved(shop) })
    const waiting = await runner.run(agent, 'Cancel both.')
    const [first, second] = waiting.interruptions
    if (first === undefined || second === undefined) throw new Error('nobody was asked')
    expect(shop.asked).toEqual([])
    waiting.state.approve(first)
    waiting.state.reject(second)
    await runner.run(agent, waiting.state)
    expect(toldIn(model.lastCall?.request.input ?? [])).toEqual([
      { id: yes.id, text: '{"cancelled":true}' },
      { id: no.id, text: expect.stringContaining('not approved') },
    ])
    expect(shop.asked).toEqual([{ tool: 'cancel', payload: { orderId: 'A-1', quantity: 1 } }])
  })

  it('asks nobody about arguments that are not valid', async () => {
    const model = scripted([[call('orders_cancel', { orderId: '' })]])
    const { interruptions } = await runner.run(
      new Agent({ name: 'support', model, tools: approved(new Shop()) }),
      'Cancel it.',
    )
    expect(interruptions).toEqual([])
    expect(toldIn(model.lastCall?.request.input ?? [])).toMatchObject([{ text: expect.stringContaining('"orderId"') }])
  })

  it('counts for nothing where the SDK was not the one that called', async () => {
    const cancel = approved(new Shop()).find(({ name }) => name === 'orders_cancel')
    const answer = await cancel?.invoke({ context: {} } as RunContext, '{"orderId":"A-3"}')
    expect(answer).toBe('{"cancelled":false}')
  })
})

it('a name keeps its hyphens, and the tool is found under it', async () => {
  const use = { toolset: { ...orders, tools: [find] }, provider: 'service', toolNames: { find: 'find-order' } } as const
  const toolset = new Runtime().registerToolset(toolsetRegistration(use, executorOf(new Shop(), [find])))
  const { offered, told } = await openAiAgents.play(toolset, [[call('find-order', { orderId: 'A-1' })]])
  expect(offered.map(({ name }) => name)).toEqual(['find-order'])
  expect(told.flat()).toMatchObject([{ text: '{"id":"A-1","total":12.5}' }])
})

describe('what the SDK knows of a tool', () => {
  it('is strict by default', () => {
    expect(openAiAgentsTools(agentOf(), { context })[0]).toMatchObject({
      strict: true,
      parameters: { required: ['orderId', 'quantity', 'status'] },
    })
    expect(openAiAgentsTools(agentOf(), { context, strict: false })[0]).toMatchObject({
      strict: false,
      parameters: { required: ['orderId'] },
    })
  })

  it('gives the context of the run to whoever says what a call runs with', async () => {
    const tools = openAiAgentsTools(agentOf(), {
      context: ({ context: user }: RunContext<{ readonly name: string }>) => ({ sessionId: `of ${user.name}` }),
    })
    const model = scripted([[call('orders_mine', {})]])
    const agent = new Agent<{ readonly name: string }>({ name: 'support', model, tools })
    await runner.run(agent, 'Help.', { context: { name: 'Ada' } })
    expect(toldIn(model.lastCall?.request.input ?? [])).toMatchObject([{ text: '{"id":"of Ada","total":1}' }])
  })

  it('has no place for updates: they are events', async () => {
    const events: RunEvent[] = []
    const onEvent = (event: RunEvent): void => void events.push(event)
    await openAiAgents.play(agentOf(), [[call('parcels_follow', { orderId: 'A' })]], {
      context: { ...context, onEvent },
    })
    expect(events.map(({ type }) => type)).toEqual(['call_started', 'call_updated', 'call_updated', 'call_ended'])
  })
})
