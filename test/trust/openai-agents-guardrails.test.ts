import {
  Agent,
  defineOutputGuardrail,
  defineToolInputGuardrail,
  defineToolOutputGuardrail,
  InputGuardrailTripwireTriggered,
  type InputGuardrail as SdkInputGuardrail,
  ToolGuardrailFunctionOutputFactory,
} from '@openai/agents'
import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { base, useGuardrails } from '../../packages/runtime/src/agents.js'
import { Runtime } from '../../packages/runtime/src/index.js'
import { type OpenAiAgentsGuardrails, openAiAgentsGuardrails } from '../../packages/runtime/src/openai-agents.js'
import { calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { runner, scripted } from '../integrations/openai-agents.framework.js'

const noBad: SdkInputGuardrail = {
  name: 'no bad',
  execute: async ({ input, context, agent }) => ({
    tripwireTriggered: String(JSON.stringify(input)).includes('bad'),
    outputInfo: { tenant: (context.context as { tenant?: string } | undefined)?.tenant, agent: agent.name },
  }),
}

const noSecret = defineOutputGuardrail({
  name: 'no secret',
  execute: async ({ agentOutput }) => ({ tripwireTriggered: String(agentOutput).includes('secret'), outputInfo: 1 }),
})

const noA = defineToolInputGuardrail({
  name: 'no A',
  run: async ({ toolCall }) => {
    const { orderId } = JSON.parse(toolCall.arguments)
    if (orderId === 'A-1') return ToolGuardrailFunctionOutputFactory.rejectContent('Use another order.')
    if (orderId === 'A-2') return ToolGuardrailFunctionOutputFactory.throwException({ orderId })
    return ToolGuardrailFunctionOutputFactory.allow()
  },
})

const noTotal = defineToolOutputGuardrail({
  name: 'no total',
  run: async ({ output, toolCall }) =>
    (output as { total: number }).total > 1 && toolCall.arguments.includes('B-1')
      ? ToolGuardrailFunctionOutputFactory.rejectContent('Too much.')
      : ToolGuardrailFunctionOutputFactory.allow(),
})

function run(guardrails: OpenAiAgentsGuardrails, input: string, ...orderIds: readonly string[]) {
  const model = scriptedModel([
    ...orderIds.map((orderId) => calls({ tool: 'orders_getOrder', arguments: { orderId } })),
    says('A secret.'),
  ])
  const agent = base(model)
    .with(useGuardrails(openAiAgentsGuardrails(guardrails)))
    .build()
  const tools = [registrationOf(getOrder, () => ({ id: 'A', total: 2 }))]
  const support = new Runtime().registerAgent({ name: 'support', description: 'x' }, tools, { agent })
  return support.run(input, { env: { tenant: 'acme' } })
}

describe('guardrails of the OpenAI Agents SDK', () => {
  it('end a run of the SDK and a run of toolgen for the same input', async () => {
    const sdk = new Agent({ name: 'support', model: scripted([]), inputGuardrails: [noBad] })
    await expect(runner.run(sdk, 'bad')).rejects.toThrow(InputGuardrailTripwireTriggered)
    expect(await run({ input: [noBad] }, 'bad')).toMatchObject({
      status: 'stopped',
      stop: { reason: 'guardrail', by: 'no bad', stage: 'input', info: { tenant: 'acme', agent: 'support' } },
    })
    expect((await runner.run(sdk, 'good')).finalOutput).toBe('Done.')
    expect(await run({ input: [noBad] }, 'good')).toMatchObject({ status: 'completed' })
  })

  it('accept definitions with `run`, and those that run before the request', async () => {
    const defined = {
      name: 'defined',
      run: async () => ({ output: { tripwireTriggered: true, outputInfo: {} } }),
      runInParallel: false,
    }
    expect(await run({ input: [defined] }, 'x')).toMatchObject({ stop: { by: 'defined' }, usage: { turns: 1 } })
    expect(await run({ output: [noSecret] }, 'x')).toMatchObject({
      stop: { by: 'no secret', stage: 'output', info: 1 },
    })
  })

  it('reject calls and results with a message for the model, or stop the run', async () => {
    const rejected = await run({ toolCall: [noA], toolResult: [noTotal] }, 'x', 'A-1', 'B-1', 'C-1')
    expect(rejected).toMatchObject({
      status: 'completed',
      outcomes: [
        { status: 'failed', hint: { message: 'Use another order.' } },
        { status: 'failed', hint: { message: 'The tool ran, but its result was withheld: Too much.' } },
        { status: 'completed' },
      ],
    })
    expect(await run({ toolCall: [noA] }, 'x', 'A-2')).toMatchObject({
      stop: { reason: 'guardrail', by: 'no A', stage: 'toolCall', info: { orderId: 'A-2' } },
    })
  })
})
