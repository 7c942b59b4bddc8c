import { describe, expect, it } from 'vitest'
import type { SessionEntry, StoredSession } from '../../packages/runtime/src/sessions.js'
import { begun, ours, registryOf, said, settled, TestStore, until, Works } from './sessions.fixture.js'

const kinds = [
  ['a store in memory', () => ({})],
  ['a durable store', () => ({ store: new TestStore() })],
] as const

describe.each(kinds)('taking results with %s', (_, optionsOf) => {
  it('gives out everything once, in order of arrival, and polling takes nothing', async () => {
    const works = new Works()
    const session = await registryOf(works, optionsOf()).open('s-1', ours)
    const a = await begun(session, works, 'A')
    const b = await begun(session, works, 'B')
    await a.work.emit('a1')
    await b.work.emit('b1')
    await a.work.emit('a2')
    b.work.complete('b')
    await settled()
    const all = ['1:"a1"', '1:"b1"', '2:"a2"', 'completed "b"']
    expect([session.poll().map(said), session.poll().map(said)]).toEqual([all, all])
    expect((await session.consume()).map(said)).toEqual(all)
    expect([session.poll(), await session.consume()]).toEqual([[], []])
    a.work.complete('a')
    await settled()
    expect((await session.consume()).map(said)).toEqual(['completed "a"'])
  })

  it('gives a completed call with its updates, and leaves calls under way', async () => {
    const works = new Works()
    const session = await registryOf(works, optionsOf()).open('s-1', ours)
    const [a, b, c] = [
      await begun(session, works, 'A'),
      await begun(session, works, 'B'),
      await begun(session, works, 'C'),
    ]
    await a.work.emit('a1')
    await b.work.emit('b1')
    await c.work.emit('c1')
    c.work.complete('c')
    await settled()
    a.work.fail(new Error('x'))
    await settled()
    const completed = await session.consumeCompleted()
    expect(
      completed.map(({ completion, updates }) => [completion.callId, said(completion), updates.map(said)]),
    ).toEqual([
      [c.callId, 'completed "c"', ['1:"c1"']],
      [a.callId, 'failed internal', ['1:"a1"']],
    ])
    expect(session.poll().map(said)).toEqual(['1:"b1"'])
    expect(session.pending().map(({ callId }) => callId)).toEqual([b.callId])
  })

  it('never gives two takers the same', async () => {
    const works = new Works()
    const session = await registryOf(works, optionsOf()).open('s-1', ours)
    for (const name of ['A', 'B', 'C']) (await begun(session, works, name)).work.complete(name)
    await settled()
    const taken = await Promise.all([
      session.consumeCompleted(),
      session.consume(),
      session.consumeCompleted(),
      session.consume(),
    ])
    expect(taken.map((entries) => entries.length)).toEqual([3, 0, 0, 0])
  })

  it('drops the oldest updates of a call that nobody takes, and counts them', async () => {
    const works = new Works()
    const session = await registryOf(works, { ...optionsOf(), maxUpdatesPerCall: 3 }).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const other = await begun(session, works, 'B')
    await other.work.emit('kept')
    for (let index = 1; index <= 10; index += 1) await work.emit(index)
    work.complete('done')
    await settled()
    expect(session.poll().map(said)).toEqual(['1:"kept"', '8:8', '9:9', '10:10', 'completed "done"'])
    expect(session.poll().at(-1)).toMatchObject({ droppedUpdates: 7 })
    other.work.complete('all there')
    await settled()
    expect(session.poll().at(-1)).not.toHaveProperty('droppedUpdates')
  })

  it('counts again after updates were acknowledged', async () => {
    const works = new Works()
    const session = await registryOf(works, { ...optionsOf(), maxUpdatesPerCall: 2 }).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const indices: string[] = []
    for (let index = 1; index <= 6; index += 1) {
      await work.emit(index)
      if (index % 2 === 0) indices.push(...(await session.consume()).map(said))
    }
    work.complete('done')
    await settled()
    expect(indices).toEqual(['1:1', '2:2', '3:3', '4:4', '5:5', '6:6'])
    expect(session.poll().at(-1)).not.toHaveProperty('droppedUpdates')
  })

  it('leaves the results of calls that runs made to runs', async () => {
    const store = new TestStore()
    await store.save(withRun, 'before', { releases: true })
    const session = await registryOf(new Works(), { store }).open('s-1', ours)
    expect(session.poll().map(({ callId }) => callId)).toEqual(['of a run', 'of a caller'])
    expect((await session.consumeCompleted()).map(({ completion }) => completion.callId)).toEqual(['of a caller'])
    expect(await session.consume()).toEqual([])
    expect((await session.consumeCompleted({ runs: true })).map(({ completion }) => completion.callId)).toEqual([
      'of a run',
    ])
  })
})

