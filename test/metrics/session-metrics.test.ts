import { describe, expect, it } from 'vitest'
import type { SessionMetrics } from '../../packages/runtime/src/adapters/metrics-snapshot.js'

import { answer, callTools, type Planner } from '../../packages/runtime/src/agents.js'
import { RuntimeMetrics } from '../../packages/runtime/src/metrics.js'
import { memoryStore, SessionError, type SessionEvent, type SessionUsage } from '../../packages/runtime/src/sessions.js'
import type { ObservableSessions } from '../../packages/runtime/src/types/session.js'
import { analysts, build as buildIn } from '../sessions/runs.fixture.js'
import { begun, build, look, ours, registryOf, TestStore, until, Works } from '../sessions/sessions.fixture.js'

const down = new Error('connect ECONNREFUSED')
const other = { userId: 'u-2', namespaces: ['reports'] } as const

/** A registry that is observed. */
function observed(options: Parameters<typeof registryOf>[1] = {}) {
  const [works, metrics] = [new Works(), new RuntimeMetrics()]
  const sessions = registryOf(works, { ...options, runtime: { tracer: metrics } })
  metrics.observe(sessions)
  const figures = (): SessionMetrics => metrics.snapshot().sessions
  return { works, metrics, sessions, figures }
}

const usageOf = (sessions: ObservableSessions, id: string): SessionUsage => {
  const usage = sessions.usage().find(({ sessionId }) => sessionId === id)
  if (usage === undefined) throw new Error(`the session ${id} is not open`)
  return usage
}

describe('what open sessions hold', () => {
  it('is reported per session, with its distribution', async () => {
    const { works, sessions, figures } = observed()
    const [one, two] = [await sessions.open('s-1', ours), await sessions.open('s-2', other)]
    const [a, b, c] = [await begun(one, works, 'A'), await begun(one, works, 'B'), await begun(two, works, 'C')]
    await a.work.emit('x'.repeat(10_000))
    await c.work.emit('half')
    expect(figures()).toMatchObject({
      open: 2,
      pendingCalls: { total: 3, p50: 1, p95: 2, p99: 2, max: 2 },
      entries: { total: 2, p50: 1, max: 1 },
      unsaved: { total: 0, max: 0 },
    })
    expect(sessions.usage()).toMatchObject([
      { sessionId: 's-1', pendingCalls: 2, entries: 1, unsaved: 0 },
      { sessionId: 's-2', pendingCalls: 1, entries: 1, unsaved: 0 },
    ])
    expect(usageOf(sessions, 's-1').bytes).toBeGreaterThan(10_000)
    expect(usageOf(sessions, 's-1').bytes).toBeLessThan(11_000)
    expect(usageOf(sessions, 's-2').bytes).toBeLessThan(1_000)
    b.work.complete('done')
    await until(() => one.poll().length === 2)
    expect(usageOf(sessions, 's-1')).toMatchObject({ pendingCalls: 1, entries: 2 })
  })

  it('is nothing again when all is taken, dropped or put back and taken', async () => {
    const store = new TestStore()
    const { works, sessions } = observed({ store, maxUpdatesPerCall: 3 })
    const session = await sessions.open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    for (let index = 0; index < 10; index += 1) await work.emit(`update ${index}`)
    await until(() => usageOf(sessions, 's-1').unsaved === 0)
    expect(usageOf(sessions, 's-1').entries).toBe(3)
    const { bytes } = usageOf(sessions, 's-1')
    store.failure = down
    await expect(session.consume()).rejects.toMatchObject({ code: 'store_failed' })
    expect(usageOf(sessions, 's-1')).toMatchObject({ entries: 3, bytes })
    store.failure = undefined
    work.complete('done')
    await until(() => !session.hasPending())
    expect(await session.consume()).toHaveLength(4)
    expect(sessions.usage()).toEqual([{ sessionId: 's-1', pendingCalls: 0, entries: 0, bytes: 0, unsaved: 0 }])
  })

  it('counts results that wait for a store that is down', async () => {
    const store = new TestStore()
    const { works, sessions, figures } = observed({ store })
    const session = await sessions.open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    store.failure = down
    work.complete('x'.repeat(5_000))
    await until(() => (figures().saveFailures.store_failed ?? 0) > 1)
    expect(session.poll()).toEqual([])
    expect(usageOf(sessions, 's-1')).toMatchObject({ pendingCalls: 1, entries: 1, unsaved: 1 })
    expect(usageOf(sessions, 's-1').bytes).toBeGreaterThan(5_000)
    store.failure = undefined
    await until(() => session.poll().length === 1)
    expect(usageOf(sessions, 's-1')).toMatchObject({ pendingCalls: 0, entries: 1, unsaved: 0 })
  })

  it('is all 0 where none is open', () => {
    const none = { total: 0, p50: 0, p95: 0, p99: 0, max: 0 }
    expect(observed().figures()).toMatchObject({ open: 0, pendingCalls: none, entries: none, bytes: none })
  })

  it('of several registries is reported together, each observed once', async () => {
    const { metrics, sessions, figures } = observed()
    const more = registryOf(new Works())
    const stop = metrics.observe(more)
    expect(metrics.observe(more)).toBe(stop)
    await sessions.open('s-1', ours)
    await more.open('s-1', other)
    expect(figures()).toMatchObject({ open: 2, opened: { count: 2 } })
    stop()
    await more.open('s-2', other)
    expect(figures()).toMatchObject({ open: 1, opened: { count: 2 } })
  })
})

