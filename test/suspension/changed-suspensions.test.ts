import { isToolgenError } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { getOrder, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { ask, type Planner, type RunSuspension } from '../../packages/runtime/src/agents.js'
import {
  approval,
  type BoundAgent,
  Runtime,
  runConfig,
  type ToolLayer,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import { agents, investigation, lookingUp, onceThen } from '../nested/agents.fixture.js'
import { agentOf, callOf, callsAtOnce, order } from '../runs/agents.fixture.js'

// `any` below: suspensions that were changed are of no type.

const env = { approval: { approve: async () => 'suspend' as const } }
const stored = (suspension: RunSuspension | undefined): any => JSON.parse(JSON.stringify(suspension))

const causeOf = async (agent: BoundAgent<any>, suspension: any, answers: any): Promise<unknown> => {
  const run = await agent.resume(suspension, answers, {
    env,
    config: runConfig().policy({ onMissingFields: 'await_clarification' }),
  })
  const cause = run.error?.cause
  return isToolgenError(cause, 'SuspensionError') ? cause.code : `${run.status} ${String(cause)}`
}

describe('a suspension that was changed', () => {
  const waiting = async (planner: Planner = callsAtOnce(callOf('A', 'one'), { ...callOf(), tool: 'orders.none' })) => {
    let ran = 0
    const execute = (): typeof order => {
      ran += 1
      return order
    }
    const agent = agentOf(execute, { planner }).layer(approval())
    const { suspension } = await agent.run('?', { env })
    return { agent, suspension: stored(suspension), ran: () => ran }
  }

  it('does not run a call twice that was approved once', async () => {
    const { agent, suspension, ran } = await waiting(callsAtOnce(callOf('A', 'one')))
    suspension.calls.push(suspension.calls[0])
    suspension.progress.outcomes.push(suspension.progress.outcomes[0])
    expect(await causeOf(agent, suspension, { one: 'approve' })).toBe('invalid_form')
    expect(ran()).toBe(0)
  })

  it.each([
    ['an unknown reason', { reason: 'tired' }],
    ['a failure', { reason: 'failed', message: 'no' }],
    ['a hook without a name', { reason: 'stopped' }],
  ])('is refused where it was to end for %s', async (_, stop) => {
    const { agent, suspension } = await waiting()
    suspension.progress.stops.push(stop)
    expect(await causeOf(agent, suspension, { one: 'approve' })).toBe('invalid_form')
  })

  it.each([
    ['missing fields that it does not name', { reason: 'missing_fields', action: 'correct_call' }],
    ['invalid arguments without a fault', { reason: 'invalid_arguments', action: 'correct_call', issues: [] }],
    ['an unknown tool without those that are like it', { reason: 'unknown_tool', near: undefined }],
    ['an action that the reason does not have', { reason: 'denied', action: 'wait' }],
  ])('is refused where a hint speaks of %s', async (_, hint) => {
    const { agent, suspension } = await waiting()
    Object.assign(suspension.progress.outcomes[1].hint, hint)
    expect(await causeOf(agent, stored(suspension), { one: 'approve' })).toBe('invalid_form')
  })

  it('is refused before it is claimed where what waits beneath it does not hold together', async () => {
    const { support } = agents({
      around: (research) => research.layer(approval()) as BoundAgent,
      inner: { planner: lookingUp(['A', 'B']) },
      outer: { planner: onceThen([investigation()]) },
    })
    const { suspension } = await support.run('?', { env })
    const changed = stored(suspension)
    changed.progress.outcomes[0].suspension.nested.calls.pop()
    const answers = { 'outer-1/inner-A': 'approve', 'outer-1/inner-B': 'approve' }
    expect(await causeOf(support, changed, answers)).toBe('invalid_form')
    expect((await support.resume(stored(suspension), { 'outer-1/inner-A': 'deny' }, { env })).status).toBe('suspended')
  })
})

describe('a suspension whose pending calls are not those that run', () => {
  const waiting = async () => {
    const ran: string[] = []
    const agent = agentOf(
      async ({ payload }) => {
        ran.push(JSON.stringify(await payload()))
        return order
      },
      { planner: callsAtOnce(callOf('A', 'one'), callOf('B', 'two')) },
    )
    const asking: ToolLayer = (next) => async (request) =>
      request.answer === undefined ? request.suspend('approval', 'May it?') : next(request)
    const guarded = agent.layer(asking)
    const run = await guarded.run('?')
    return { agent, guarded, ran, suspension: stored(run.suspension) }
  }

  it.each<[string, (suspension: any) => void, string]>([
    [
      'other arguments',
      ({ pending }) => Object.assign(pending[0], { arguments: '{"orderId":"Z"}' }),
      '/pending/0/arguments',
    ],
    ['another tool', ({ pending }) => Object.assign(pending[1].call, { tool: 'orders.none' }), '/pending/1/call'],
    ['another prompt', ({ pending }) => Object.assign(pending[0], { prompt: 'Is it fine?' }), '/pending/0/prompt'],
    ['adapted arguments', ({ pending }) => Object.assign(pending[0], { adapted: '{}' }), '/pending/0/adapted'],
    ['one call less', ({ pending }) => pending.pop(), '/pending'],
    ['the calls in another order', ({ pending }) => pending.reverse(), '/pending/0/id'],
    ['another kind', (suspension) => Object.assign(suspension, { kind: 'external' }), '/kind'],
    [
      'other arguments in the stored call',
      ({ progress }) => Object.assign(progress.outcomes[0].suspension, { arguments: '{"orderId":"Z"}' }),
      '/pending/0/arguments',
    ],
  ])('defect 5a: is refused where they show %s', async (_, change, pointer) => {
    const { guarded, ran, suspension } = await waiting()
    const changed = stored(suspension)
    change(changed)
    const run = await guarded.resume(changed, { one: 'approve' })
    expect(run).toMatchObject({ status: 'failed', error: { cause: { code: 'invalid_form' } } })
    expect(run.error?.message).toContain(`The suspension was changed: ${pointer} does not match its stored calls.`)
    expect(ran).toEqual([])
    expect((await guarded.resume(suspension, { one: 'approve' })).status).toBe('suspended')
  })

  it('defect 5a: is refused where another tool would run', async () => {
    const cancel = toolOf('orders.cancel')
    const ran: string[] = []
    const agent = new Runtime().registerAgent(
      { name: 'support', description: '' },
      [
        toolsetRegistration(useOf([getOrder, cancel]), {
          execute: async ({ tool }) => {
            ran.push(tool.id)
            return order
          },
        }),
      ],
      { planner: callsAtOnce(callOf('A', 'one')) },
    )
    const guarded = agent.layer(approval())
    const changed = stored((await guarded.run('?', { env })).suspension)
    changed.calls[0].tool = 'orders_cancel'
    const run = await guarded.resume(changed, { one: 'approve' }, { env })
    expect([run.status, ran]).toEqual(['failed', []])
    expect(run.error?.message).toContain(
      "/calls/0/tool names the tool 'orders.cancel', but the pending call is of the tool 'orders.getOrder'",
    )
  })

  it('defect 5a: suspends the run again where other arguments would run, whatever layers there are', async () => {
    const { agent, guarded, ran, suspension } = await waiting()
    const changed = stored(suspension)
    changed.calls[0].arguments = '{"orderId":"Z"}'
    // `agent` has no layer that asks.
    for (const each of [guarded, agent]) {
      const run = await each.resume(
        { ...changed, id: `${suspension.id}${each === agent}` },
        { one: 'approve', two: 'deny' },
      )
      expect(run.suspension?.pending).toMatchObject([{ id: 'one', arguments: '{"orderId":"Z"}' }])
    }
    expect(ran).toEqual([])
  })

  it('defect 5a: is refused where it shows a question that no run asks', async () => {
    const agent = agentOf(() => order, { planner: () => ask('Which?') })
    const { suspension } = await agent.run('?')
    const pending = [
      { id: 'x', kind: 'approval', agent: 'support', call: { tool: 't', toolCallId: 'x' }, arguments: '{}' },
    ]
    expect(await causeOf(agent, { ...stored(suspension), pending }, 'A-1')).toBe('invalid_form')
    expect(await causeOf(agent, { ...stored(suspension), kind: 'approval' }, 'A-1')).toBe('invalid_form')
  })

  it('defect 5a: is refused where nested calls differ, also those that nobody answers now', async () => {
    const { support } = agents({
      around: (research) => research.layer(approval()) as BoundAgent,
      inner: { planner: lookingUp(['A', 'B']) },
      outer: { planner: onceThen([investigation()]) },
    })
    const { suspension } = await support.run('?', { env })
    const changed = stored(suspension)
    const { nested } = changed.progress.outcomes[0].suspension
    nested.progress.outcomes[1].suspension.arguments = '{"orderId":"Z"}'
    expect(await causeOf(support, changed, { 'outer-1/inner-A': 'approve' })).toBe('invalid_form')
    nested.pending[1].arguments = '{"orderId":"Z"}'
    expect(await causeOf(support, changed, { 'outer-1/inner-A': 'approve' })).toBe('invalid_form')
  })

  it('is resumed where it has properties that this version does not know', async () => {
    const { guarded, suspension } = await waiting()
    suspension.pending[0].seenBy = 'Ada'
    expect((await guarded.resume(suspension, { one: 'approve', two: 'deny' })).status).toBe('completed')
  })
})
