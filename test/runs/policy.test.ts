import { afterEach, describe, expect, it, vi } from 'vitest'
import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, callTools, type Planner, type RunPolicy } from '../../packages/runtime/src/agents.js'
import { Runtime, runConfig, type ToolCall, ToolFailure } from '../../packages/runtime/src/index.js'
import { agentOf, callOf, callsAtOnce, later, never, order, script } from './agents.fixture.js'

afterEach(() => void vi.useRealTimers())

const lacking: ToolCall = { tool: 'orders.getOrder', arguments: '{"quantity":2}', toolCallId: 'lacking' }
const seven = Array.from({ length: 7 }, (_, index) => callOf(`A-${index}`, `call-${index}`))

/** How many calls ran at once at most, and what became of the run. */
async function most(policy: RunPolicy) {
  let running = 0
  let highest = 0
  const agent = agentOf(
    async () => {
      running += 1
      highest = Math.max(highest, running)
      await later(8, undefined)
      running -= 1
      return order
    },
    { planner: callsAtOnce(...seven), policy },
  )
  const run = await agent.run('?')
  return { highest, run }
}

describe('onMissingFields', () => {
  it('resume: the planner is notified and continues', async () => {
    const policies: readonly RunPolicy[] = [{}, { onMissingFields: 'resume' }]
    for (const policy of policies) {
      const planner = script(callTools(lacking), callTools(callOf()))
      const run = await agentOf(() => order, { planner, policy }).run('?')
      expect(run).toMatchObject({ status: 'completed', result: { text: 'done' }, usage: { turns: 3, toolCalls: 2 } })
      expect(run.outcomes).toMatchObject([{ hint: { reason: 'missing_fields' } }, { status: 'completed' }])
      expect(run.messages[2]).toMatchObject({ role: 'tool', content: expect.stringContaining('orderId') })
    }
  })

  it('finalize: one last decision without tools, and the run ends so', async () => {
    const offered: number[] = []
    const planner: Planner = ({ tools, turn }) => {
      offered.push(tools.length)
      return turn === 1 ? callTools(lacking) : answer('I need the number of the order.')
    }
    const run = await agentOf(() => order, { planner, policy: { onMissingFields: 'finalize' } }).run('?')
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'missing_fields' },
      result: { text: 'I need the number of the order.' },
      usage: { turns: 2, toolCalls: 1 },
    })
    expect(offered).toEqual([1, 0])
  })

  it('finalize: calls that are asked for without tools are not run', async () => {
    let executed = 0
    const agent = agentOf(() => executed++, {
      planner: script(callTools(lacking), callTools(callOf()), answer('never asked')),
      policy: { onMissingFields: 'finalize' },
    })
    const run = await agent.run('?')
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'missing_fields' }, usage: { turns: 2 } })
    expect(executed).toBe(0)
  })

  it('await_clarification: the run is suspended with a question, as plain data', async () => {
    const planner = callsAtOnce(lacking, callOf('A', 'fine'))
    const run = await agentOf(() => order, { planner, policy: { onMissingFields: 'await_clarification' } }).run('?')
    expect(run).toMatchObject({
      status: 'suspended',
      stop: { reason: 'suspended' },
      suspension: {
        version: 1,
        runId: run.runId,
        agent: 'support',
        kind: 'clarification',
        question: 'Please enter: Order number as printed on the invoice (orderId).',
        fields: [{ tool: 'orders.getOrder', path: '/orderId' }],
      },
    })
    expect(JSON.parse(JSON.stringify(run.suspension))).toEqual(run.suspension)
    expect(run.suspension?.messages).toEqual(run.messages)
    expect(run.outcomes).toMatchObject([{ status: 'failed' }, { status: 'completed' }])
  })

  it('applies to nothing but missing fields', async () => {
    const invalid = { tool: 'orders.getOrder', arguments: '{"orderId":"A","quantity":0}' }
    const modes = ['finalize', 'await_clarification'] as const
    for (const onMissingFields of modes) {
      const run = await agentOf(() => order, { planner: callsAtOnce(invalid), policy: { onMissingFields } }).run('?')
      expect(run).toMatchObject({ status: 'completed', outcomes: [{ hint: { reason: 'invalid_arguments' } }] })
    }
  })
})

