import { tool as agentsTool } from '@openai/agents'
import { jsonSchema, type ToolSet, tool } from 'ai'
import { describe, expect, it } from 'vitest'
import { executorOf, toolOf, useOf } from '../agents/orders.fixture.js'
import { registerAgent } from '../agents/runtime.js'
import type { Requirements, ToolsetBinding } from '../call/binding.js'
import { bindExecutor } from '../executors/executor-binding.js'
import { Runtime } from '../index.js'
import type { ToolExecutor } from '../types/executor.js'
import { aiSdkExecutor } from './ai-sdk.js'
import { openAiAgentsExecutor } from './openai-agents.js'

const agent = { name: 'support', description: 'Answers customers.' }
const find = toolOf<{ orderId: string }, unknown>('orders.find', { result: true })
const use = useOf([find])
const inputSchema = jsonSchema<{ orderId: string }>({ type: 'object' })

function bind(binding: unknown, requirements?: Requirements): ToolsetBinding {
  return bindExecutor(use, binding as never, requirements)
}

async function run(executor: ToolExecutor, options: object = {}, requirements?: Requirements): Promise<unknown> {
  const support = registerAgent(new Runtime(), agent, [bind({ executor }, requirements)])
  const outcome = await support.execute({ ...find.call({ orderId: 'A' }), toolCallId: 'call_1' }, options)
  return outcome.status === 'completed' ? outcome.result.data : outcome
}

describe('a toolset that an executor runs', () => {
  it.each([
    [undefined, "Toolset 'orders' is missing. Set toolsets.orders = { executor }."],
    [{}, "Toolset 'orders' has no executor. Set toolsets.orders.executor."],
    [{ executor: aiSdkExecutor({}) }, "The executor of toolset 'orders' does not run 'find'. It runs: none."],
    [
      { executor: aiSdkExecutor({ get: tool({ inputSchema }), list: tool({ inputSchema }) }) },
      "The executor of toolset 'orders' does not run 'find'. It runs: get, list.",
    ],
  ])('is rejected at registration: %j', (binding, message) => {
    expect(bind(binding).errors.map((error) => error.message)).toEqual([message])
  })

  it('needs a check that its executor does not have', () => {
    const requirements: Requirements = { find: ['check'] }
    const without = aiSdkExecutor({ find: tool({ inputSchema }) })
    expect(bind({ executor: executorOf(() => 1) }, requirements).errors).toMatchObject([{ code: 'missing_check' }])
    expect(bind({ executor: without }, requirements).errors).toMatchObject([{ code: 'missing_check' }])
  })
})

describe('an executor of the AI SDK', () => {
  it('checks arguments with the schema of the tool', async () => {
    const validate = (value: unknown) =>
      Object(value).orderId === 'A'
        ? { success: false as const, error: new Error('closed') }
        : { success: true as const, value: value as { orderId: string } }
    const schema = jsonSchema<{ orderId: string }>({ type: 'object' }, { validate })
    const executor = aiSdkExecutor({ find: tool({ inputSchema: schema, execute: () => 1 }) })
    expect(await run(executor, {}, { find: ['check'] })).toMatchObject({
      hint: { reason: 'invalid_arguments', issues: [{ message: 'closed' }] },
    })
  })

  it('passes on the id and the signal of a call, and the options', async () => {
    const controller = new AbortController()
    const seen: unknown[] = []
    const execute = async (_: unknown, { abortSignal, ...options }: { abortSignal?: AbortSignal }) => {
      seen.push(options)
      controller.abort(new Error('enough'))
      seen.push(abortSignal?.aborted)
    }
    const executor = aiSdkExecutor({ find: tool({ inputSchema, execute }) }, { experimental_context: 'ada' })
    expect(await run(executor, { signal: controller.signal })).toMatchObject({ hint: { reason: 'cancelled' } })
    expect(seen).toEqual([{ messages: [], toolCallId: 'call_1', experimental_context: 'ada' }, true])
  })

  it.each<[string, ToolSet[string]]>([
    ['is always needed', tool({ inputSchema, needsApproval: true, execute: () => 1 })],
    ['is needed for a call', tool({ inputSchema, needsApproval: ({ orderId }) => orderId === 'A', execute: () => 1 })],
  ])('runs no tool without a confirmation whose approval %s', async (_, find) => {
    expect(await run(aiSdkExecutor({ find }))).toMatchObject({
      status: 'failed',
      error: {
        cause: {
          message: "Cannot run 'orders.find': its tool needs an approval, but the design declares no `confirmation`.",
        },
      },
    })
  })

  it.each([
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [undefined, null],
    [{ a: undefined, b: new Map() }, { b: {} }],
  ])('returns a result without a schema as JSON: %j', async (result, json) => {
    expect(await run(aiSdkExecutor({ find: tool({ inputSchema, execute: () => result }) }))).toEqual(json)
  })
})

it('an executor of the OpenAI Agents SDK fails for a result that is the default error text', async () => {
  const broken = agentsTool({
    name: 'find',
    description: 'Find.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: true },
    strict: false,
    execute: () => {
      throw new Error('no database')
    },
  })
  expect(await run(openAiAgentsExecutor([broken]))).toMatchObject({ status: 'failed', hint: { reason: 'internal' } })
})
