import { describe, expect, it } from 'vitest'
import {
  answer,
  base,
  type HookContext,
  modelPlanner,
  type Planner,
  type RunPolicy,
  type StepResult,
  useContext,
  useGuards,
  useHook,
} from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { approval } from '../../packages/runtime/src/index.js'
import { calls, refuses, type ScriptedResponse, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { bound, lookUp } from '../agents/agents.fixture.js'
import { configOf, live, shopOf, told, twice } from '../testing/shop.fixture.js'
import { agentOf, callOf, order, script } from './agents.fixture.js'

const schema = {
  type: 'object',
  properties: { total: { type: 'number' } },
  required: ['total'],
} as const
const usage = { promptTokens: 10, completionTokens: 1 }
const wrong: ScriptedResponse = { ...says('{"total":"many"}'), usage }
const right: ScriptedResponse = { ...says('{"total":1}'), usage }

/** An agent whose model answers these in the form of the schema. */
function structured(answers: readonly ScriptedResponse[], policy: RunPolicy = {}) {
  const model = scriptedModel(answers)
  return {
    model,
    agent: agentOf(() => order, { planner: modelPlanner(model, { responseFormat: { schema } }), policy }),
  }
}

describe('defect 18: the corrective exchange of a structured answer', () => {
  it('defect 18: is part of the conversation, and its second answer is a turn', async () => {
    const { model, agent } = structured([calls(lookUp), wrong, right])
    const handle = agent.run('?')
    const items = []
    for await (const item of handle.items()) items.push(item.kind)
    const run = await handle
    expect(run).toMatchObject({
      status: 'completed',
      result: { value: { total: 1 } },
      usage: { turns: 3, toolCalls: 1, promptTokens: 20, completionTokens: 2 },
    })
    expect(run.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
      'user',
      'assistant',
    ])
    expect(run.messages[4]).toMatchObject({
      content: expect.stringMatching(/does not match its JSON Schema:\n- \/total: /),
    })
    expect(run.messages.slice(0, 5)).toEqual(model.requests[2]?.messages)
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 1, 0])
    expect(validateHistory(run.messages)).toEqual([])
    expect(items).toEqual(['message', 'tool_output', 'message', 'message', 'message'])
    const turns = run.events.flatMap((event) => (event.type === 'step_started' ? [event.turn] : []))
    expect(turns).toEqual([1, 2, 3])
  })

  it.each([
    ['turns', { maxTurns: 1 }, 'max_turns'],
    ['tokens', { maxTokens: 11 }, 'max_tokens'],
  ] as const)('defect 18: is not made in a run that has reached its limit of %s', async (_, policy, reason) => {
    const { model, agent } = structured([wrong, right], policy)
    const run = await agent.run('?')
    expect(run).toMatchObject({ status: 'stopped', stop: { reason }, usage: { turns: 1, promptTokens: 10 } })
    expect(run).not.toHaveProperty('result')
    expect(run.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
    expect(model.requests).toHaveLength(1)
  })

  it('defect 18: is not made where a guard does not take how the model stopped', async () => {
    const model = scriptedModel([{ ...wrong, finishReason: 'length' }, right])
    const agent = base(model)
      .with(useContext({ responseFormat: { schema } }))
      .with(useGuards({ finishReasons: ['length'] }))
      .build()
    expect(await bound(agent).run('?')).toMatchObject({ stop: { reason: 'finish_reason' }, usage: { turns: 1 } })
  })

  it('defect 18: counts the tokens of a second answer that is wrong too, and may be refused', async () => {
    const failed = await structured([wrong, wrong, right]).agent.run('?')
    expect(failed).toMatchObject({
      status: 'failed',
      error: { cause: { code: 'invalid_output' } },
      usage: { promptTokens: 20, completionTokens: 2 },
    })
    expect(failed.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    const refused = await structured([wrong, refuses('No.')]).agent.run('?')
    expect(refused).toMatchObject({ status: 'completed', result: { text: 'No.' }, usage: { turns: 2 } })
  })

  it('defect 18: is reported to hooks as two steps', async () => {
    const heard: string[] = []
    const note =
      (name: string) =>
      ({ turn }: { readonly turn: number }): undefined => {
        heard.push(`${name} ${turn}`)
      }
    const results: StepResult[] = []
    const agent = base(scriptedModel([wrong, right]))
      .with(useContext({ responseFormat: { schema } }))
      .with(useHook('beforeStep', note('beforeStep')))
      .with(useHook('beforeModel', note('beforeModel')))
      .with(useHook('afterModel', note('afterModel')))
      .with(useHook('afterStep', ({ result }: HookContext<'afterStep'>) => void results.push(result)))
      .build()
    await bound(agent).run('?')
    const phases = ['beforeStep', 'beforeModel', 'afterModel']
    expect(heard).toEqual([1, 2].flatMap((turn) => phases.map((phase) => `${phase} ${turn}`)))
    expect(results).toMatchObject([{ kind: 'next', correction: { role: 'user' } }, { kind: 'done' }])
  })

  it('defect 18: is made of the last words too', async () => {
    const lacking = calls({ tool: 'orders_getOrder', arguments: {} })
    const { agent, model } = structured([lacking, wrong, right], { onMissingFields: 'finalize' })
    expect(await agent.run('?')).toMatchObject({
      stop: { reason: 'missing_fields' },
      result: { value: { total: 1 } },
      usage: { turns: 3 },
    })
    expect(model.requests.map(({ tools }) => tools.length)).toEqual([1, 0, 0])
  })

  it('defect 18: is made after a wait, and counts from there', async () => {
    const { agent } = structured([calls({ ...lookUp, toolCallId: 'one' }), wrong, right], { maxTurns: 3 })
    const layered = agent.layer(approval())
    const waiting = await layered.run('?', { env: { approval: { approve: async () => 'suspend' } } })
    const suspension = JSON.parse(JSON.stringify(waiting.suspension))
    const run = await layered.resume(
      suspension,
      { one: 'approve' },
      { env: { approval: { approve: async () => 'deny' } } },
    )
    expect(run).toMatchObject({
      status: 'completed',
      result: { value: { total: 1 } },
      usage: { turns: 3, toolCalls: 1 },
    })
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('defect 18: is replayed', async () => {
    const { recorded, replayed } = await twice(scriptedModel([wrong, right]), (driver, cassette) =>
      shopOf(driver, { execute: live(cassette), responseFormat: { schema } }).run('?', configOf(cassette)),
    )
    expect(recorded).toMatchObject({ status: 'completed', usage: { turns: 2 } })
    expect(told(replayed)).toEqual(told(recorded))
  })

  it('defect 18: may be asked for by a planner of one’s own', async () => {
    const seen: (boolean | undefined)[] = []
    const planner: Planner = ({ isCorrection, messages, tools }) => {
      seen.push(isCorrection)
      if (isCorrection !== true) return { kind: 'correction', text: 'Perhaps.', correction: 'Yes or no?' }
      return answer(`${messages.length} ${tools.length}`)
    }
    const run = await agentOf(() => order, { planner }).run('?')
    expect(seen).toEqual([undefined, true])
    expect(run).toMatchObject({ result: { text: '3 0' }, usage: { turns: 2 } })
    expect(run.messages.map(({ content }) => content)).toEqual(['?', 'Perhaps.', 'Yes or no?', '3 0'])
    const silent = await agentOf(() => order, {
      planner: script({ kind: 'correction', correction: 'Say something.' }, answer('Something.')),
    }).run('?')
    expect(silent.messages.map(({ content }) => content)).toEqual(['?', 'Say something.', 'Something.'])
    const calling = await agentOf(() => order, {
      planner: script({ kind: 'correction', correction: 'Say something.' }, { kind: 'calls', calls: [callOf()] }),
    }).run('?')
    expect(calling).toMatchObject({ usage: { toolCalls: 0 }, outcomes: [{ hint: { reason: 'cancelled' } }] })
  })
})