describe('subscribers of a session', () => {
  it('all see every entry from then on, whoever takes it', async () => {
    const works = new Works()
    const session = await registryOf(works).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const early = collect(session[Symbol.asyncIterator](), 3)
    await work.emit(1)
    const late = collect(session[Symbol.asyncIterator](), 2)
    expect((await session.consume()).map(said)).toEqual(['1:1'])
    await work.emit(2)
    work.complete(3)
    expect(await early).toEqual(['1:1', '2:2', 'completed 3'])
    expect(await late).toEqual(['2:2', 'completed 3'])
    expect(session.poll().map(said)).toEqual(['2:2', 'completed 3'])
  })

  it('hold nobody up: neither the tool nor each other', async () => {
    const works = new Works()
    const session = await registryOf(works).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const idle = session[Symbol.asyncIterator]()
    const first = idle.next()
    const quick = collect(session[Symbol.asyncIterator](), 5_001)
    for (let index = 1; index <= 5_000; index += 1) await work.emit(index)
    work.complete('done')
    expect(await quick).toHaveLength(5_001)
    expect((await first).value).toMatchObject({ index: 1 })
    expect((await idle.next()).value).toMatchObject({ index: 2 })
  })

  it('end with the session, after they have read everything', async () => {
    const works = new Works()
    const registry = registryOf(works)
    const session = await registry.open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const reader = session[Symbol.asyncIterator]()
    const waiting = session[Symbol.asyncIterator]()
    work.complete('a')
    await settled()
    const rest = collect(waiting, 10)
    await registry.close('s-1')
    expect(await rest).toEqual(['completed "a"'])
    expect(await collect(reader, 10)).toEqual(['completed "a"'])
    expect(await collect(session[Symbol.asyncIterator](), 10)).toEqual([])
  })

  it('may leave while they wait', async () => {
    const session = await registryOf(new Works()).open('s-1', ours)
    const reader = session[Symbol.asyncIterator]()
    const waiting = [reader.next(), reader.next()]
    await reader.return?.()
    expect(await Promise.all(waiting)).toEqual(Array(2).fill({ done: true, value: undefined }))
    expect(await reader.next()).toEqual({ done: true, value: undefined })
  })

  it('get distinct entries where they ask for several at once', async () => {
    const works = new Works()
    const session = await registryOf(works).open('s-1', ours)
    const { work } = await begun(session, works, 'A')
    const reader = session[Symbol.asyncIterator]()
    const asked = [reader.next(), reader.next(), reader.next()]
    for (let index = 1; index <= 3; index += 1) await work.emit(index)
    expect((await Promise.all(asked)).map(({ value }) => value.index)).toEqual([1, 2, 3])
  })
})

describe('a tool that emits faster than the store takes', () => {
  it('is held back by the session, each time, and goes on when the store does', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const a = await begun(session, works, 'A')
    for (const name of ['B', 'C']) {
      const { work } = await begun(session, works, name)
      const letGo = store.hold()
      work.complete(name)
      await settled()
      let emitted = 0
      const emitting = (async () => {
        for (; emitted < 300; emitted += 1) await a.work.emit(emitted)
      })()
      await settled()
      expect(emitted).toBe(98)
      expect(session.poll()).toEqual([])
      letGo()
      await emitting
      expect((await session.consume()).map(said).slice(0, 2)).toEqual([
        `completed "${name}"`,
        expect.stringMatching(/:0$/),
      ])
    }
  })

  it('keeps as many updates as fit where it does not wait, however many there were before', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store, maxUpdatesPerCall: 5 }).open('s-1', ours)
    const a = await begun(session, works, 'A')
    const b = await begun(session, works, 'B')
    for (let index = 1; index <= 10; index += 1) await a.work.emit(index)
    await session.consume()
    const letGo = store.hold()
    b.work.complete('b')
    await settled()
    for (let index = 11; index <= 15; index += 1) void a.work.emit(index)
    await settled()
    letGo()
    await until(() => session.poll().length > 1)
    expect((await session.consume()).map(said)).toEqual(['completed "b"', ...indices(11, 15)])
  })

  it('loses its oldest updates where it does not wait', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store, maxUpdatesPerCall: 5 }).open('s-1', ours)
    const a = await begun(session, works, 'A')
    const b = await begun(session, works, 'B')
    const letGo = store.hold()
    b.work.complete('b')
    await settled()
    for (let index = 1; index <= 1_000; index += 1) void a.work.emit(index)
    await settled()
    letGo()
    await until(() => session.poll().length > 1)
    expect(session.poll().map(said)).toEqual(['completed "b"', ...indices(996, 1_000)])
    a.work.complete('a')
    await until(() => session.poll().at(-1)?.kind === 'completed')
    expect(session.poll().at(-1)).toMatchObject({ droppedUpdates: 995 })
  })

  it('is let go when its call is cancelled', async () => {
    const works = new Works()
    const store = new TestStore()
    const session = await registryOf(works, { store }).open('s-1', ours)
    const a = await begun(session, works, 'A')
    const b = await begun(session, works, 'B')
    const letGo = store.hold()
    b.work.complete('b')
    await settled()
    let accepted = 0
    const emits = Array.from({ length: 150 }, async (_, index) => {
      await a.work.emit(index)
      accepted += 1
    })
    await settled()
    expect(accepted).toBe(98)
    session.cancel(a.callId)
    await Promise.all(emits)
    await expect(a.work.emit('more')).rejects.toMatchObject({ reason: 'cancelled' })
    letGo()
    await until(() => session.poll().at(-1)?.kind === 'completed')
    expect(session.poll()).toHaveLength(152)
  })
})

/** Updates that say their own index. */
function indices(first: number, last: number): readonly string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${first + index}:${first + index}`)
}

async function collect(entries: AsyncIterator<SessionEntry>, count: number): Promise<readonly string[]> {
  const texts: string[] = []
  while (texts.length < count) {
    const { done, value } = await entries.next()
    if (done === true) break
    texts.push(said(value))
  }
  return texts
}

const completion = (callId: string, isRun: boolean, sequence: number): SessionEntry => ({
  kind: 'completed',
  sequence,
  callId,
  tool: 'reports.reports_build',
  isRun,
  outcome: {
    call: { tool: 'reports.reports_build', toolCallId: callId },
    provenance: { tool: 'reports.reports_build', durationMs: 1, attempts: 1 },
    status: 'completed',
    json: '1',
  },
})

const withRun: StoredSession = {
  version: 1,
  sessionId: 's-1',
  userId: 'u-1',
  namespaces: ['reports'],
  availableTools: ['reports.reports_build', 'reports.reports_look'],
  entries: [completion('of a run', true, 1), completion('of a caller', false, 2)],
  running: [],
  nextSequence: 3,
}