describe('limits', () => {
  const forever: Planner = () => callTools(callOf())

  it('maxToolCalls: what is left is run, the rest is refused, and the run ends', async () => {
    let executed = 0
    const execute = (): unknown => {
      executed += 1
      return order
    }
    const agent = agentOf(execute, {
      planner: callsAtOnce(...seven),
      policy: { maxToolCalls: 3 },
    })
    const run = await agent.run('?')
    expect(executed).toBe(3)
    expect(run).toMatchObject({
      status: 'stopped',
      stop: { reason: 'max_tool_calls', limit: 3 },
      usage: { toolCalls: 3 },
    })
    expect(run.outcomes.map(({ status }) => status)).toEqual([
      ...Array(3).fill('completed'),
      ...Array(4).fill('failed'),
    ])
    expect(run.messages.filter(({ role }) => role === 'tool')).toHaveLength(7)
  })

  it.each([
    [{ maxTurns: 4 }, 'max_turns', 4],
    [{ maxTurns: 0 }, 'max_turns', 0],
    [{ maxToolCalls: 4 }, 'max_tool_calls', 4],
    [{ maxToolCalls: 0 }, 'max_tool_calls', 0],
  ] as const)('%j stops a planner that never ends', async (policy, reason, calls) => {
    const run = await agentOf(() => order, { planner: forever, policy }).run('?')
    expect(run).toMatchObject({ status: 'stopped', stop: { reason, limit: calls }, usage: { toolCalls: calls } })
  })

  it('maxConsecutiveFailures counts failures without a success between them', async () => {
    let tried = 0
    const execute = () => {
      tried += 1
      if (tried !== 3) throw new ToolFailure('no')
      return order
    }
    const run = await agentOf(execute, { planner: forever, policy: { maxConsecutiveFailures: 3 } }).run('?')
    expect(run).toMatchObject({ stop: { reason: 'max_consecutive_failures', limit: 3 }, usage: { toolCalls: 6 } })
  })

  it('maxTokens counts what the planner says its decisions cost', async () => {
    const usage = { promptTokens: 30, completionTokens: 10 }
    const planner: Planner = () => ({ ...callTools(callOf()), usage })
    const run = await agentOf(() => order, { planner, policy: { maxTokens: 100 } }).run('?')
    expect(run).toMatchObject({
      stop: { reason: 'max_tokens', limit: 100 },
      usage: { promptTokens: 90, completionTokens: 30, turns: 3 },
    })
  })

  it('timeBudgetMs ends a run in the middle of its calls, each with its outcome', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const running = agentOf(never, { planner: callsAtOnce(...seven), policy: { timeBudgetMs: 25 } }).run('?')
    // After the end of its time the loop waits for timers that are due at once.
    await vi.advanceTimersByTimeAsync(30)
    const run = await running
    expect(run).toMatchObject({ status: 'stopped', stop: { reason: 'time_budget', limit: 25 } })
    expect(run.outcomes).toHaveLength(7)
    for (const outcome of run.outcomes) expect(outcome).toMatchObject({ hint: { reason: 'timeout' } })
    expect(run.messages.filter(({ role }) => role === 'tool')).toHaveLength(7)
  })

  it('toolTimeoutMs ends a call, and the run goes on', async () => {
    const run = await agentOf(never, { planner: callsAtOnce(callOf()), policy: { toolTimeoutMs: 15 } }).run('?')
    expect(run).toMatchObject({ status: 'completed', outcomes: [{ hint: { reason: 'timeout' } }] })
  })

  it('maxTurns is 100 by default, and a registration or a run can raise or remove this limit', async () => {
    const run = await agentOf(() => order, { planner: forever }).run('?')
    const message =
      'The run reached its limit of 100 steps. To change the limit, set `maxTurns` of the policy or `maxSteps` of the guards.'
    expect(run).toMatchObject({ status: 'stopped', usage: { turns: 100 } })
    expect(run.stop).toEqual({ reason: 'max_turns', limit: 100, message })
    const more = { config: runConfig().policy({ maxTurns: 120 }) }
    expect((await agentOf(() => order, { planner: forever }).run('?', more)).usage.turns).toBe(120)
    const policy = { maxTurns: Number.POSITIVE_INFINITY, maxToolCalls: 130 }
    const endless = await agentOf(() => order, { planner: forever, policy }).run('?')
    expect(endless).toMatchObject({ stop: { reason: 'max_tool_calls' }, usage: { toolCalls: 130 } })
  })

  it('of design, binding and run take the strictest number and the last mode', async () => {
    const agent = agentOf(() => order, { planner: forever, policy: { maxTurns: 5, onFailure: 'fail_fast' } })
    const config = (policy: RunPolicy) => ({ config: runConfig().policy(policy) })
    expect((await agent.run('?', config({ maxTurns: 2 }))).usage.turns).toBe(2)
    expect((await agent.run('?', config({ maxTurns: 9 }))).usage.turns).toBe(5)
    const design = { name: 'support', description: '', policy: { maxTurns: 3, onMissingFields: 'finalize' } } as const
    const lacks = (policy: RunPolicy, ofRun: RunPolicy) =>
      new Runtime()
        .registerAgent(design, [registrationOf(getOrder, () => order)], { planner: () => callTools(lacking), policy })
        .run('?', config(ofRun))
    expect((await lacks({}, {})).stop).toEqual({ reason: 'missing_fields' })
    expect((await lacks({ onMissingFields: 'await_clarification' }, {})).status).toBe('suspended')
    const resumed = await lacks({ onMissingFields: 'await_clarification' }, { onMissingFields: 'resume', maxTurns: 8 })
    expect(resumed.stop).toEqual({
      reason: 'max_turns',
      limit: 3,
      message:
        'The run reached its limit of 3 steps. To change the limit, set `maxTurns` of the policy or `maxSteps` of the guards.',
    })
  })

  it.each([
    { maxTurns: -1 },
    { parallelism: 0 },
    { maxTokens: Number.NaN },
    { onFailure: 'x' },
    { onMissingFields: 'x' },
  ])('%j is refused where it is given', (policy) => {
    expect(() => runConfig().policy(policy as RunPolicy)).toThrow(/policy\./)
    expect(() => agentOf(() => order, { policy: policy as RunPolicy })).toThrow(/policy\./)
  })
})

