import { Agent } from '@openai/agents'
import { generateText, type ModelMessage, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { executorOf, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { aiSdkTools } from '../../packages/runtime/src/ai-sdk.js'
import {
  type ApprovalDecision,
  approval,
  type BoundAgent,
  type HasApproval,
  Runtime,
  retry,
  type ToolLayer,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import { openAiAgentsTools } from '../../packages/runtime/src/openai-agents.js'
import { scripted as scriptedModel } from '../integrations/ai-sdk.framework.js'
import { runner, scripted } from '../integrations/openai-agents.framework.js'
import { call } from '../integrations/shop.fixture.js'

interface Refund {
  readonly paymentId: string
  readonly amount: number
}

const sent: Refund = { paymentId: 'P-1', amount: 500 }
const small: Refund = { paymentId: 'P-1', amount: 50 }

const schema = {
  type: 'object',
  properties: { paymentId: { type: 'string' }, amount: { type: 'number', minimum: 1 } },
  required: ['paymentId', 'amount'],
} as const

const when = { type: 'object', properties: { amount: { exclusiveMinimum: 100 } }, required: ['amount'] } as const

const raised: ToolLayer = (next) => (request) => next(request.withArguments(JSON.stringify({ ...sent, amount: 900 })))

/** Changes of the tool or of its layers. */
const modes = {
  plain: {},
  renamed: { names: { as: 'billing', toolNames: { refund: 'give_back' } } },
  retried: { failures: 1, layers: [retry({ attempts: 2, delayMs: () => 0 })] },
  'with arguments that a layer raises': { layers: [raised] },
  'with a second approval': { layers: [approval({ when: ({ tool }) => tool.name === 'refund' })] },
} as const satisfies Record<
  string,
  { readonly names?: object; readonly failures?: number; readonly layers?: readonly ToolLayer<any>[] }
>

function deskOf(mode: keyof typeof modes) {
  const ran: unknown[] = []
  const {
    names,
    failures = 0,
    layers = [],
  }: (typeof modes)['plain'] & {
    names?: object
    failures?: number
    layers?: readonly ToolLayer<any>[]
  } = modes[mode]
  const tool = toolOf<Refund, unknown>('payments.refund', {
    arguments: schema,
    result: {},
    spec: { confirmation: { prompt: 'Refund {{amount}}?', when } },
  })
  let left = failures
  const executor = executorOf(async ({ payload }) => {
    ran.push(await payload())
    left -= 1
    if (left >= 0) throw Object.assign(new Error('away'), { status: 503, headers: {} })
    return { refunded: true }
  })
  const registration = toolsetRegistration<HasApproval>(useOf([tool], names), executor)
  const agent = new Runtime().registerAgent({ name: 'desk', description: 'Settles.' }, [registration], {})
  const desk = layers.reduce<BoundAgent<any>>((inner, layer) => inner.layer(layer), agent)
  return { ran, desk: desk as BoundAgent<HasApproval>, name: names === undefined ? 'payments_refund' : 'give_back' }
}

type Desk = ReturnType<typeof deskOf>

/** Returns the number of questions of the framework. `approved`: the answer of its user; `undefined` for none. */
type Play = (desk: Desk, args: object, approved: boolean | undefined, env?: HasApproval) => Promise<number>

const stopWhen = stepCountIs(5)

const frameworks: Readonly<Record<string, Play>> = {
  'the AI SDK': async ({ desk, name }, args, approved, env) => {
    const context = env === undefined ? {} : { context: { env } }
    const tools = aiSdkTools(desk, { approvals: 'framework', ...context })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Refund P-1.' }]
    const model = scriptedModel([[call(name, args)]])
    const { content, response } = await generateText({ model, tools, messages, stopWhen })
    const asked = content.filter((part) => part.type === 'tool-approval-request')
    if (approved === undefined || asked.length === 0) return asked.length
    messages.push(...response.messages, {
      role: 'tool',
      content: asked.map(({ approvalId }) => ({ type: 'tool-approval-response', approvalId, approved })),
    })
    await generateText({ model: scriptedModel([]), tools, messages, stopWhen })
    return asked.length
  },
  'the OpenAI Agents SDK': async ({ desk, name }, args, approved, env) => {
    const context = env === undefined ? {} : { context: { env } }
    const tools = openAiAgentsTools(desk, { approvals: 'framework', ...context })
    const agent = new Agent({ name: 'desk', model: scripted([[call(name, args)]]), tools })
    const { state, interruptions } = await runner.run(agent, 'Refund P-1.')
    if (approved === undefined || interruptions.length === 0) return interruptions.length
    for (const each of interruptions) {
      if (approved) state.approve(each)
      else state.reject(each)
    }
    await runner.run(agent, state)
    return interruptions.length
  },
}

describe.each(Object.entries(frameworks))('arguments that reach the executor where %s asks its user', (_, play) => {
  const cells = Object.keys(modes).flatMap((mode) =>
    [true, false, undefined].map((approved) => [mode as keyof typeof modes, approved] as const),
  )

  it.each(cells)('%s, approved: %s', async (mode, approved) => {
    const world = deskOf(mode)
    const asked = await play(world, sent, approved)
    // Nobody has seen the raised arguments: without an approver in the context, the call is denied.
    const expected = approved !== true || mode === 'with arguments that a layer raises' ? [] : [sent]
    expect([asked, world.ran]).toEqual([1, mode === 'retried' ? [...expected, ...expected] : expected])
  })

  it('runs a call without a question if the design requires none for its arguments', async () => {
    const world = deskOf('plain')
    expect([await play(world, small, false), world.ran]).toEqual([0, [small]])
  })

  it('asks about raised arguments, if the call itself needed no approval, only the approver of the context', async () => {
    for (const decision of ['approve', 'deny'] as const) {
      const world = deskOf('with arguments that a layer raises')
      const seen: unknown[] = []
      const approve = async (request: { readonly arguments: unknown }): Promise<ApprovalDecision> => {
        seen.push(request.arguments)
        return decision
      }
      const asked = await play(world, small, true, { approval: { approve } })
      const raisedTo = { ...sent, amount: 900 }
      expect([asked, seen, world.ran]).toEqual([0, [raisedTo], decision === 'approve' ? [raisedTo] : []])
    }
  })
})
