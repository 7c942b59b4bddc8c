import { describe, expect, it } from 'vitest'
import { type AgentRun, callTools, useHook } from '../../packages/runtime/src/agents.js'
import { type BoundAgent, ToolFailure } from '../../packages/runtime/src/index.js'
import type { ScriptedCall } from '../../packages/runtime/src/testing/scripted-model.js'
import { calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import type { ModelDriver } from '../../packages/runtime/src/types/planner.js'
import { agents } from '../nested/agents.fixture.js'
import { driverOf } from '../openai/model-agent.fixture.js'
import { asks, call, modelServer } from '../openai/model-server.fixture.js'
import { abortedIn } from '../runs/agents.fixture.js'
import { agentOver, ended, GOOD, lookUp, type ModelAgentParts, reasonsOf } from './model-agent.fixture.js'

/** A model that always asks for the same, or for these in turn, at 10 tokens a step. */
function obstinate(...asked: readonly ScriptedCall[]): ModelDriver {
  let turn = 0
  const usage = { promptTokens: 8, completionTokens: 2 }
  const steps = asked.map((each) => ({ ...calls(each), usage }))
  return {
    name: 'obstinate',
    ask: (request) => {
      turn += 1
      const step = steps[turn % steps.length]
      return scriptedModel(step === undefined ? [] : [step]).ask(request)
    },
  }
}

const refused = (): never => {
  throw new ToolFailure('There is no such order.')
}
const denial = useHook('beforeTool', () => ({ deny: 'Never.' }))

/** Calls that fail whenever they are made, and the reason. */
const failures: readonly (readonly [string, ScriptedCall, ModelAgentParts])[] = [
  ['invalid_arguments', lookUp('{"orderId":'), {}],
  ['missing_fields', lookUp('{}'), {}],
  ['unknown_tool', { tool: 'orders_getOrders', arguments: GOOD }, {}],
  ['domain_rejection', lookUp(GOOD), { execute: refused }],
  ['denied', lookUp(GOOD), { feature: denial }],
  ['malformed_result', lookUp(GOOD), { execute: () => 'nothing' }],
]

/** Removes the default limit of steps. */
const endless = { maxTurns: Number.POSITIVE_INFINITY }

/** What ends a run, how it is told, and after how many steps. */
const endings: readonly (readonly [ModelAgentParts, object, number])[] = [
  [{ policy: { maxConsecutiveFailures: 3 } }, { reason: 'max_consecutive_failures', limit: 3 }, 3],
  [{ policy: { maxTurns: 4 } }, { reason: 'max_turns', limit: 4 }, 4],
  [{ policy: { maxToolCalls: 5 } }, { reason: 'max_tool_calls', limit: 5 }, 6],
  [{ policy: { maxTokens: 45 } }, { reason: 'max_tokens', limit: 45 }, 5],
  [{ guards: { repetition: 2 } }, { reason: 'repetition', times: 2 }, 2],
  [{ guards: { maxSteps: 3 } }, { reason: 'max_turns', limit: 3 }, 3],
]

describe.each(failures)('a model that makes the same failing call again and again: %s', (reason, asked, failing) => {
  it.each(endings)('is stopped by %j', async (ending, stop, turns) => {
    const run = await ended(agentOver(obstinate(asked), { ...failing, ...ending }).run('Where?'))
    expect(run).toMatchObject({ status: 'stopped', stop, usage: { turns } })
    const isRefused = 'maxToolCalls' in (ending.policy ?? {})
    expect(new Set(reasonsOf(run))).toEqual(new Set(isRefused ? [reason, 'cancelled'] : [reason]))
  })

  it('is stopped by the clock and by its caller, though it never waits', async () => {
    const inTime = await ended(
      agentOver(obstinate(asked), { ...failing, policy: endless, guards: { timeoutMs: 40 } }).run('Where?'),
    )
    expect(inTime).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget', limit: 40 } })
    const cancelled = await ended(
      agentOver(obstinate(asked), { ...failing, policy: endless }).run('Where?', { signal: abortedIn(40) }),
    )
    expect(cancelled).toMatchObject({ status: 'cancelled', stop: { reason: 'cancelled' } })
  })
})

describe('a model that makes two failing calls in turn', () => {
  const [one, other] = [lookUp('{"orderId":'), lookUp('{}')]

  it('does not repeat itself, and fails again and again', async () => {
    const limits = { guards: { repetition: 2 }, policy: { maxConsecutiveFailures: 6 } }
    const run = await ended(agentOver(obstinate(one, other), limits).run('Where?'))
    expect(run.stop).toEqual({
      reason: 'max_consecutive_failures',
      limit: 6,
      message:
        'The run reached its limit of 6 consecutive failed calls. To change the limit, set `maxConsecutiveFailures` of the policy.',
    })
  })

  it('repeats itself in that both come at once, in any order', async () => {
    const model = scriptedModel([calls(one, other), calls(other, one), calls(one, other)])
    const run = await ended(agentOver(model, { guards: { repetition: 3 } }).run('Where?'))
    expect(run).toMatchObject({ stop: { reason: 'repetition', times: 3 }, usage: { turns: 3, toolCalls: 6 } })
  })
})

describe.each([false, true])('a model behind a server, streamed: %s', (stream) => {
  it('repeats itself under other ids and other spelling', async () => {
    const written = ['{"orderId":"A-1"}', '{ "orderId": "A-1" }', '{"orderId":"\\u0041-1"}']
    const replies = written.map((json, at) => asks(call(`id-${at}`, 'orders_getOrder', json)))
    const server = await modelServer(...replies)
    const agent = agentOver(driverOf(server, { driver: { stream } }), { guards: { repetition: 3 } })
    expect(await ended(agent.run('Where?'))).toMatchObject({
      status: 'stopped',
      stop: { reason: 'repetition', times: 3 },
    })
    expect(server.bodies).toHaveLength(3)
  })
})

describe('an agent beneath a call that makes the same call again and again', () => {
  async function above(support: BoundAgent): Promise<AgentRun> {
    return ended(support.run('Where?'))
  }

  it('is stopped by its own limit; the call fails as its last call did, and the run above goes on', async () => {
    const planner = () => callTools({ tool: 'orders_getOrder', arguments: '{' })
    const { support } = agents({ inner: { planner, policy: { maxTurns: 3 } } })
    const run = await above(support)
    expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } })
    expect(reasonsOf(run)).toEqual(['domain_rejection'])
  })

  it('is stopped by the time of the run above', async () => {
    const planner = () => callTools({ tool: 'orders_getOrder', arguments: '{' })
    const { support } = agents({ inner: { planner, policy: endless }, outer: { policy: { timeBudgetMs: 400 } } })
    const run = await above(support)
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget', limit: 400 } })
    expect(reasonsOf(run)).toEqual(['timeout'])
  })

  it('is stopped by the tokens of the run above', async () => {
    const usage = { promptTokens: 8, completionTokens: 2 }
    const planner = () => ({ ...callTools({ tool: 'orders_getOrder', arguments: '{' }), usage })
    const { support } = agents({ inner: { planner }, outer: { policy: { maxTokens: 50 } } })
    const run = await above(support)
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'max_tokens', limit: 50 } })
    expect(reasonsOf(run)).toEqual(['domain_rejection'])
  })
})

it('a call that fails once and then is made right is no repetition', async () => {
  const model = scriptedModel([calls(lookUp('{')), calls(lookUp(GOOD)), calls(lookUp('{')), says('I see.')])
  const limits = { guards: { repetition: 2 }, policy: { maxConsecutiveFailures: 2 } }
  expect(await ended(agentOver(model, limits).run('Where?'))).toMatchObject({ status: 'completed' })
})
