import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { SessionEvent } from '../../packages/runtime/src/sessions.js'
import {
  begun,
  build,
  down,
  look,
  ours,
  registryOf,
  said,
  settled,
  storeFailed,
  TestStore,
  until,
  Works,
} from './sessions.fixture.js'

describe('a store that is down', () => {
  it('and does not answer when a session is opened holds no close up for longer than its limits', async () => {
    const store = new TestStore()
    const sessions = registryOf(new Works(), { store })
    const letGo = store.hold()
    const opening = sessions.open('s-1', ours)
    await expect(sessions.close('s-1', { drainMs: 1, storeMs: 1 })).rejects.toMatchObject(storeFailed)
    letGo()
    expect((await opening).id).toBe('s-1')
    await sessions.close('s-1')
  })

  it('when a session is closed keeps no process alive afterwards', async () => {
    const works = new Works()
    const store = new TestStore()
    const sessions = registryOf(works, { store })
    const { work } = await begun(await sessions.open('s-1', ours), works, 'A')
    store.failure = down
    work.complete('ready')
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await expect(sessions.close('s-1', { drainMs: 1, storeMs: 30 })).rejects.toMatchObject(storeFailed)
    const before = timers.mock.results.length
    const { saves } = store
    await until(() => store.saves > saves + 1)
    const tries = timers.mock.results.slice(before).map(({ value }) => value)
    timers.mockRestore()
    // `until` waits by timers of its own, which keep the process alive.
    expect(tries.some((timer) => !timer.hasRef())).toBe(true)
    store.failure = undefined
    await sessions.close('s-1')
  })

  it('when an idle session is closed keeps no process alive afterwards', async () => {
    const store = new TestStore()
    const sessions = registryOf(new Works(), { store })
    await sessions.open('s-1', ours)
    store.failure = down
    onTestFinished(() => {
      store.failure = undefined
    })
    const timers = vi.spyOn(globalThis, 'setTimeout')
    await expect(sessions.close('s-1', { drainMs: 1, storeMs: 30 })).rejects.toMatchObject(storeFailed)
    const started = timers.mock.results.map(({ value }) => value)
    timers.mockRestore()
    expect(started.filter((timer) => timer.hasRef() && !timer._destroyed)).toEqual([])
  })

  it('when a session is opened fails that, and the next try works', async () => {
    const store = new TestStore()
    const sessions = registryOf(new Works(), { store })
    store.failure = down
    await expect(sessions.open('s-1', ours)).rejects.toMatchObject({ ...storeFailed, cause: down })
    await expect(sessions.restore('s-1', { userId: 'u-1' })).rejects.toMatchObject(storeFailed)
    await expect(sessions.delete('s-1', { userId: 'u-1' })).rejects.toMatchObject(storeFailed)
    store.failure = undefined
    expect(await sessions.open('s-1', ours)).toMatchObject({ id: 's-1' })
  })

  it('while interrupted calls are stored fails the restore, and nothing is reported twice later', async () => {
    const works = new Works()
    const store = new TestStore()
    await begun(await registryOf(works, { store }).open('s-1', ours), works, 'A')
    const sessions = registryOf(works, { store })
    store.save = async () => {
      throw down
    }
    await expect(sessions.restore('s-1', { userId: 'u-1', takeOver: true })).rejects.toMatchObject(storeFailed)
    Reflect.deleteProperty(store, 'save')
    expect((await sessions.restore('s-1', { userId: 'u-1', takeOver: true })).poll().map(said)).toEqual([
      'failed interrupted',
    ])
  })

  it('lets no streaming call begin: it is aborted, and nothing of it is kept', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    store.failure = down
    const answer = session.execute(build('A'))
    const work = await works.of('A')
    void work.emit('seen by nobody')
    await expect(answer).rejects.toMatchObject({
      ...storeFailed,
      message: expect.stringContaining("'s-1'"),
      cause: down,
    })
    expect(work.signal.aborted).toBe(true)
    store.failure = undefined
    const { callId } = await begun(session, works, 'B')
    expect(session.poll()).toEqual([])
    expect(session.pending().map((call) => call.callId)).toEqual([callId])
    expect(store.saved.at(-1)).toMatchObject({ entries: [], running: [{ callId }] })
  })

  it('gives a result that was there before the store failed to its caller', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const letGo = store.hold()
    store.failure = down
    onTestFinished(() => {
      store.failure = undefined
    })
    const answer = session.execute(build('A'))
    ;(await works.of('A')).complete('done')
    await settled()
    letGo()
    expect(await answer).toMatchObject({ status: 'completed', json: '"done"' })
    expect([session.poll(), session.pending()]).toEqual([[], []])
  })

  it('leaves tools alone that answer once', async () => {
    const store = new TestStore()
    const session = await registryOf(new Works(), { store }).open('s-1', ours)
    store.failure = down
    onTestFinished(() => {
      store.failure = undefined
    })
    const { saves } = store
    expect(await session.execute(look('A'))).toMatchObject({ status: 'completed' })
    expect(store.saves).toBe(saves)
  })

  it('keeps an end from being seen until it is stored, and the call pending', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    await work.emit('half')
    store.failure = down
    work.complete('done')
    const before = store.saves
    await until(() => store.saves > before + 2)
    expect([session.poll().map(said), session.hasPending()]).toEqual([['1:"half"'], true])
    store.failure = undefined
    await until(() => !session.hasPending())
    expect(session.poll().map(said)).toEqual(['1:"half"', 'completed "done"'])
    expect(store.saved.at(-1)?.entries.map(said)).toEqual(['1:"half"', 'completed "done"'])
  })

  it('is tried at once for whoever waits, and else more and more seldom', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('a')
    store.failure = down
    await until(() => store.saves === 5)
    await settled()
    // The next try would be in 160 ms.
    const refused = expect(session.execute(build('B'))).rejects.toMatchObject(storeFailed)
    await settled()
    expect(store.saves).toBeGreaterThan(5)
    await refused
    store.failure = undefined
    await begun(session, works, 'C')
    expect(session.poll().map(said)).toEqual(['completed "a"'])
  })

  it('is tried more and more seldom after a call that could not be stored', async () => {
    const store = new TestStore()
    const session = await registryOf(new Works(), { store }).open('s-1', ours)
    store.failure = down
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await expect(session.execute(build('A'))).rejects.toMatchObject(storeFailed)
    const { saves } = store
    await vi.advanceTimersByTimeAsync(60_000)
    // After 200, 400, 800, 1,600 and 3,200 ms, then every 5 s.
    expect(store.saves - saves).toBe(15)
    store.failure = undefined
    await vi.advanceTimersByTimeAsync(5_000)
    expect(store.saved.at(-1)).toMatchObject({ running: [] })
    await vi.advanceTimersByTimeAsync(60_000)
    expect(store.saves - saves).toBe(16)
  })

  it('does not change the order in which results arrive', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const [a, b, c] = [
      await begun(session, works, 'A'),
      await begun(session, works, 'B'),
      await begun(session, works, 'C'),
    ]
    const letGo = store.hold()
    a.work.complete('a')
    await settled()
    b.work.complete('b')
    await settled()
    void c.work.emit('c')
    await settled()
    store.failure = down
    letGo()
    await until(() => store.saves === 5)
    store.failure = undefined
    await until(() => session.poll().length === 3)
    expect(session.poll().map(said)).toEqual(['completed "a"', 'completed "b"', '1:"c"'])
    expect(store.saved.at(-1)?.entries).toEqual(session.poll())
  })

  it('puts what could not be taken back in its place', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const b = await begun(session, works, 'B')
    await work.emit('a1')
    await b.work.emit('b1')
    store.failure = down
    const taking = session.consume()
    void work.emit('a2')
    await expect(taking).rejects.toMatchObject(storeFailed)
    await settled()
    expect(session.poll().map(said)).toEqual(['1:"a1"', '1:"b1"', '2:"a2"'])
    store.failure = undefined
    expect((await session.consume()).map(said)).toEqual(['1:"a1"', '1:"b1"', '2:"a2"'])
    expect(store.saved.at(-1)?.entries).toEqual([])
  })

  it('that saves but reports a failure receives the next state', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('done')
    await settled()
    store.failure = down
    store.savesAndFails = true
    await expect(session.consume()).rejects.toMatchObject(storeFailed)
    expect(store.saved.at(-1)?.entries).toEqual([])
    store.failure = undefined
    await until(() => store.saved.at(-1)?.entries.length === 1)
    expect((await session.consume()).map(said)).toEqual(['completed "done"'])
  })

  it('when a session is closed is tried again within the limit', async () => {
    const works = new Works()
    const store = new TestStore()
    const events: SessionEvent[] = []
    const sessions = registryOf(works, { store, onEvent: (event) => events.push(event) })
    const session = await sessions.open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('done')
    await settled()
    store.failure = down
    const closing = sessions.close('s-1')
    await until(() => events.filter(({ type }) => type === 'save_failed').length === 2)
    store.failure = undefined
    await closing
    expect((await sessions.restore('s-1', { userId: 'u-1', takeOver: true })).poll().map(said)).toEqual([
      'completed "done"',
    ])
  })

  it.each([
    ['durable', true],
    ['that is not durable', false],
  ])(
    'when a session is closed, %s, fails the close after the limit, and the session holds its results',
    async (_, isDurable) => {
      const works = new Works()
      const store = new TestStore({ isDurable })
      const sessions = registryOf(works, { store })
      const session = await sessions.open('s-1', ours)
      const { work } = await begun(session, works, 'A')
      await work.emit('half')
      store.failure = down
      const rejection = { ...storeFailed, message: expect.stringContaining('Close it again'), cause: { cause: down } }
      await expect(sessions.close('s-1', { drainMs: 0, storeMs: 30 })).rejects.toMatchObject(rejection)
      await expect(sessions.close('s-1', { drainMs: 0, storeMs: 1 })).rejects.toMatchObject(storeFailed)
      expect(sessions.sessions).toEqual([session])
      await expect(session.execute(look('A'))).rejects.toMatchObject({ code: 'closing' })
      store.failure = undefined
      await sessions.close('s-1')
      const restored = await sessions.restore('s-1', { userId: 'u-1', takeOver: true })
      expect(restored.poll().map(said)).toEqual(['1:"half"', 'failed timeout'])
    },
  )

  it('is left alone after a close that has failed', async () => {
    const works = new Works()
    const store = new TestStore({ isDurable: false })
    const sessions = registryOf(works, { store })
    const session = await sessions.open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('done')
    await settled()
    store.failure = down
    await expect(sessions.close('s-1', { storeMs: 5 })).rejects.toMatchObject(storeFailed)
    store.failure = undefined
    const { saves } = store
    expect((await session.consume()).map(said)).toEqual(['completed "done"'])
    expect([store.saves, store.saved]).toEqual([saves, []])
  })

  it('when a session was closed lets it be opened again once the store is back', async () => {
    const works = new Works()
    const store = new TestStore()
    const sessions = registryOf(works, { store })
    const session = await sessions.open('s-1', ours)
    ;(await begun(session, works, 'A')).work.complete('done')
    await settled()
    store.failure = down
    await expect(sessions.closeAll({ storeMs: 1 })).rejects.toMatchObject({ errors: [storeFailed] })
    store.failure = undefined
    const next = await sessions.open('s-1', ours)
    expect(next).not.toBe(session)
    expect(next.poll().map(said)).toEqual(['completed "done"'])
    expect(await next.execute(look('A'))).toMatchObject({ status: 'completed' })
  })

  it('writes updates that nobody waits for when it can', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    store.failure = down
    await work.emit('half')
    const before = store.saves
    await until(() => store.saves > before)
    store.failure = undefined
    await until(() => store.saved.at(-1)?.entries.length === 1)
    expect(session.poll().map(said)).toEqual(['1:"half"'])
  })
})
