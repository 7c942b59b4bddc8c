import { describe, expect, it } from 'vitest'
import { toolOf, toolsetOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { type AgentRun, answer, ask, type Planner, type RunSuspension } from '../../packages/runtime/src/agents.js'
import { validateHistory } from '../../packages/runtime/src/chat.js'
import { agentToolsetRegistration } from '../../packages/runtime/src/executors/agent-toolset.js'
import { approval, type BoundAgent, Runtime } from '../../packages/runtime/src/index.js'
import { agents, investigation, lookingUp, onceThen, type Setting, supportAgent } from './agents.fixture.js'

const env = { approval: { approve: async () => 'suspend' as const } }
const stored = ({ suspension }: AgentRun): RunSuspension => JSON.parse(JSON.stringify(suspension))

/** The agents, where each call of the inner one waits for approval; `ran` lists what was looked up. */
function waiting(setting: Setting = {}) {
  const ran: string[] = []
  const made = agents({
    around: (research) => research.layer(approval()) as BoundAgent,
    execute: async ({ payload }) => {
      const { orderId } = (await payload()) as { readonly orderId: string }
      ran.push(orderId)
      return { id: orderId, total: 1 }
    },
    ...setting,
  })
  return { ...made, ran }
}

describe('an approval that is needed in a run beneath a call', () => {
  it('suspends the outer run, which goes on once where it was', async () => {
    const { support, asked, ran } = waiting()
    const run = await support.run('?', { env })
    expect(run).toMatchObject({ status: 'suspended', suspension: { kind: 'approval', agent: 'support' } })
    expect(run.suspension?.pending).toEqual([
      {
        id: 'outer-1/inner-A',
        kind: 'approval',
        agent: 'research',
        call: { tool: 'orders.getOrder', toolCallId: 'inner-A', parentToolCallId: 'outer-1' },
        arguments: '{"orderId":"A"}',
      },
    ])
    const again = await Promise.all(
      [1, 2].map(() => support.resume(stored(run), { 'outer-1/inner-A': 'approve' }, { env })),
    )
    expect(again.map(({ status }) => status)).toEqual(['completed', 'failed'])
    expect(ran).toEqual(['A'])
    expect(asked.map(({ turn }) => turn)).toEqual([1, 2])
    expect(again[0]?.outcomes).toMatchObject([{ json: '{"id":"A","total":1}', provenance: { children: [{}] } }])
    expect(validateHistory(again[0]?.messages ?? [])).toEqual([])
  })

  it('never runs what was declined, and lets the inner agent go on', async () => {
    const planner = lookingUp(['A'], ({ outcomes }) =>
      answer({ id: outcomes[0]?.status === 'failed' ? outcomes[0].hint.reason : '', total: 0 }),
    )
    const { support, ran } = waiting({ inner: { planner } })
    const run = await support.run('?', { env })
    const resumed = await support.resume(stored(run), { 'outer-1/inner-A': 'deny' }, { env })
    expect([ran, resumed.outcomes]).toMatchObject([[], [{ json: '{"id":"denied","total":0}' }]])
  })

  it('cannot be taken up beside the outer run', async () => {
    const { support, research, ran } = waiting()
    const run = await support.run('?', { env })
    const [outcome] = stored(run).progress.outcomes
    const nested = outcome?.status === 'suspended' ? outcome.suspension.nested : undefined
    if (nested === undefined) throw new Error('nothing waits')
    expect((await support.resume(stored(run), { 'outer-1/inner-A': 'approve' }, { env })).status).toBe('completed')
    expect((await (research as BoundAgent).resume(nested, { 'inner-A': 'approve' }, { env })).status).toBe('failed')
    expect(ran).toEqual(['A'])
  })

  it('waits beside others, each answered when somebody answers it', async () => {
    const calls = ['one', 'two'].map((id) => investigation(id))
    const { support, ran } = waiting({
      inner: { planner: lookingUp(['A', 'B']) },
      outer: { planner: onceThen(calls) },
      result: {},
    })
    let run = await support.run('?', { env })
    const ids = ['one/inner-A', 'one/inner-B', 'two/inner-A', 'two/inner-B']
    expect(run.suspension?.pending.map(({ id }) => id)).toEqual(ids)
    for (const id of ['two/inner-B', 'one/inner-A', 'two/inner-A']) {
      run = await support.resume(stored(run), { [id]: 'approve' }, { env })
      expect(run.status).toBe('suspended')
    }
    expect(run.suspension?.pending.map(({ id }) => id)).toEqual(['one/inner-B'])
    run = await support.resume(stored(run), { 'one/inner-B': { decision: 'deny', reason: 'No.' } }, { env })
    expect(run.status).toBe('completed')
    expect(ran).toEqual(['B', 'A', 'A'])
    expect(run.outcomes.map((outcome) => outcome.status === 'completed' && outcome.json)).toEqual([
      '{"id":"A","total":1}',
      '[{"id":"A","total":1},{"id":"B","total":1}]',
    ])
    expect(validateHistory(run.messages)).toEqual([])
  })

  it('is asked for by the agent above the call only once', async () => {
    let askedAbove = 0
    const above = {
      approval: {
        approve: async ({ agent }: { agent?: string }): Promise<'approve' | 'suspend'> => {
          if (agent !== 'support') return 'suspend'
          askedAbove += 1
          return 'approve'
        },
      },
    }
    const { support, ran } = waiting()
    const careful = support.layer(approval()) as BoundAgent
    const run = await careful.run('?', { env: above })
    await careful.resume(stored(run), { 'outer-1/inner-A': 'approve' }, { env: above })
    expect([askedAbove, ran]).toEqual([1, ['A']])
  })

  it('rises through any number of agents', async () => {
    const runtime = new Runtime()
    const { support, ran } = waiting({ runtime })
    const desk = toolOf('desk.serve', { arguments: {}, spec: { description: 'Serve.' } })
    const boss: BoundAgent = runtime.registerAgent(
      { name: 'boss', description: 'Delegates.' },
      [agentToolsetRegistration({ toolset: toolsetOf(desk), agent: supportAgent }, support)],
      { planner: onceThen([{ tool: 'desk.serve', arguments: '{}', toolCallId: 'a/b~c' }]) },
    )
    const run = await boss.run('?', { env })
    expect(run.suspension?.pending).toMatchObject([{ id: 'a~1b~0c/outer-1/inner-A', agent: 'research' }])
    const resumed = await boss.resume(stored(run), { 'a~1b~0c/outer-1/inner-A': 'approve' }, { env })
    expect(resumed).toMatchObject({ status: 'completed', outcomes: [{ json: '{"id":"A","total":1}' }] })
    expect(ran).toEqual(['A'])
  })
})

describe('a question of an agent beneath a call', () => {
  const asking: Planner = ({ messages }) =>
    messages.at(-1)?.role === 'user' && messages.length > 3
      ? answer({ id: String(messages.at(-1)?.content), total: 0 })
      : ask('Which lamp?')

  it('suspends the outer run with the question, and goes on with the answer', async () => {
    const { support } = agents({ inner: { planner: asking } })
    const run = await support.run('?')
    expect(run.suspension).toMatchObject({
      kind: 'clarification',
      question: 'Which lamp?',
      pending: [{ id: 'outer-1', kind: 'clarification', agent: 'research', prompt: 'Which lamp?' }],
    })
    const resumed = await support.resume(stored(run), 'The red one')
    expect(resumed.outcomes).toMatchObject([{ json: '{"id":"The red one","total":0}' }])
    expect(resumed).toMatchObject({ status: 'completed', usage: { turns: 2, toolCalls: 1 } })
  })

  it('is answered by its id where there are several', async () => {
    const calls = ['one', 'two'].map((id) => investigation(id))
    const { support } = agents({ inner: { planner: asking }, outer: { planner: onceThen(calls) } })
    const run = await support.run('?')
    expect((await support.resume(stored(run), 'Which?')).status).toBe('failed')
    const resumed = await support.resume(stored(run), { one: { text: 'red' }, two: { text: 'blue' } })
    expect(resumed.outcomes.map((outcome) => outcome.status === 'completed' && outcome.result.data)).toEqual([
      { id: 'red', total: 0 },
      { id: 'blue', total: 0 },
    ])
  })
})

describe('a single call outside a run', () => {
  it('reports that its nested run waits', async () => {
    const { support } = waiting()
    const outcome = await support.execute(investigation(), { env })
    expect(outcome).toMatchObject({
      status: 'suspended',
      suspension: { kind: 'approval', nested: { agent: 'research', pending: [{ id: 'inner-A' }] } },
    })
  })
})

describe('what is wrong with a run that waits beneath', () => {
  it('is reported before anything continues, and the suspension remains valid', async () => {
    const planner = lookingUp(['A', 'B'])
    const approveFirst = {
      approval: {
        approve: async ({ toolCallId }: { toolCallId: string }) =>
          (toolCallId === 'inner-A' ? 'approve' : 'suspend') as 'approve' | 'suspend',
      },
    }
    const { support, ran } = waiting({ inner: { planner }, result: {} })
    const run = await support.run('?', { env: approveFirst })
    const changed = JSON.parse(
      JSON.stringify(run.suspension).replaceAll('{\\"id\\":\\"A\\",\\"total\\":1}', '{\\"id\\":\\"A\\"}'),
    )
    const answers = { 'outer-1/inner-B': 'approve' } as const
    const failed = await support.resume(changed, answers, { env: approveFirst })
    expect(failed).toMatchObject({ status: 'failed', error: { cause: { code: 'changed_result' } } })
    const resumed = await support.resume(stored(run), answers, { env: approveFirst })
    expect([resumed.status, ran]).toEqual(['completed', ['A', 'B']])
  })
})
