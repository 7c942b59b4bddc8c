import { describe, expect, it } from 'vitest'
import { type AgentRun, modelPlanner } from '../../packages/runtime/src/agents.js'
import { Runtime, ToolFailure } from '../../packages/runtime/src/index.js'
import {
  answers,
  calls,
  refuses,
  type ScriptedModel,
  type ScriptStep,
  says,
  scriptedModel,
} from '../../packages/runtime/src/testing.js'
import { asksFor, getOrder, type ShopParts, shopOf } from './shop.fixture.js'

const runOf = async (
  steps: readonly ScriptStep[],
  parts: ShopParts = {},
): Promise<{ run: AgentRun; model: ScriptedModel }> => {
  const model = scriptedModel(steps)
  return { run: await shopOf(model, parts).run('Where is A-1?'), model }
}

describe('a scripted model', () => {
  it('answers with one step after the other and keeps what it was asked', async () => {
    const { run, model } = await runOf([asksFor('A-1', 'A-2'), says('It has shipped.')])
    expect(run).toMatchObject({ status: 'completed', result: { text: 'It has shipped.' } })
    expect(run.outcomes.map(({ call }) => call.toolCallId)).toEqual(['call_1_0', 'call_1_1'])
    expect(model.requests.map(({ messages }) => messages.map(({ role }) => role))).toEqual([
      ['user'],
      ['user', 'assistant', 'tool', 'tool'],
    ])
    expect(model.stepsLeft).toBe(0)
  })

  it('takes calls of generated builders, and calls them as models do', async () => {
    const { run } = await runOf([calls(getOrder.call({ orderId: 'A-9' })), says('Done.')])
    expect(run.messages[1]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'call_1_0', type: 'function', function: { name: 'orders_getOrder', arguments: '{"orderId":"A-9"}' } },
      ],
    })
  })

  it('sends malformed arguments as they are written', async () => {
    const { run } = await runOf([calls({ tool: 'orders_getOrder', arguments: '{"orderId":' }), says('Sorry.')])
    expect(run.outcomes[0]).toMatchObject({ status: 'failed', hint: { reason: 'invalid_arguments' } })
  })

  it('decides by the request where a step is a function', async () => {
    const { run } = await runOf([({ messages }) => says(`${messages.length} message`)])
    expect(run.result?.text).toBe('1 message')
  })

  it('says why it stopped, what it cost and what it is called', async () => {
    const usage = { promptTokens: 90, completionTokens: 2 }
    const { run, model } = await runOf([{ ...says('It has'), finishReason: 'length', usage, model: 'tiny-1' }])
    expect(run.usage).toMatchObject(usage)
    expect(run.result?.text).toBe('It has')
    expect(model.name).toBe('scripted')
  })

  it('refuses, and gives structured answers', async () => {
    const schema = { type: 'object', properties: { late: { type: 'boolean' } } } as const
    const { run } = await runOf([refuses('I may not say.')], { responseFormat: { schema } })
    expect(run.result).toEqual({ text: 'I may not say.' })
    const structured = await runOf([answers({ late: 'no' }), answers({ late: false })], { responseFormat: { schema } })
    expect(structured.run.result?.value).toEqual({ late: false })
  })

  it('throws the errors of its script as a driver does', async () => {
    const { run } = await runOf([new ToolFailure('The model is overloaded.', { reason: 'unavailable' })])
    expect(run).toMatchObject({
      status: 'failed',
      error: { reason: 'unavailable', message: 'The model is overloaded.' },
    })
  })

  it('says where its script is too short', async () => {
    const { run } = await runOf([asksFor('A-1')])
    expect(run).toMatchObject({
      status: 'failed',
      error: {
        message:
          "The script of the model 'scripted' has 1 step, but agent 'support' made another request, after a message with the role 'tool'. Add a step.",
      },
    })
  })

  it('gives equal conversations equal ids, whoever else asks', async () => {
    const model = scriptedModel([asksFor('A-1'), asksFor('A-1'), says('One.'), says('Two.')])
    const agent = new Runtime().registerAgent({ name: 'bare', description: 'No tools.' }, [], {
      planner: modelPlanner(model),
    })
    const [first, second] = await Promise.all([agent.run('Hi'), agent.run('Hi')])
    expect(first.messages[1]).toEqual(second.messages[1])
  })
})
