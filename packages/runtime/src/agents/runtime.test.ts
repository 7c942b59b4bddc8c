import { describe, expect, it } from 'vitest'
import { BindingError, type CallOptions, Runtime, renderForModel } from '../index.js'
import { isToolgenError } from '../is-toolgen-error.js'
import { toolsetRegistration } from '../layers/registration.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { AgentDescriptor } from '../types/registration.js'
import { executorOf, fixedEffects, getOrder, registrationOf, toolOf, useOf } from './orders.fixture.js'
import { answer, failure } from './outcome.fixture.js'

const agent: AgentDescriptor = { name: 'support', description: 'Answers customers.' }
const cancel = toolOf<{ orderId: string }, unknown>('orders.cancel')
const ask = toolOf<{ orderId: string }, unknown>('faq.ask')
const executor = executorOf((request) => ({
  ...answer,
  id: `${request.tool.qualifiedId} ${request.meta.agent ?? '-'}`,
}))

function faultsOf(register: () => unknown): readonly string[] {
  try {
    register()
  } catch (error) {
    if (isToolgenError(error, 'BindingError')) return error.errors.map((error) => error.code)
    throw error
  }
  return []
}

describe('a bound agent', () => {
  const support = new Runtime({ effects: fixedEffects() }).registerAgent(agent, [
    toolsetRegistration(useOf([getOrder, cancel], { toolNames: { getOrder: 'look_up' } }), executor),
    toolsetRegistration(useOf([getOrder, cancel], { as: 'archive', toolNames: { getOrder: 'look_up_old' } }), executor),
  ])

  it('finds a tool by its id', async () => {
    expect(await support.execute(getOrder.call({ orderId: 'A' }))).toMatchObject({
      call: { tool: 'orders.getOrder' },
      result: { data: { id: 'service.orders.getOrder support' }, provenance: { tool: 'orders.getOrder' } },
    })
  })

  it('finds a tool by the tool name that its model sees', async () => {
    expect(await support.execute({ tool: 'look_up', arguments: '{"orderId":"A"}' })).toMatchObject({
      status: 'completed',
      call: { tool: 'orders.getOrder' },
    })
  })

  it('finds a tool of a use with another name', async () => {
    expect(await support.execute(getOrder.call({ orderId: 'A' }, { as: 'archive' }))).toMatchObject({
      call: { tool: 'archive.getOrder' },
      result: { data: { id: 'service.archive.getOrder support' } },
    })
  })

  it('shows what its model may call, with its own names and nothing that was not selected', () => {
    expect(support.specs.map(({ id, qualifiedId, toolName }) => [id, qualifiedId, toolName])).toEqual([
      ['orders.getOrder', 'service.orders.getOrder', 'look_up'],
      ['orders.getOrder', 'service.archive.getOrder', 'look_up_old'],
    ])
    expect(Object.isFrozen(support.specs[0]?.arguments)).toBe(true)
  })

  it('answers an unknown tool with near names in the form in which it was asked for', async () => {
    const byToolName = failure(await support.execute({ tool: 'lookup', arguments: '{}' }))
    expect(byToolName).toMatchObject({
      call: { tool: 'lookup', toolCallId: expect.any(String) },
      hint: { reason: 'unknown_tool', action: 'replan', near: ['look_up', 'look_up_old'] },
      provenance: { attempts: 0 },
    })
    expect(renderForModel(byToolName)).toBe('There is no tool "lookup". Did you mean "look_up" or "look_up_old"?')
    const byId = failure(await support.execute({ tool: 'orders.getOrders', arguments: '{}' }))
    expect(byId.hint).toMatchObject({ near: ['orders.getOrder'] })
    const byNeither = failure(await support.execute({ tool: 'xylophone', arguments: '{}' }))
    expect(renderForModel(byNeither)).toBe(
      'There is no tool "xylophone". Available tools: "look_up", "look_up_old". Use another tool.',
    )
  })

  it.each(['__proto__', 'constructor', 'toString', '', 'orders.__proto__', '\u{1F600}'.repeat(5_000)])(
    'answers a hostile tool name: %j',
    async (tool) => {
      expect(failure(await support.execute({ tool, arguments: '{}' })).hint.reason).toBe('unknown_tool')
    },
  )

  it('never rejects, whatever a caller without types hands it', async () => {
    const untyped: (...args: unknown[]) => Promise<ToolOutcome> = support.execute.bind(support) as never
    for (const call of [
      undefined,
      null,
      1,
      'orders.getOrder',
      {},
      { tool: 1 },
      { tool: 'look_up' },
      { tool: 'look_up', arguments: {} },
    ]) {
      expect((await untyped(call)).status).toBe('failed')
    }
    const call = getOrder.call({ orderId: 'A' })
    for (const options of [null, 1, { labels: null }, { labels: 'x' }]) {
      expect((await untyped(call, options)).status).toBe('completed')
    }
    for (const options of [{ signal: {} }, { deadline: Number.NaN }, { deadline: 'soon' }]) {
      expect(failure(await untyped(call, options as CallOptions)).hint.reason).toBe('internal')
    }
  })

  it('makes ids in the order of the calls and keeps those that were given', async () => {
    const fresh = new Runtime({ effects: fixedEffects() }).registerToolset(registrationOf(getOrder, () => answer))
    const call = { tool: 'orders.getOrder', arguments: '{"orderId":"A"}' }
    const outcomes = await Promise.all([
      fresh.execute(call),
      fresh.execute({ ...call, toolCallId: 'call_ of the model' }),
      fresh.execute(call),
    ])
    expect(outcomes.map((outcome) => outcome.call.toolCallId)).toEqual([
      'toolCall-1',
      'call_ of the model',
      'toolCall-2',
    ])
  })

  it('runs parallel calls in parallel', async () => {
    let running = 0
    let most = 0
    const toolset = new Runtime().registerToolset(
      registrationOf(getOrder, async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setTimeout(resolve, 5))
        running -= 1
        return answer
      }),
    )
    await Promise.all(Array.from({ length: 20 }, () => toolset.execute(getOrder.call({ orderId: 'A' }))))
    expect(most).toBe(20)
  })
})