describe('calls of one step', () => {
  it.each([1, 2, 3])('run %d at once with that parallelism', async (parallelism) => {
    const { highest, run } = await most({ parallelism })
    expect(highest).toBe(parallelism)
    expect(run.outcomes.map(({ call }) => call.toolCallId)).toEqual(seven.map(({ toolCallId }) => toolCallId))
  })

  it('run all at once without a limit', async () => {
    expect((await most({})).highest).toBe(7)
  })

  it('join_all: a failure harms no sibling; fail_fast: it cancels them, never the run', async () => {
    const execute = async ({ meta }: { readonly meta: { readonly toolCallId: string } }) => {
      if (meta.toolCallId !== 'call-1') return later(30, order)
      throw new ToolFailure('no')
    }
    const statuses = async (policy: RunPolicy) => {
      const run = await agentOf(execute, { planner: callsAtOnce(...seven.slice(0, 3)), policy }).run('?')
      expect(run).toMatchObject({ status: 'completed', result: { text: 'done' } })
      return run.outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status))
    }
    expect(await statuses({})).toEqual(['completed', 'domain_rejection', 'completed'])
    expect(await statuses({ onFailure: 'join_all' })).toEqual(['completed', 'domain_rejection', 'completed'])
    expect(await statuses({ onFailure: 'fail_fast' })).toEqual(['cancelled', 'domain_rejection', 'cancelled'])
    expect(await statuses({ onFailure: 'fail_fast', parallelism: 1 })).toEqual([
      'completed',
      'domain_rejection',
      'cancelled',
    ])
  })
})
