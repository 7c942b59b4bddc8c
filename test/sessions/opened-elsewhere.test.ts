import { describe, expect, it } from 'vitest'
import { memoryStore, SessionError, type SessionEvent } from '../../packages/runtime/src/sessions.js'
import { begun, build, look, ours, registryOf, said, settled, TestStore, takenOver, Works } from './sessions.fixture.js'

describe('a session that was opened elsewhere', () => {
  it('is over here: its calls are aborted, and nothing is given out any more', async () => {
    const works = new Works()
    const inner = memoryStore()
    const events: SessionEvent[] = []
    const here = registryOf(works, { store: new TestStore({ inner }), onEvent: (event) => events.push(event) })
    const session = await here.open('s-1', ours)
    const a = await begun(session, works, 'A')
    const b = await begun(session, works, 'B')
    await a.work.emit('half')
    const reader = session[Symbol.asyncIterator]()
    const single = session.execute(look('wait'))
    await works.of('wait')

    const there = await registryOf(works, { store: new TestStore({ inner }) }).restore('s-1', {
      userId: 'u-1',
      takeOver: true,
    })
    expect(there.poll().map(said)).toEqual(['failed interrupted', 'failed interrupted'])

    const superseded = { name: 'SessionError', code: 'superseded' }
    a.work.complete('done')
    await expect(reader.next()).rejects.toMatchObject(superseded)
    expect(b.work.signal.reason).toMatchObject(superseded)
    expect(await single).toMatchObject({ status: 'failed', error: { reason: 'interrupted' } })
    await expect(session.consume()).rejects.toMatchObject(superseded)
    await expect(session.execute(look('A'))).rejects.toMatchObject(superseded)
    await expect(session.execute(build('C'))).rejects.toMatchObject(superseded)
    expect(() => session.poll()).toThrow(SessionError)
    expect([session.hasPending(), session.pending()]).toEqual([false, []])
    expect(here.sessions).toEqual([])
    expect(events.at(-1)).toMatchObject({ type: 'superseded', sessionId: 's-1' })
    await expect(b.work.emit('late')).rejects.toMatchObject({ reason: 'cancelled' })

    expect(there.poll().map(said)).toEqual(['failed interrupted', 'failed interrupted'])
  })

  it('gives no result that was there before it could be acknowledged', async () => {
    const works = new Works()
    const inner = memoryStore()
    const store = new TestStore({ inner })
    const sessions = registryOf(works, { store })
    await sessions.open('s-1', ours)
    await sessions.close('s-1')
    const session = await sessions.open('s-1', ours)
    const letGo = store.hold()
    const answer = session.execute(build('A'))
    ;(await works.of('A')).complete('done')
    await settled()
    await registryOf(works, { store: new TestStore({ inner }) }).restore('s-1', { userId: 'u-1', takeOver: true })
    letGo()
    await expect(answer).rejects.toMatchObject({ code: 'superseded' })
  })

  it('fails whoever waits for it: a call that begins, a taker, a close', async () => {
    for (const what of ['begin', 'consume', 'close'] as const) {
      const works = new Works()
      const inner = memoryStore()
      const here = registryOf(works, { store: new TestStore({ inner }) })
      const session = await here.open('s-1', ours)
      ;(await begun(session, works, 'A')).work.complete('done')
      await settled()
      await registryOf(works, { store: new TestStore({ inner }) }).restore('s-1', { userId: 'u-1', takeOver: true })
      const acts = {
        begin: () => session.execute(build('B')),
        consume: () => session.consume(),
        close: () => here.close('s-1'),
      }
      await expect(acts[what]()).rejects.toMatchObject({ code: 'superseded' })
      expect(here.sessions).toEqual([])
    }
  })

  it('can be taken back', async () => {
    const inner = memoryStore()
    const here = registryOf(new Works(), { store: new TestStore({ inner }) })
    const there = registryOf(new Works(), { store: new TestStore({ inner }) })
    await here.open('s-1', ours)
    await here.close('s-1')
    await here.open('s-1', ours)
    await there.open('s-1', takenOver)
    await expect(here.close('s-1')).rejects.toMatchObject({ code: 'superseded' })
    await here.open('s-1', takenOver)
    await there.closeAll()
    expect(there.sessions).toEqual([])
    await here.close('s-1')
  })
})
