import { describe, expect, it } from 'vitest'
import { memoryStore, type Session, SessionRegistry, type SessionStore } from '../../packages/runtime/src/sessions.js'
import {
  begun,
  build,
  ours,
  registryOf,
  reports,
  said,
  settled,
  storeFailed,
  TestStore,
  takenOver,
  until,
  Works,
} from './sessions.fixture.js'

/** A text whose JSON has so many characters. */
const text = (length: number): string => 'x'.repeat(length - 2)

/** Ends a call with a result whose JSON has so many characters. */
async function ended(session: Session, works: Works, name: string, length: number): Promise<void> {
  const { work } = await begun(session, works, name)
  work.complete(text(length))
  await until(() => !session.hasPending())
}

/** Sizes of the results of a session; of those that it did not keep, what it says about them. */
const kept = (session: Session) =>
  session.poll().map((entry) => {
    if (entry.kind === 'update') return `update of ${entry.update.length}`
    const { outcome, droppedBytes } = entry
    if (outcome.status === 'completed') return outcome.json.length
    return [outcome.status === 'failed' && outcome.error.reason, droppedBytes]
  })

describe('the size of what a session keeps', () => {
  it('defect 4b: is limited: a result beyond it becomes a failure that says so, and what was kept stays', async () => {
    const works = new Works()
    const session = await registryOf(works, { maxBytes: 10_000 }).open('s-1', ours)
    await ended(session, works, 'first', 6_000)
    await ended(session, works, 'too large', 6_000)
    await ended(session, works, 'small', 1_500)
    expect(kept(session)).toEqual([6_000, ['internal', 6_500], 1_500])
    const [, dropped] = session.poll()
    expect(dropped).toMatchObject({
      outcome: {
        status: 'failed',
        error: { reason: 'internal' },
        hint: {
          action: 'replan',
          message: expect.stringMatching(/6500 bytes was dropped.*6500 bytes.*limit is 10000/),
        },
        provenance: { tool: 'reports.reports_build' },
      },
    })
    expect(await session.consumeCompleted()).toHaveLength(3)
    await ended(session, works, 'after the take', 6_000)
    expect(kept(session)).toEqual([6_000])
  })

  it('counts results that wait for the store', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { maxBytes: 10_000, store }).open('s-1', ours)
    const calls = [await begun(session, works, 'one'), await begun(session, works, 'other')]
    const letGo = store.hold()
    for (const { work } of calls) work.complete(text(6_000))
    await settled()
    letGo()
    await until(() => !session.hasPending())
    expect(kept(session)).toEqual([6_000, ['internal', 6_500]])
    await session.consume()
    await ended(session, works, 'after the take', 9_000)
    expect(kept(session)).toEqual([9_000])
  })

  it('is given back by a call that was discarded', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { maxBytes: 10_000, store }).open('s-1', ours)
    const letGo = store.hold()
    const call = session.execute(build('discarded')).catch((error) => error)
    const work = await works.of('discarded')
    store.failure = new Error('down')
    work.fail(new Error(text(6_000)))
    await settled()
    letGo()
    expect(await call).toMatchObject(storeFailed)
    store.failure = undefined
    await ended(session, works, 'next', 9_000)
    expect(kept(session)).toEqual([9_000])
  })

  it('keeps a failure of the tool’s own, which is no larger than one that says that it was not kept', async () => {
    const works = new Works()
    const session = await registryOf(works, { maxBytes: 1_000 }).open('s-1', ours)
    const { work } = await begun(session, works, 'fails')
    work.fail(new Error('no'))
    await until(() => !session.hasPending())
    expect(session.poll().map(said)).toEqual(['failed internal'])
    expect(session.poll()[0]).not.toHaveProperty('droppedBytes')
  })

  it('answers calls of streaming tools with a failure when it is used up, before they begin', async () => {
    const works = new Works()
    const session = await registryOf(works, { maxBytes: 1_000 }).open('s-1', ours)
    const running = await begun(session, works, 'running')
    await running.work.emit(text(840))
    await running.work.emit(text(840))
    running.work.complete('done')
    await until(() => !session.hasPending())
    expect(kept(session)).toEqual([6])
    await ended(session, works, 'fills it', 490)
    const answer = await session.execute(build('refused'))
    expect(answer).toMatchObject({
      status: 'failed',
      error: { reason: 'unavailable' },
      hint: {
        action: 'wait',
        message: expect.stringMatching(/1496 bytes .* limit is 1000 bytes\. Consume results first\./),
      },
    })
    expect(works.begun.map(({ name }) => name)).toEqual(['running', 'fills it'])
    await session.consume()
    expect(await session.execute(build('begins'))).toMatchObject({ status: 'streaming' })
  })

  it('drops the oldest updates of a call for its next ones and for its result, and counts them', async () => {
    const works = new Works()
    const session = await registryOf(works, { maxBytes: 10_000 }).open('s-1', ours)
    const { work } = await begun(session, works, 'talks')
    for (let number = 0; number < 5; number += 1) await work.emit(text(2_850))
    expect(kept(session)).toEqual(['update of 2850', 'update of 2850', 'update of 2850'])
    expect(session.pending()).toMatchObject([{ droppedUpdates: 2 }])
    work.complete(text(5_000))
    await until(() => !session.hasPending())
    expect(kept(session)).toEqual(['update of 2850', 5_000])
    expect(session.poll().at(-1)).toMatchObject({ droppedUpdates: 4 })
    await session.consume()
    const large = await begun(session, works, 'one large update')
    await large.work.emit(text(20_000))
    expect(kept(session)).toEqual([])
    expect(session.pending()).toMatchObject([{ droppedUpdates: 1 }])
  })

  it('survives a restart, and does not take away what was kept before', async () => {
    const works = new Works()
    const store = memoryStore()
    const sessions = registryOf(works, { maxBytes: 10_000, store })
    const session = await sessions.open('s-1', ours)
    await ended(session, works, 'first', 9_000)
    await ended(session, works, 'too large', 2_000)
    await sessions.close('s-1')
    const restored = await registryOf(works, { maxBytes: 100, store }).open('s-1', takenOver)
    expect(kept(restored)).toEqual([9_000, ['internal', 2_500]])
  })

  it('is 64,000,000 bytes by default', async () => {
    const works = new Works()
    const session = await registryOf(works).open('s-1', ours)
    await ended(session, works, 'large', 40_000_000)
    await ended(session, works, 'too large', 40_000_000)
    await ended(session, works, 'fits', 20_000_000)
    expect(kept(session)).toEqual([40_000_000, ['internal', 40_000_500], 20_000_000])
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1' as never])(
    'is refused as an option: %s',
    (maxBytes) => {
      expect(() => registryOf(new Works(), { maxBytes })).toThrow(
        /SessionRegistry: maxBytes is .*\. Expected an integer/,
      )
    },
  )
})