describe('what becomes of sessions', () => {
  it('is counted, with how long it took', async () => {
    const store = new TestStore({ isDurable: false, inner: memoryStore() })
    const { works, sessions, figures } = observed({ store })
    const session = await sessions.open('s-1', ours)
    await begun(session, works, 'A')
    await session.execute(look('A'))
    await sessions.close('s-1', { drainMs: 0 })
    expect(figures()).toMatchObject({
      ...{ open: 0, timedOutCalls: 1, interruptedCalls: 0, superseded: 0 },
      ...{ opened: { count: 1 }, restored: { count: 0 }, saved: { count: 1 }, closed: { count: 1 } },
      ...{ openFailures: {}, saveFailures: {}, closeFailures: {} },
    })
    expect(figures().restored).not.toHaveProperty('latencyMs')
    const letGo = store.hold()
    setTimeout(letGo, 15)
    await sessions.restore('s-1', { userId: 'u-1' })
    expect(figures()).toMatchObject({ open: 1, opened: { count: 1 }, restored: { count: 1 }, entries: { total: 1 } })
    expect(figures().restored.latencyMs?.p99).toBeGreaterThanOrEqual(10)
  })

  it('counts calls that were interrupted, and sessions that were opened elsewhere', async () => {
    const store = new TestStore()
    const crashed = observed({ store })
    const lost = await crashed.sessions.open('s-1', ours)
    await begun(lost, crashed.works, 'A')
    await begun(lost, crashed.works, 'B')
    const { sessions, figures } = observed({ store })
    await sessions.restore('s-1', { userId: 'u-1', takeOver: true })
    expect(figures()).toMatchObject({ interruptedCalls: 2, restored: { count: 1 }, saved: { count: 1 } })
    await expect(lost.execute(build('C'))).rejects.toMatchObject({ code: 'superseded' })
    expect(crashed.figures()).toMatchObject({ superseded: 1, open: 0, saveFailures: { superseded: 1 } })
  })

  it('counts why sessions could not be opened or restored', async () => {
    const store = new TestStore()
    const { sessions, figures } = observed({ store })
    await sessions.open('s-1', ours)
    await sessions.close('s-1')
    await expect(sessions.open('s-1', other)).rejects.toThrow(SessionError)
    await expect(sessions.restore('s-9', ours)).rejects.toThrow(SessionError)
    store.failure = down
    await expect(sessions.open('s-2', ours)).rejects.toThrow(SessionError)
    await expect(sessions.restore('s-1', ours)).rejects.toThrow(SessionError)
    expect(figures()).toMatchObject({
      open: 0,
      opened: { count: 1 },
      restored: { count: 0 },
      openFailures: { wrong_user: 1, unknown_session: 1, store_failed: 2 },
    })
  })

  it('counts a close that gave up, though the store never answered', async () => {
    const store = new TestStore()
    const { sessions, figures } = observed({ store })
    await sessions.open('s-1', ours)
    const letGo = store.hold()
    await expect(sessions.close('s-1', { storeMs: 5 })).rejects.toMatchObject({ code: 'store_failed' })
    expect(figures()).toMatchObject({ open: 1, closed: { count: 0 }, closeFailures: { store_failed: 1 } })
    letGo()
    await sessions.close('s-1')
    expect(figures()).toMatchObject({ open: 0, closed: { count: 1 }, closeFailures: { store_failed: 1 } })
  })

  it('begins from zero after a reset, but for what is open', async () => {
    const { metrics, sessions, figures } = observed()
    await sessions.open('s-1', ours)
    metrics.reset()
    expect(figures()).toMatchObject({ open: 1, opened: { count: 0 } })
    await sessions.close('s-1')
    expect(figures()).toMatchObject({ open: 0, closed: { count: 1 } })
  })

  it('is sent to all subscribers until they unsubscribe, even if another one throws', async () => {
    const told: SessionEvent['type'][][] = [[], [], []]
    const listener =
      (index: number) =>
      ({ type }: SessionEvent) => {
        told[index]?.push(type)
        throw new Error('the sink is broken')
      }
    const sessions = registryOf(new Works(), { onEvent: listener(0) })
    const same = listener(1)
    const [stop] = [sessions.subscribe(same), sessions.subscribe(same), sessions.subscribe(listener(2))]
    await sessions.open('s-1', ours)
    stop?.()
    stop?.()
    await sessions.close('s-1')
    expect(told).toEqual([
      ['opened', 'saved', 'closed'],
      ['opened', 'opened', 'saved', 'closed'],
      ['opened', 'saved', 'closed'],
    ])
  })
})

