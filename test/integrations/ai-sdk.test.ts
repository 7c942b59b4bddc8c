import { fileURLToPath } from 'node:url'
import {
  convertToModelMessages,
  generateText,
  type ModelMessage,
  readUIMessageStream,
  simulateReadableStream,
  stepCountIs,
  streamText,
  type UIMessage,
} from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import type { CallResponse } from '../../packages/runtime/src/adapters/framework-options.js'

import { aiSdkTools, keepMalformed } from '../../packages/runtime/src/ai-sdk.js'
import { type ApprovalRequest, approval, renderForModel, type ToolLayer } from '../../packages/runtime/src/index.js'
import { Shop } from '../conformance/shop.js'
import { tsc } from '../tsc.js'
import { aiSdk, isVersion7, type Prompt, scripted, toldIn } from './ai-sdk.framework.js'
import type { WrittenCall } from './framework.js'
import { agentOf, call } from './shop.fixture.js'
import { integrationSuite } from './suite.js'

const context = { sessionId: 's-1' }
const stopWhen = stepCountIs(5)

integrationSuite(aiSdk)

it.runIf(isVersion7)('the types are those of version 7 too', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  expect(tsc('7.0', folder, '-p', 'ai-sdk-7.json')).toEqual({ code: 0, stdout: '' })
})

describe('arguments that are no JSON', () => {
  const malformed = call('orders_find', '{"orderId": "A-1"')
  const proto = call('orders_find', '{"orderId":"A-1","__proto__":{"admin":true}}')

  it.each([malformed, proto])('reach the tool unchanged', async ({ tool, arguments: written, id }) => {
    const outcomes: CallResponse[] = []
    const direct = await agentOf().execute({ tool, arguments: written }, context)
    const played = await aiSdk.play(agentOf(), [[{ tool, arguments: written, id }]], {
      context,
      onOutcome: (outcome) => outcomes.push(outcome),
    })
    expect(played.told).toEqual([[{ id, text: renderForModel(direct) }]])
    expect(outcomes).toMatchObject([{ status: 'failed', hint: { rejected: written } }])
  })

  it('of tools from elsewhere are left to the SDK', async () => {
    const repair = keepMalformed(aiSdkTools(agentOf(), { context }))
    const toolCall = { type: 'tool-call' as const, toolCallId: 'c', toolName: 'weather', input: '{' }
    expect(await repair({ toolCall } as never)).toBeNull()
  })
})

describe('what the SDK shows of a call', () => {
  it('is its answer as data, and to the model a failure is an error', async () => {
    const turn = [call('orders_find', { orderId: 'A-1' }), call('orders_find', { orderId: 'shipped' })]
    const model = scripted([turn])
    const { steps } = await generateText({
      model,
      tools: aiSdkTools(agentOf(), { context }),
      prompt: 'Help.',
      stopWhen,
    })
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual([
      { status: 'completed', result: { id: 'A-1', total: 12.5 } },
      { status: 'failed', reason: 'domain_rejection', text: 'The order has shipped. Do not call it again.' },
    ])
    expect(toldIn(lastPrompt(model)).map(({ type }) => type)).toEqual(['text', 'error-text'])
  })

  it('is what a result adapter made of it, JSON or not', async () => {
    const texts = ['{ "id": 1 }', 'The order is open.']
    const agent = agentOf({ orders: { resultAdapter: () => texts.shift() ?? '' } })
    const turn = [call('orders_find', { orderId: 'A-1' }), call('orders_find', { orderId: 'A-2' })]
    const model = scripted([turn])
    const { steps } = await generateText({ model, tools: aiSdkTools(agent, { context }), prompt: 'Help.', stopWhen })
    expect(steps[0]?.toolResults.map(({ output }) => output)).toEqual([
      { status: 'completed', result: { id: 1 }, text: '{ "id": 1 }' },
      { status: 'completed', result: 'The order is open.', text: 'The order is open.' },
    ])
    expect(toldIn(lastPrompt(model)).map(({ text }) => text)).toEqual(['{ "id": 1 }', 'The order is open.'])
  })

  it('is sent to the model as before when a client returns the messages', async () => {
    const tools = aiSdkTools(agentOf(), { context })
    const result = streamText({
      model: streaming([[call('orders_find', {}), call('parcels_follow', { orderId: 'A' })]]),
      tools,
      prompt: 'Help.',
      stopWhen,
    })
    let message: UIMessage | undefined
    for await (const shown of readUIMessageStream({ stream: result.toUIMessageStream() })) message = shown
    const sentBack: UIMessage[] = JSON.parse(JSON.stringify([message]))
    const messages = await convertToModelMessages(sentBack, { tools })
    const told = messages.flatMap(({ role, content }) => (role === 'tool' ? content : []))
    expect(told.map((part) => (part.type === 'tool-result' ? part.output : undefined))).toEqual([
      { type: 'error-text', value: expect.stringContaining('orderId is missing') },
      { type: 'text', value: '{"place":"Rome"}' },
    ])
  })

  it('are the updates of a streaming tool as preliminary results', async () => {
    const { fullStream } = streamText({
      model: streaming([[call('parcels_follow', { orderId: 'A' })]]),
      tools: aiSdkTools(agentOf(), { context }),
      prompt: 'Help.',
      stopWhen,
    })
    const shown: unknown[] = []
    for await (const part of fullStream) {
      if (part.type === 'tool-result') shown.push([part.preliminary === true, part.output])
    }
    const rome = { status: 'completed', result: { place: 'Rome' } }
    expect(shown).toEqual([
      [true, { status: 'update', update: { place: 'Turin' } }],
      [true, { status: 'update', update: { place: 'Milan' } }],
      [true, rome],
      [false, rome],
    ])
  })
})