describe('registering', () => {
  const runtime = new Runtime()

  it('reports every error at once', () => {
    const registrations = [
      toolsetRegistration(useOf([getOrder]), executor, { checks: { gone: undefined as never, getOrder: {} as never } }),
      toolsetRegistration(useOf([getOrder]), executor),
      toolsetRegistration(useOf([ask], { toolNames: { ask: 'orders_getOrder', typo: 'x' } }), executor),
    ]
    expect(faultsOf(() => runtime.registerAgent(agent, registrations))).toEqual([
      'duplicate_toolset',
      'duplicate_tool_name',
      'unknown_tool',
      'unknown_tool',
      'invalid_check',
    ])
  })

  it('says what to do', () => {
    const twice = [registrationOf(getOrder, () => answer), registrationOf(getOrder, () => answer)]
    expect(() => runtime.registerAgent(agent, twice)).toThrow(BindingError)
    expect(() => runtime.registerAgent(agent, twice)).toThrow(
      "Cannot register agent 'support':\n  - Two toolsets have the name 'orders'. Rename one of them with `as`.",
    )
  })

  it('leaves runtimes and agents apart: nothing is registered anywhere else', async () => {
    const one = runtime.registerAgent(agent, [registrationOf(getOrder, () => answer)])
    const other = runtime.registerAgent(agent, [registrationOf(ask, () => answer)])
    expect((await one.execute(getOrder.call({ orderId: 'A' }))).status).toBe('completed')
    expect(failure(await other.execute(getOrder.call({ orderId: 'A' }))).hint.reason).toBe('unknown_tool')
  })
})