describe('a store that remembers something of open sessions', () => {
  it('is reported when a session is no longer open: closed, taken over, or failed to open', async () => {
    const released: string[] = []
    const inner = memoryStore()
    const store: SessionStore = {
      ...inner,
      isDurable: true,
      release: (sessionId, owner) => {
        released.push(`${sessionId} ${owner !== ''}`)
        throw new Error('nobody wants to know')
      },
    }
    const works = new Works()
    const sessions = registryOf(works, { store })
    await begun(await sessions.open('closed', ours), works, 'a')
    await sessions.close('closed', { drainMs: 0 })
    expect(released).toEqual(['closed true'])
    const lost = await sessions.open('taken over', ours)
    await begun(lost, works, 'b')
    await registryOf(works, { store }).open('taken over', takenOver)
    await expect(lost.execute(build('c'))).rejects.toMatchObject({ code: 'superseded' })
    expect(released).toEqual(['closed true', 'taken over true'])
    const other = new SessionRegistry({ agents: { other: reports(works, { name: 'other' }) }, store })
    await expect(other.open('closed', { userId: 'u-1', namespaces: ['other'] })).rejects.toMatchObject({
      code: 'other_namespaces',
    })
    expect(released).toEqual(['closed true', 'taken over true', 'closed true'])
  })
})