describe('approval by the SDK', () => {
  const cancel = call('orders_cancel', { orderId: 'A-1' })

  /** Answers what the SDK asks, and gives what the model is told then. */
  async function answered(shop: Shop, approved: boolean) {
    const tools = aiSdkTools(agentOf({ shop }), { context, approvals: 'framework' })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Cancel A-1.' }]
    const first = await generateText({ model: scripted([[cancel]]), tools, messages, stopWhen })
    const asked = first.content.filter((part) => part.type === 'tool-approval-request')
    messages.push(...first.response.messages, {
      role: 'tool',
      content: asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved })),
    })
    const model = scripted([])
    await generateText({ model, tools, messages, stopWhen })
    return { asked: asked.map(({ toolCall }) => toolCall.toolCallId), told: toldIn(lastPrompt(model)) }
  }

  it('asks before a tool that wants to be confirmed, and its yes is enough', async () => {
    const shop = new Shop()
    expect(await answered(shop, true)).toMatchObject({ asked: [cancel.id], told: [{ text: '{"cancelled":true}' }] })
    expect(shop.asked).toHaveLength(1)
  })

  it('runs nothing where the answer is no', async () => {
    const shop = new Shop()
    expect(await answered(shop, false)).toMatchObject({ asked: [cancel.id], told: [{ type: 'execution-denied' }] })
    expect(shop.asked).toEqual([])
  })

  it.runIf(isVersion7)('is decided by `toolApproval` of version 7, whatever the design declares', async () => {
    const shop = new Shop()
    const tools = aiSdkTools(agentOf({ shop }), { context, approvals: 'framework' })
    const turn = [cancel, call('orders_find', { orderId: 'A-1' })]
    const model = scripted([turn])
    const toolApproval = { orders_cancel: 'approved', orders_find: 'denied' }
    await generateText({ model, tools, prompt: 'Help.', stopWhen, ...{ toolApproval } })
    expect(toldIn(lastPrompt(model))).toMatchObject([{ text: '{"cancelled":true}' }, { type: 'execution-denied' }])
    expect(shop.asked).toHaveLength(1)
  })

  it('asks nobody about arguments that are not valid', async () => {
    const model = scripted([[call('orders_cancel', { orderId: '' })]])
    const tools = aiSdkTools(agentOf(), { context, approvals: 'framework' })
    const { content } = await generateText({ model, tools, prompt: 'Cancel it.', stopWhen })
    expect(content.map(({ type }) => type)).not.toContain('tool-approval-request')
    expect(toldIn(lastPrompt(model))).toMatchObject([{ text: expect.stringContaining('"orderId"') }])
  })
})

