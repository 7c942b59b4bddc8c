import { describe, expect, it } from 'vitest'
import {
  acknowledged,
  begun,
  build,
  down,
  ours,
  registryOf,
  said,
  settled,
  storeFailed,
  TestStore,
  until,
  Works,
} from './sessions.fixture.js'

describe('a store that is slow', () => {
  it('gets one write at a time, and all that came meanwhile in the next', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    // The save that reserves the new session.
    store.saved.length = 0
    const { saves } = store
    const letGo = store.hold()
    const answers = Array.from({ length: 20 }, (_, index) => session.execute(build(`call ${index}`)))
    await settled()
    expect(store.saves).toBe(saves + 1)
    letGo()
    for (const answer of await Promise.all(answers)) acknowledged(answer)
    expect(store.saves).toBe(saves + 2)
    expect(store.saved.map(({ running }) => running.length)).toEqual([1, 20])
  })

  it('holds an acknowledgement up, also of a call that has ended meanwhile', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const letGo = store.hold()
    let isAnswered = false
    const answer = session.execute(build('A')).finally(() => {
      isAnswered = true
    })
    const work = await works.of('A')
    await work.emit('half')
    work.complete('done')
    await settled()
    expect([isAnswered, session.poll(), session.hasPending()]).toEqual([false, [], true])
    letGo()
    const { callId } = acknowledged(await answer)
    await until(() => !session.hasPending())
    expect(session.poll().map((entry) => [entry.callId, said(entry)])).toEqual([
      [callId, '1:"half"'],
      [callId, 'completed "done"'],
    ])
  })

  it('is waited for where a close cancels calls that it has to know of', async () => {
    const works = new Works()
    const store = new TestStore()
    const sessions = registryOf(works, { store })
    const session = await sessions.open('s-1', ours)
    const letGo = store.hold()
    let isAnswered = false
    const answer = session.execute(build('A')).finally(() => {
      isAnswered = true
    })
    const work = await works.of('A')
    await work.emit('half')
    const closing = sessions.close('s-1', { cancel: true })
    await settled()
    expect([work.signal.aborted, isAnswered]).toEqual([true, false])
    letGo()
    const { callId } = acknowledged(await answer)
    await closing
    const restored = await sessions.restore('s-1', { userId: 'u-1', takeOver: true })
    expect(restored.poll().map((entry) => [entry.callId, said(entry)])).toEqual([
      [callId, '1:"half"'],
      [callId, 'failed cancelled'],
    ])
  })

  it('is waited for by a close that comes while an acknowledgement is written', async () => {
    const works = new Works()
    const store = new TestStore()
    const sessions = registryOf(works, { store })
    const session = await sessions.open('s-1', ours)
    const letGo = store.hold()
    const answer = session.execute(build('A'))
    await works.of('A')
    const closing = sessions.close('s-1', { drainMs: 0 })
    await settled()
    letGo()
    const { callId } = acknowledged(await answer)
    await closing
    const restored = await sessions.restore('s-1', { userId: 'u-1', takeOver: true })
    expect(restored.poll()).toMatchObject([{ callId, timedOut: true }])
  })

  it('is not waited for longer than the limit when a session is closed', async () => {
    const works = new Works()
    const store = new TestStore()
    const sessions = registryOf(works, { store })
    const session = await sessions.open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('done')
    await settled()
    const letGo = store.hold()
    await expect(sessions.close('s-1', { storeMs: 3 })).rejects.toMatchObject({
      ...storeFailed,
      message: expect.stringContaining('did not answer in time'),
    })
    letGo()
    await settled()
    expect(session.poll().map(said)).toEqual(['completed "done"'])
    await sessions.close('s-1')
    expect(store.saved.at(-1)?.entries.map(said)).toEqual(['completed "done"'])
  })

  it('is not asked again for a close that nobody waits for any more', async () => {
    const works = new Works()
    const store = new TestStore({ isDurable: false })
    const sessions = registryOf(works, { store })
    const session = await sessions.open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('done')
    await settled()
    const letGo = store.hold()
    await expect(sessions.close('s-1', { storeMs: 3 })).rejects.toMatchObject(storeFailed)
    store.failure = down
    letGo()
    await settled()
    store.failure = undefined
    expect((await session.consume()).map(said)).toEqual(['completed "done"'])
    expect([store.saves, store.saved]).toEqual([1, []])
  })

  it('has what is taken while a session is closed taken out before the close ends', async () => {
    const works = new Works()
    const store = new TestStore({ isDurable: false })
    const sessions = registryOf(works, { store })
    const session = await sessions.open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('done')
    await settled()
    const letGo = store.hold()
    const closing = sessions.close('s-1')
    await settled()
    const taking = session.consume()
    letGo()
    expect((await taking).map(said)).toEqual(['completed "done"'])
    await closing
    expect((await sessions.restore('s-1', { userId: 'u-1', takeOver: true })).poll()).toEqual([])
  })
})