describe('the calls of sessions', () => {
  it('are counted with all others, a streaming one when it has ended', async () => {
    const { works, metrics, sessions } = observed()
    const session = await sessions.open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    await session.execute(look('A'))
    await session.execute({ tool: 'nobody', arguments: '{}' })
    expect(metrics.snapshot().calls).toMatchObject({ active: 1, count: 2 })
    work.fail(Object.assign(new Error('down'), { status: 503 }))
    await until(() => !session.hasPending())
    const { calls, tools } = metrics.snapshot()
    expect(calls).toMatchObject({ active: 0, count: 3, failures: { unavailable: 1, unknown_tool: 1 } })
    expect(tools).toMatchObject({
      'reports.reports_look': { completed: 1 },
      'reports.reports_build': { failures: { unavailable: 1 } },
      _OTHER: { failures: { unknown_tool: 1 } },
    })
  })

  it('are counted once where a run makes them, when they have ended and not when they are acknowledged', async () => {
    const [works, metrics] = [new Works(), new RuntimeMetrics()]
    const planner: Planner = ({ outcomes }) =>
      outcomes.length === 0 ? callTools(buildIn('A')) : answer('It is under way.')
    const { agent, sessions } = analysts(works, planner, { runtime: { tracer: metrics } })
    metrics.observe(sessions)
    const session = await sessions.open('s-1', { userId: 'u-1', namespaces: ['analyst'] })
    expect((await session.run(agent, 'Build it.')).status).toBe('completed')
    expect(metrics.snapshot()).toMatchObject({
      calls: { active: 1, count: 0 },
      sessions: { pendingCalls: { total: 1 } },
    })
    const { complete } = await works.of('A')
    complete('done')
    await until(() => !session.hasPending())
    expect(metrics.snapshot()).toMatchObject({
      calls: { active: 0, count: 1, completed: 1 },
      sessions: { pendingCalls: { total: 0 }, entries: { total: 1 } },
    })
  })
})