describe('a layer that changes the arguments of a call which the SDK approved', () => {
  it('defect 1: has the changed call denied where nobody can be asked about it', async () => {
    const shop = new Shop()
    const changed: ToolLayer = (next) => (request) =>
      request.tool.name === 'cancel' ? next(request.withArguments('{"orderId":"A-2"}')) : next(request)
    const tools = aiSdkTools(agentOf({ shop }).layer(changed), { context, approvals: 'framework' })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Cancel A-1.' }]
    const turn = [call('orders_cancel', { orderId: 'A-1' })]
    const first = await generateText({ model: scripted([turn]), tools, messages, stopWhen })
    const asked = first.content.filter((part) => part.type === 'tool-approval-request')
    messages.push(...first.response.messages, {
      role: 'tool',
      content: asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved: true })),
    })
    const model = scripted([])
    await generateText({ model, tools, messages, stopWhen })
    expect(toldIn(lastPrompt(model))).toMatchObject([{ text: '{"cancelled":false}' }])
    expect(shop.asked).toEqual([])
  })
})

describe('other questions than the one of the design, where the SDK asks', () => {
  const asking = agentOf().layer(approval({ when: ({ tool }) => tool.name === 'find' }))
  const turn = [call('orders_find', { orderId: 'A-1' })]

  it('are denied where nobody can be asked', async () => {
    const model = scripted([turn])
    const tools = aiSdkTools(asking, { approvals: 'framework', context })
    await generateText({ model, tools, prompt: 'Help.', stopWhen })
    expect(toldIn(lastPrompt(model))).toMatchObject([{ type: 'error-text' }])
  })

  it('are for the approval of the context', async () => {
    const asked: unknown[] = []
    const approve = async ({ tool }: ApprovalRequest) => {
      asked.push(tool)
      return 'approve' as const
    }
    const model = scripted([turn])
    const tools = aiSdkTools(asking, {
      approvals: 'framework',
      context: { ...context, env: { approval: { approve } } },
    })
    await generateText({ model, tools, prompt: 'Help.', stopWhen })
    expect(toldIn(lastPrompt(model))).toMatchObject([{ text: '{"id":"A-1","total":12.5}' }])
    expect(asked).toEqual(['orders.find'])
  })
})

describe('what the SDK knows of a tool', () => {
  it('are its title and its examples; in strict form that it is strict', () => {
    const { orders_find: open } = aiSdkTools(agentOf(), { context })
    expect(open).toMatchObject({ title: 'Find order', inputExamples: [{ input: { orderId: 'A-1' } }] })
    expect(open).not.toHaveProperty('strict')
    const { orders_find: strict } = aiSdkTools(agentOf(), { context, strict: true })
    expect(strict).toMatchObject({ strict: true })
    expect(strict).not.toHaveProperty('inputExamples')
  })

  it('gives its context to whoever says what a call runs with', async () => {
    const tools = aiSdkTools(agentOf(), {
      context: ({ experimental_context, context = experimental_context, toolCallId }) => ({
        sessionId: `${String(context)} ${toolCallId}`,
      }),
    })
    const asked = call('orders_mine', {})
    const model = scripted([[asked]])
    const own = isVersion7 ? { toolsContext: { orders_mine: 'of Ada:' } } : { experimental_context: 'of Ada:' }
    await generateText({ model, tools, prompt: 'Help.', stopWhen, ...own })
    expect(toldIn(lastPrompt(model))).toMatchObject([{ text: `{"id":"of Ada: ${asked.id}","total":1}` }])
  })
})

function lastPrompt({ doGenerateCalls }: MockLanguageModelV3): Prompt {
  return doGenerateCalls.at(-1)?.prompt ?? []
}

type Streamed = Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream']
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never

/** The scripted model, streamed. */
function streaming(turns: readonly (readonly WrittenCall[])[]): MockLanguageModelV3 {
  const { doGenerate } = scripted(turns)
  return new MockLanguageModelV3({
    doStream: async (options) => {
      const { content, finishReason, usage } = await doGenerate(options)
      const chunks: StreamPart[] = [{ type: 'stream-start', warnings: [] }]
      for (const part of content) {
        if (part.type === 'tool-call') chunks.push(part)
        if (part.type !== 'text') continue
        const id = 'text'
        chunks.push({ type: 'text-start', id }, { type: 'text-delta', id, delta: part.text }, { type: 'text-end', id })
      }
      chunks.push({ type: 'finish', finishReason, usage })
      return { stream: simulateReadableStream({ chunks }) }
    },
  })
}
