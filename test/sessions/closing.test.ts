import { isToolgenError } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { memoryStore, type SessionEvent, SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { begun, build, look, ours, registryOf, reports, said, settled, TestStore, Works } from './sessions.fixture.js'

const kinds = [
  ['a store in memory', () => memoryStore()],
  ['a durable store', () => new TestStore()],
] as const

describe.each(kinds)('closing a session with %s', (_, storeOf) => {
  it('waits for calls under way, and stores what nobody has taken', async () => {
    const works = new Works()
    const sessions = registryOf(works, { store: storeOf() })
    const session = await sessions.open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const single = session.execute(look('wait'))
    await work.emit('half')
    const closing = sessions.close('s-1')
    await expect(session.execute(look('B'))).rejects.toMatchObject({ code: 'closing' })
    await work.emit('more')
    work.complete('done')
    await settled()
    expect(session.poll().map(said)).toEqual(['1:"half"', '2:"more"', 'completed "done"'])
    ;(await works.of('wait')).complete('seen')
    expect(await single).toMatchObject({ status: 'completed', json: '"seen"' })
    await closing
    expect(sessions.sessions).toEqual([])
    const restored = await sessions.restore('s-1', { userId: 'u-1' })
    expect(restored.poll().map(said)).toEqual(['1:"half"', '2:"more"', 'completed "done"'])
  })

  it('cuts what does not end in time: streaming calls are marked, others are aborted', async () => {
    const works = new Works()
    const events: SessionEvent[] = []
    const sessions = registryOf(works, { store: storeOf(), onEvent: (event) => events.push(event) })
    const session = await sessions.open('s-1', ours)
    const { callId, work } = await begun(session, works, 'A')
    await work.emit('half')
    const single = session.execute(look('wait'))
    await works.of('wait')
    await sessions.close('s-1', { drainMs: 3 })
    expect(work.signal.reason).toMatchObject({ name: 'TimeoutError' })
    expect(await single).toMatchObject({ status: 'failed', error: { reason: 'timeout' } })
    expect(events.filter(({ type }) => type === 'calls_timed_out')).toMatchObject([
      { sessionId: 's-1', calls: [{ callId }] },
    ])
    work.complete('too late')
    await settled()
    const restored = await sessions.restore('s-1', { userId: 'u-1' })
    expect(restored.poll().map(said)).toEqual(['1:"half"', 'failed timeout'])
    expect(restored.poll().at(-1)).toMatchObject({ callId, timedOut: true, outcome: { hint: { action: 'replan' } } })
  })

  it('cancels at once where that is asked for', async () => {
    const works = new Works()
    const sessions = registryOf(works, { store: storeOf() })
    const session = await sessions.open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    await sessions.close('s-1', { cancel: true })
    expect(work.signal.reason).toMatchObject({ name: 'AbortError' })
    const restored = await sessions.restore('s-1', { userId: 'u-1' })
    expect(restored.poll().map(said)).toEqual(['failed cancelled'])
    expect(restored.poll()[0]).not.toHaveProperty('timedOut')
  })

  it('twice is one close, which the second may hasten', async () => {
    const works = new Works()
    const sessions = registryOf(works, { store: storeOf() })
    await begun(await sessions.open('s-1', ours), works, 'A')
    const closing = sessions.close('s-1')
    expect(sessions.close('s-1')).toBe(closing)
    expect(sessions.close('s-1', { cancel: true })).toBe(closing)
    await closing
    await expect(sessions.close('s-1')).rejects.toMatchObject({ code: 'unknown_session' })
  })

  it('ends everything about the old object', async () => {
    const sessions = registryOf(new Works(), { store: storeOf() })
    const session = await sessions.open('s-1', ours)
    await sessions.close('s-1')
    await sessions.open('s-1', ours)
    const closed = { code: 'closed', message: expect.stringContaining('Open it again') }
    await expect(session.execute(look('A'))).rejects.toMatchObject(closed)
    await expect(session.execute(build('A'))).rejects.toMatchObject(closed)
    await expect(session.consume()).rejects.toMatchObject(closed)
    await expect(session.consumeCompleted()).rejects.toMatchObject(closed)
    expect(() => session.poll()).toThrow(/is closed/)
    expect([session.hasPending(), session.pending(), session.cancel('x')]).toEqual([false, [], false])
  })

  it('gives a result to a taker or to the store, never to both', async () => {
    for (let round = 0; round < 40; round += 1) {
      const works = new Works()
      const sessions = registryOf(works, { store: storeOf() })
      const session = await sessions.open('s-1', ours)
      const { work } = await begun(session, works, 'A')
      work.complete('once')
      await settled()
      const closing = sessions.close('s-1')
      for (let turn = 0; turn < round; turn += 1) await undefined
      const taken = await session.consume().catch((error) => {
        if (isToolgenError(error, 'SessionError')) return []
        throw error
      })
      await closing
      const stored = (await sessions.open('s-1', ours)).poll()
      expect(taken.length + stored.length).toBe(1)
    }
  })

  it('of one that is being opened waits for that', async () => {
    const sessions = registryOf(new Works(), { store: storeOf() })
    const opening = sessions.open('s-1', ours)
    const closes = [sessions.close('s-1'), sessions.close('s-1')]
    await opening
    await Promise.all(closes)
    expect(sessions.sessions).toEqual([])
  })

  it('all at once closes what is open', async () => {
    const works = new Works()
    const sessions = registryOf(works, { store: storeOf() })
    const ids = ['s-1', 's-2', 's-3']
    await Promise.all(ids.map((id) => sessions.open(id, ours)))
    await sessions.closeAll({ drainMs: 0 })
    expect(sessions.sessions).toEqual([])
    for (const id of ids) expect(await sessions.restore(id, { userId: 'u-1' })).toMatchObject({ id })
  })
})

describe('closing', () => {
  it.each([-1, Number.NaN, '5', null])('refuses the time %s', async (drainMs: any) => {
    const sessions = registryOf(new Works())
    await sessions.open('s-1', ours)
    await expect(sessions.close('s-1', { drainMs })).rejects.toThrow(RangeError)
    await expect(sessions.close('s-1', { storeMs: drainMs })).rejects.toThrow(RangeError)
    expect(sessions.sessions).toHaveLength(1)
  })

  it('fails for what is not open', async () => {
    await expect(registryOf(new Works()).close('s-1')).rejects.toMatchObject({ code: 'unknown_session' })
  })
})

describe('restoring a session', () => {
  it('fails where nothing is stored, and for another user', async () => {
    const sessions = registryOf(new Works())
    await expect(sessions.restore('s-1', { userId: 'u-1' })).rejects.toMatchObject({ code: 'unknown_session' })
    await sessions.open('s-1', ours)
    await sessions.close('s-1')
    await expect(sessions.restore('s-1', { userId: 'u-2' })).rejects.toMatchObject({ code: 'wrong_user' })
    await expect(sessions.open('s-1', { ...ours, namespaces: ['reports.reports'] })).rejects.toMatchObject({
      code: 'other_namespaces',
    })
    expect(await sessions.restore('s-1', { userId: 'u-1' })).toMatchObject({ namespaces: ['reports'] })
  })

  it('gives the open session where it is open', async () => {
    const sessions = registryOf(new Works())
    const session = await sessions.open('s-1', ours)
    expect(await sessions.restore('s-1', { userId: 'u-1' })).toBe(session)
  })

  it('reports calls that ran during a crash as interrupted, once, and continues the numbering', async () => {
    const works = new Works()
    const store = new TestStore()
    const crashed = await registryOf(works, { store }).open('s-1', ours)
    const a = await begun(crashed, works, 'A')
    const b = await begun(crashed, works, 'B')
    a.work.complete('stored')
    await settled()
    const events: SessionEvent[] = []
    const sessions = registryOf(works, { store, onEvent: (event) => events.push(event) })
    const session = await sessions.restore('s-1', { userId: 'u-1', takeOver: true })
    expect(session.poll().map(said)).toEqual(['completed "stored"', 'failed interrupted'])
    expect(session.poll()[1]).toMatchObject({
      callId: b.callId,
      outcome: { hint: { reason: 'interrupted', action: 'replan' } },
    })
    expect(events.at(-1)).toMatchObject({ type: 'restored', entries: 2, interrupted: [{ callId: b.callId }] })
    expect(session.hasPending()).toBe(false)
    const c = await begun(session, works, 'C')
    c.work.complete('c')
    await settled()
    expect(session.poll().map(({ sequence }) => sequence)).toEqual([1, 2, 3])
    const again = await registryOf(works, { store }).restore('s-1', { userId: 'u-1', takeOver: true })
    expect(again.poll().map(said)).toEqual(['completed "stored"', 'failed interrupted', 'completed "c"'])
  })

  it('knows of a call that was interrupted how many of its updates were dropped', async () => {
    const works = new Works()
    const store = new TestStore()
    const crashed = await registryOf(works, { store, maxUpdatesPerCall: 1 }).open('s-1', ours)
    const { callId, work } = await begun(crashed, works, 'A')
    for (let index = 1; index <= 3; index += 1) await work.emit(index)
    await begun(crashed, works, 'B')
    const session = await registryOf(works, { store }).restore('s-1', { userId: 'u-1', takeOver: true })
    expect(session.poll().map(said)).toEqual(['3:3', 'failed interrupted', 'failed interrupted'])
    expect(session.poll()[1]).toMatchObject({ callId, droppedUpdates: 2 })
    expect(session.poll()[2]).not.toHaveProperty('droppedUpdates')
  })

  it('reports tools that there are no more, and keeps their results', async () => {
    const works = new Works()
    const store = memoryStore()
    const runtime = new Runtime()
    const other = runtime.registerToolset(
      toolset('more', tool({ name: 'gone', description: 'Gone.', parameters: {}, updates: true, run: () => 'kept' })),
    )
    const before = new SessionRegistry({ agents: { reports: reports(works), other }, store })
    const session = await before.open('s-1', { userId: 'u-1', namespaces: ['reports', 'other'] })
    await session.execute({ tool: 'gone', arguments: '{}' })
    await before.close('s-1')
    const after = registryOf(works, { store })
    const restored = await after.restore('s-1', { userId: 'u-1', takeOver: true })
    expect(restored).toMatchObject({ missingTools: ['more.gone'], namespaces: ['reports', 'other'] })
    expect(restored.tools.map(({ toolName }) => toolName)).toEqual(['reports_build', 'reports_look'])
    expect((await restored.consumeCompleted()).map(({ completion }) => said(completion))).toEqual(['completed "kept"'])
    await after.close('s-1')
    expect(await after.restore('s-1', { userId: 'u-1' })).toMatchObject({ missingTools: [] })
  })

  it('is not possible after the session was forgotten', async () => {
    const sessions = registryOf(new Works())
    const user = { userId: 'u-1' }
    await sessions.open('s-1', ours)
    await expect(sessions.delete('s-1', user)).rejects.toMatchObject({ code: 'still_open' })
    await sessions.close('s-1')
    await expect(sessions.delete('s-1', { userId: 'u-2' })).rejects.toMatchObject({ code: 'wrong_user' })
    await sessions.delete('s-1', user)
    await expect(sessions.delete('s-1', user)).rejects.toMatchObject({ code: 'unknown_session' })
    await expect(sessions.restore('s-1', user)).rejects.toMatchObject({ code: 'unknown_session' })
    expect(await sessions.open('s-1', { ...ours, userId: 'u-2' })).toMatchObject({ userId: 'u-2' })
  })
})
