import { describe, expect, it } from 'vitest'
import {
  approval,
  type BoundAgent,
  isSuspensionError,
  type Planner,
  type RunSuspension,
  runConfig,
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
  return isSuspensionError(cause) ? cause.fault : `${run.status} ${String(cause)}`
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
