import { LLMock } from '@copilotkit/aimock'
import { Runtime } from '@toolgen/runtime'
import type { AgentRun } from '@toolgen/runtime/agents'
import { openAiDriver } from '@toolgen/runtime/openai'
import OpenAI from 'openai'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { registerSupport } from '../../examples/orders/gen/agents/support/index.js'
import { openDatabase } from '../../examples/orders/src/database.js'
import { OrdersClient } from '../../examples/orders/src/orders-client.js'
import { WarehouseClient } from '../../examples/orders/src/warehouse-client.js'
import { modelPlanner } from '../../packages/runtime/src/agents/model-planner.js'
import { validateHistory } from '../../packages/runtime/src/chat/history.js'

/** What the model of the script does: look, try to cancel what has shipped, then answer. */
const script = [
  {
    content: 'I look.',
    toolCalls: [
      {
        id: 'call_s',
        name: 'orders_searchOrders',
        arguments: '{"customer_id":"C-7","status":null,"created_since":null,"limit":null}',
      },
      { id: 'call_k', name: 'orders_stockLevel', arguments: '{"sku":"LAMP-1"}' },
      { id: 'call_x', name: 'orders_getStock', arguments: '{}' },
    ],
    usage: { prompt_tokens: 200, completion_tokens: 30, total_tokens: 230 },
  },
  {
    toolCalls: [{ id: 'call_c', name: 'orders_cancelOrder', arguments: '{"orderId":"A-1002","reason":null}' }],
    usage: { prompt_tokens: 400, completion_tokens: 20, total_tokens: 420 },
  },
  { content: 'It has shipped.', usage: { prompt_tokens: 500, completion_tokens: 10, total_tokens: 510 } },
]

describe('the orders agent over a scripted server', () => {
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent' })
  beforeAll(async () => {
    for (const [turnIndex, said] of script.entries()) mock.on({ turnIndex }, said)
    await mock.start()
  })
  afterEach(() => {
    mock.clearChaos()
    mock.clearRequests()
  })
  afterAll(() => mock.stop())

  async function run(stream: boolean): Promise<AgentRun> {
    const client = new OpenAI({ baseURL: `${mock.url}/v1`, apiKey: 'none', logLevel: 'off' })
    const driver = openAiDriver({ client, model: 'gpt-5.2', stream, retry: { initialMs: 5 } })
    const database = await openDatabase()
    const orders = { client: new OrdersClient(database, new WarehouseClient(database, 1)) }
    const support = registerSupport(new Runtime(), { planner: modelPlanner(driver), toolsets: { orders } })
    return support.run('Cancel my last order.', { sessionId: 's-1' })
  }

  it.each([false, true])('runs to its answer, streamed: %s', async (stream) => {
    const done = await run(stream)
    expect(done).toMatchObject({ status: 'completed', result: { text: 'It has shipped.' } })
    expect(done.usage).toMatchObject({ turns: 3, toolCalls: 4, promptTokens: 1_100, completionTokens: 60 })
    expect(
      done.outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.error.reason : outcome.status)),
    ).toEqual([
      'completed',
      'completed',
      'unknown_tool',
      // The example's own classifier is not at work here.
      'internal',
    ])
    expect(validateHistory(done.messages)).toEqual([])
    const answered = done.messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []))
    expect(answered).toEqual(['call_s', 'call_k', 'call_x', 'call_c'])
    expect(done.messages[1]).toMatchObject({
      tool_calls: [{ function: { arguments: script[0]?.toolCalls?.[0]?.arguments } }, {}, {}],
    })
    expect(mock.getRequests()).toHaveLength(3)
  })

  it('says the same streamed and whole', async () => {
    const [whole, streamed] = [await run(false), await run(true)]
    const spoken = (each: AgentRun): unknown =>
      each.messages.map((message) => [message.role, message.content, 'tool_calls' in message && message.tool_calls])
    const timeless = (value: unknown): string => JSON.stringify(value).replace(/checkedAt[^}]*/g, '')
    expect(timeless(spoken(streamed))).toBe(timeless(spoken(whole)))
  })

  it('waits out one limit', async () => {
    mock.nextRequestError(429, { message: 'slow down' })
    expect(await run(false)).toMatchObject({ status: 'completed' })
    expect(mock.getRequests()).toHaveLength(4)
  })

  it.each([
    ['limits', { rateLimitRate: 1 }, 'rate_limited', 3],
    ['dropped requests', { dropRate: 1 }, 'unavailable', 3],
    ['lost connections', { disconnectRate: 1 }, 'unavailable', 3],
    ['malformed JSON', { malformedRate: 1 }, 'malformed_result', 1],
  ])('ends with the reason of %s', async (_, chaos, reason, requests) => {
    mock.setChaos(chaos)
    const ended = await run(false)
    expect(ended).toMatchObject({ status: 'failed', error: { reason } })
    expect(mock.getRequests()).toHaveLength(requests)
    expect(ended.messages).toHaveLength(1)
  })
})
