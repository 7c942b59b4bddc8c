import { describe, expect, it } from 'vitest'
import { openAgents } from '../../examples/research/src/agents.js'
import { ArchiveClient } from '../../examples/research/src/archive-client.js'
import { OrdersClient } from '../../examples/research/src/orders-client.js'
import {
  answer,
  type Decision,
  type Feature,
  ModelResponseError,
  modelPlanner,
  type Planner,
  useHook,
} from '../../packages/runtime/src/agents.js'
import { ToolFailure } from '../../packages/runtime/src/index.js'
import { calls, type ScriptStep, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import { agents } from '../nested/agents.fixture.js'
import { agentOver, ended, GOOD, lookUp, type ModelAgentParts, reasonsOf, toldOf } from './model-agent.fixture.js'

describe('a driver that fails in the middle of a run', () => {
  it.each<[string, unknown, string]>([
    ['an error', new Error('secret at /etc'), 'internal'],
    ['a failure with a reason', new ToolFailure('Busy.', { reason: 'unavailable' }), 'unavailable'],
    ['an answer of no use', new ModelResponseError('no_choices'), 'malformed_result'],
    ['nothing', undefined, 'internal'],
    ['a text', 'secret', 'internal'],
    [
      'an object that cannot be read',
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('secret')
          },
        },
      ),
      'internal',
    ],
  ])('ends it with its reason, and what was reached is kept: %s', async (_, thrown, reason) => {
    let asked = 0
    const model = scriptedModel([calls(lookUp(GOOD)), says('Too late.')])
    const driver = {
      name: 'broken',
      ask: (request: Parameters<typeof model.ask>[0]) => {
        asked += 1
        return asked === 2 ? Promise.reject(thrown) : model.ask(request)
      },
    }
    const run = await ended(agentOver(driver).run('Where?'))
    expect(run).toMatchObject({ status: 'failed', error: { reason }, usage: { turns: 1, toolCalls: 1 } })
    expect(reasonsOf(run)).toEqual(['completed'])
    expect(JSON.stringify(run)).not.toContain('secret')
  })

  it.each([undefined, null, 5, {}, { message: null, calls: [] }])(
    'ends it where it answers with %j',
    async (nothing) => {
      const driver = { name: 'empty', ask: async () => nothing as never }
      expect(await ended(agentOver(driver).run('Where?'))).toMatchObject({
        status: 'failed',
        error: { reason: 'malformed_result' },
        usage: { turns: 0 },
      })
    },
  )
})

describe('a planner of an agent beneath a call that', () => {
  const throws = () => {
    throw new Error('secret at /etc')
  }
  const model = (...steps: readonly ScriptStep[]): Planner => modelPlanner(scriptedModel(steps))

  it.each<[string, Planner, string]>([
    ['throws', throws, 'internal'],
    ['returns nothing', () => undefined as never, 'internal'],
    ['decides something else', () => ({ kind: 'dance' }) as unknown as Decision, 'internal'],
    ['asks for no call', () => ({ kind: 'calls', calls: [] }) as unknown as Decision, 'internal'],
    ['is withheld', model({ ...says('Half'), finishReason: 'content_filter' }), 'denied'],
    ['says nothing before its tokens end', model({ finishReason: 'length' }), 'malformed_result'],
    ['says nothing, twice', model(says(''), says('')), 'malformed_result'],
    ['refuses, twice', model({ refusal: 'No.' }, { refusal: 'No.' }), 'malformed_result'],
    ['answers with what does not fit, twice', model(says('[]'), says('{"id":7}')), 'malformed_result'],
    ['asks for calls when JSON is due', model(says('Prose.'), calls(lookUp(GOOD))), 'malformed_result'],
    ['is silent in its script', model(), 'internal'],
  ])('%s fails that call, and the run above goes on', async (_, planner, reason) => {
    const { support } = agents({ inner: { planner } })
    const run = await ended(support.run('Where?'))
    expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } })
    expect(reasonsOf(run)).toEqual([reason])
    expect(JSON.stringify(run)).not.toContain('secret')
  })

  it('fails in one of several runs leaves the others', async () => {
    let begun = 0
    const planner: Planner = () => {
      begun += 1
      return begun === 2 ? throws() : answer({ id: 'A-1', total: 1 })
    }
    const asked = ['one', 'two', 'three'].map((id) => ({
      tool: 'investigation.investigate',
      arguments: '{"topic":"lamps"}',
      toolCallId: id,
    }))
    const outer = modelPlanner(scriptedModel([calls(...asked), says('I see.')]))
    const { support } = agents({ inner: { planner }, outer: { planner: outer } })
    const run = await ended(support.run('Where?'))
    expect(reasonsOf(run)).toEqual(['completed', 'internal', 'completed'])
    expect(run.result).toEqual({ text: 'I see.' })
  })
})

describe('a call of a tool that the agent does not have', () => {
  it('is not run, though an agent beneath has it', async () => {
    const archive = new ArchiveClient()
    const asked = { sku: 'LAMP-1', question: 'Why?' }
    const model = scriptedModel([
      calls(
        { tool: 'archive_askMaker', arguments: asked },
        { tool: 'archive.askMaker', arguments: asked },
        { tool: 'investigation_investigat', arguments: {} },
      ),
      says('I see.'),
    ])
    const support = openAgents(model, { archive, orders: new OrdersClient() })
    const run = await ended(support.run('Where?', { env: { approval: { approve: async () => 'approve' } } }))
    expect(reasonsOf(run)).toEqual(['unknown_tool', 'unknown_tool', 'unknown_tool'])
    expect(toldOf(run)[2]).toContain('investigation_investigate')
    expect([run.status, archive.paidAnswers]).toEqual(['completed', 0])
  })

  it.each<[string, Feature]>([
    ['a hook', useHook('beforeStep', () => ({ tools: [] }))],
    ['a step layer', (builder) => builder.stepLayer((next) => (request) => next({ ...request, tools: [] }))],
  ])('is not run where %s took the tool away', async (_, feature) => {
    const ran: string[] = []
    const execute: ModelAgentParts['execute'] = ({ tool }) => {
      ran.push(tool.id)
      return { id: 'A-1', total: 1 }
    }
    const model = scriptedModel([calls(lookUp(GOOD)), says('I see.')])
    await ended(agentOver(model, { feature, execute }).run('Where?'))
    expect(ran).toEqual([])
  })
})
