import { describe, expect, it } from 'vitest'
import { answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import type { RunEvent, ToolLayer } from '../../packages/runtime/src/index.js'
import { analysts, asking, build, look, ours, told } from './runs.fixture.js'
import { until, Works } from './sessions.fixture.js'

describe('an acknowledged call', () => {
  it('goes on when its run is cancelled, or another call of the step fails', async () => {
    const works = new Works()
    const caller = new AbortController()
    const planner: Planner = ({ turn, messages }) => {
      if (messages[0]?.content !== 'Build it.') return answer('!')
      if (turn === 1) return callTools(build('a'), { tool: 'reports.look', arguments: '{}' })
      caller.abort()
      return callTools(look('b'))
    }
    const { agent, sessions } = analysts(works, planner)
    const session = await sessions.open('s-1', ours)
    const run = await session.run(agent, 'Build it.', { signal: caller.signal })
    expect(run.status).toBe('cancelled')
    const work = await works.of('a')
    expect(work.signal.aborted).toBe(false)
    work.complete('ready')
    await until(() => !session.hasPending())
    expect(told(await session.run(agent, '?'))).toHaveLength(1)
  })

  it('is cancelled with its run as long as it has not begun', async () => {
    const works = new Works()
    const caller = new AbortController()
    const { agent, sessions } = analysts(works, asking(build('a')))
    const session = await sessions.open('s-1', ours)
    const waits: ToolLayer = (next) => async (request) => {
      caller.abort()
      return next(request)
    }
    const run = await session.run(agent.layer(waits), 'Build it.', { signal: caller.signal })
    expect(run).toMatchObject({ status: 'cancelled', outcomes: [{ error: { reason: 'cancelled' } }] })
    expect(works.begun).toEqual([])
    expect(session.hasPending()).toBe(false)
  })

  it('is cancelled by the session', async () => {
    const works = new Works()
    const { agent, sessions } = analysts(works, asking(build('a')))
    const session = await sessions.open('s-1', ours)
    await session.run(agent, 'Build it.')
    const [pending] = session.pending()
    expect(session.cancel(pending?.callId ?? '')).toBe(true)
    await until(() => !session.hasPending())
    expect(await session.consumeCompleted({ runs: true })).toMatchObject([
      { completion: { isRun: true, outcome: { status: 'failed', error: { reason: 'cancelled' } } } },
    ])
  })

  it('sends its updates and its end to sinks, also after the end of its run', async () => {
    const works = new Works()
    const events: RunEvent[] = []
    const { agent, sessions } = analysts(works, asking(build('a')), {
      runtime: { sinks: [(event) => events.push(event)] },
    })
    const session = await sessions.open('s-1', ours)
    const run = await session.run(agent, 'Build it.')
    const work = await works.of('a')
    await work.emit('half')
    work.complete('ready')
    await until(() => !session.hasPending())
    expect(events.map(({ type }) => type)).toEqual([
      'run_started',
      'step_started',
      'call_started',
      'step_ended',
      'step_started',
      'step_ended',
      'run_ended',
      'call_updated',
      'call_ended',
    ])
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1))
    expect(events.every(({ runId }) => runId === run.runId)).toBe(true)
    expect(run.events.at(-1)?.type).toBe('run_ended')
  })
})
