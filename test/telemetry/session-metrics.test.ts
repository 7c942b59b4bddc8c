import { metrics } from '@opentelemetry/api'
import { afterEach, describe, expect, it } from 'vitest'
import { otelSessions } from '../../packages/runtime/src/otel.js'
import { begun, build, ours, registryOf, TestStore, Works } from '../sessions/sessions.fixture.js'
import { type RecordedTelemetry, recordTelemetry } from './recorded-telemetry.js'

const other = { userId: 'u-2', namespaces: ['reports'] } as const

function measured({ store = new TestStore() } = {}) {
  const [works, telemetry] = [new Works(), recordTelemetry()]
  const sessions = registryOf(works, { store })
  const stop = otelSessions(sessions, telemetry)
  return { works, telemetry, sessions, store, stop }
}

/** The value of a metric that has one. */
async function onlyValue({ points }: RecordedTelemetry, name: string): Promise<unknown> {
  const [point, ...more] = await points(`toolgen.session.${name}`)
  expect(point?.attributes ?? {}).toEqual({})
  expect(more).toEqual([])
  return point?.value
}

/** How often a histogram measured something, by attributes. */
async function countsOf({ points }: RecordedTelemetry, name: string): Promise<readonly unknown[]> {
  const all = await points(`toolgen.session.${name}.duration`)
  return all.map(({ attributes, value }) => [attributes, Object(value).count])
}

describe('the OpenTelemetry metrics of sessions', () => {
  it('observe how many are open and what they hold, together and at most', async () => {
    const { works, telemetry, sessions } = measured()
    const [one, two] = [await sessions.open('s-1', ours), await sessions.open('s-2', other)]
    const [a] = [await begun(one, works, 'A'), await begun(one, works, 'B'), await begun(two, works, 'C')]
    await a.work.emit('x'.repeat(10_000))
    const values = async () => ({
      count: await onlyValue(telemetry, 'count'),
      pending: [await onlyValue(telemetry, 'pending_calls'), await onlyValue(telemetry, 'pending_calls.max')],
      entries: [await onlyValue(telemetry, 'entries'), await onlyValue(telemetry, 'entries.max')],
    })
    expect(await values()).toEqual({ count: 2, pending: [3, 2], entries: [1, 1] })
    expect(await onlyValue(telemetry, 'memory')).toBeGreaterThan(10_000)
    expect(await onlyValue(telemetry, 'memory.max')).toBeGreaterThan(10_000)
    await sessions.closeAll({ cancel: true })
    expect(await values()).toEqual({ count: 0, pending: [0, 0], entries: [0, 0] })
  })

  it('observe what waits for a store that is down', async () => {
    const { works, telemetry, sessions, store } = measured()
    const { work } = await begun(await sessions.open('s-1', ours), works, 'A')
    const letGo = store.hold()
    work.complete('done')
    await new Promise((resolve) => setImmediate(resolve))
    expect([await onlyValue(telemetry, 'unsaved'), await onlyValue(telemetry, 'unsaved.max')]).toEqual([1, 1])
    letGo()
    await sessions.close('s-1')
    expect(await onlyValue(telemetry, 'unsaved')).toBe(0)
  })

  it('measure opening, restoring, saving and closing in seconds, with why it failed', async () => {
    const { works, telemetry, sessions, store } = measured()
    const session = await sessions.open('s-1', ours)
    await begun(session, works, 'A')
    store.failure = new Error('connect ECONNREFUSED')
    await expect(session.execute(build('B'))).rejects.toMatchObject({ code: 'store_failed' })
    await expect(sessions.open('s-2', ours)).rejects.toMatchObject({ code: 'store_failed' })
    await expect(sessions.close('s-1', { drainMs: 0, storeMs: 5 })).rejects.toMatchObject({ code: 'store_failed' })
    store.failure = undefined
    const letGo = store.hold()
    setTimeout(letGo, 200)
    await sessions.close('s-1', { drainMs: 0 })
    await sessions.restore('s-1', { userId: 'u-1' })
    expect(await countsOf(telemetry, 'open')).toEqual([
      [{ 'toolgen.session.origin': 'new' }, 1],
      [{ 'error.type': 'store_failed' }, 1],
      [{ 'toolgen.session.origin': 'stored' }, 1],
    ])
    expect(await countsOf(telemetry, 'close')).toEqual([
      [{ 'error.type': 'store_failed' }, 1],
      [{}, 1],
    ])
    const saves = await telemetry.points('toolgen.session.save.duration')
    expect(saves.map(({ attributes }) => attributes)).toEqual([{}, { 'error.type': 'store_failed' }])
    // The last save waited for the store: milliseconds would be told as seconds.
    const [{ value } = { value: undefined }] = saves
    expect(Object(value).sum).toBeGreaterThan(0.1)
    expect(Object(value).sum).toBeLessThan(100)
    expect(await telemetry.bounds('toolgen.session.save.duration')).toEqual([
      0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10,
    ])
    expect(await onlyValue(telemetry, 'timed_out_calls')).toBe(1)
  })

  it('count interrupted calls and sessions that were opened elsewhere, and name no session and no user', async () => {
    const store = new TestStore()
    const crashed = measured({ store })
    const lost = await crashed.sessions.open('s-1', ours)
    await begun(lost, crashed.works, 'A')
    const { sessions, telemetry } = measured({ store })
    await sessions.restore('s-1', { userId: 'u-1', takeOver: true })
    await expect(lost.execute(build('C'))).rejects.toMatchObject({ code: 'superseded' })
    expect(await onlyValue(telemetry, 'interrupted_calls')).toBe(1)
    expect(await onlyValue(crashed.telemetry, 'superseded')).toBe(1)
    for (const name of ['open', 'save', 'close']) {
      const points = [
        ...(await telemetry.points(`toolgen.session.${name}.duration`)),
        ...(await crashed.telemetry.points(`toolgen.session.${name}.duration`)),
      ]
      expect(JSON.stringify(points)).not.toMatch(/s-1|u-1/)
    }
  })

  it('end where that is asked for', async () => {
    const { telemetry, sessions, stop } = measured()
    await sessions.open('s-1', ours)
    stop()
    await sessions.open('s-2', ours)
    expect(await countsOf(telemetry, 'open')).toEqual([[{ 'toolgen.session.origin': 'new' }, 1]])
    expect(await onlyValue(telemetry, 'count')).toBeUndefined()
  })

  describe('without a provider of their own', () => {
    afterEach(() => metrics.disable())

    it('go to the one that is registered globally', async () => {
      const telemetry = recordTelemetry()
      metrics.setGlobalMeterProvider(telemetry.meterProvider)
      const sessions = registryOf(new Works())
      otelSessions(sessions)
      await sessions.open('s-1', ours)
      expect(await onlyValue(telemetry, 'count')).toBe(1)
    })

    it('measure nothing and harm nothing where none is registered', async () => {
      const sessions = registryOf(new Works())
      const stop = otelSessions(sessions)
      await sessions.open('s-1', ours)
      await sessions.close('s-1')
      stop()
    })
  })
})
