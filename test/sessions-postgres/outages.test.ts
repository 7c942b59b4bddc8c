import { afterAll, describe, expect, it } from 'vitest'
import { Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { postgresLimits, postgresStore } from '../../packages/runtime/src/postgres.js'
import { rateLimit } from '../../packages/runtime/src/resilience.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { begun, build, ours, registryOf, said, until, Works } from '../sessions/sessions.fixture.js'
import { CallBook } from './call-book.js'
import { stoppableDatabase } from './stoppable-database.js'

const database = await stoppableDatabase()
const { query } = database
const storeFailed = { name: 'SessionError', code: 'store_failed' }
afterAll(() => database.close())

/** How many calls of the tool have begun. */
let begunCalls = 0

/** Waits at least 200 ms, and as long as further calls begin: how many of them do so in a time depends on the machine. */
async function slowly(): Promise<void> {
  for (let before = -1; before !== begunCalls; ) {
    before = begunCalls
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

const quick = tool({
  name: 'quick',
  description: 'Says its name.',
  parameters: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  updates: true,
  run: async ({ name }, { emit }) => {
    begunCalls += 1
    await emit(name)
    return name
  },
})

/** A process of its own, as far as the store can see. */
function quickRegistry(run = query) {
  const agents = { reports: new Runtime().registerToolset(toolset('quick', quick)) }
  return new SessionRegistry({ agents, store: postgresStore({ query: run }) })
}

describe(`a database that is stopped, ${database.name}`, () => {
  it('while calls run, takes nothing away: what comes meanwhile is seen when it is back, and sessions go on', async () => {
    const works = new Works()
    const session = await registryOf(works, { store: postgresStore({ query }) }).open('in the middle', ours)
    const [a, b] = [await begun(session, works, 'A'), await begun(session, works, 'B')]
    a.work.complete('a')
    await until(() => session.poll().length === 1)
    await database.stop()
    await expect(session.execute(build('lost'))).rejects.toMatchObject(storeFailed)
    await expect(session.consume()).rejects.toMatchObject(storeFailed)
    void b.work.emit('half')
    b.work.complete('b')
    expect(session.pending().map(({ callId }) => callId)).toEqual([b.callId])
    expect(session.poll().map(said)).toEqual(['completed "a"', '1:"half"'])
    await database.start()
    await until(() => !session.hasPending())
    expect((await session.consume()).map(said)).toEqual(['completed "a"', '1:"half"', 'completed "b"'])
    ;(await begun(session, works, 'C')).work.complete('c')
    await until(() => !session.hasPending())
    expect((await session.consume()).map(said)).toEqual(['completed "c"'])
  })

  it('while a session is closed, holds the close up, or fails it and lets it be done later', async () => {
    const works = new Works()
    const sessions = registryOf(works, { store: postgresStore({ query }) })
    for (const id of ['waits', 'fails']) {
      const { work } = await begun(await sessions.open(id, ours), works, id)
      await work.emit('half')
    }
    await database.stop()
    const waiting = sessions.close('waits', { drainMs: 0, storeMs: 30_000 })
    await expect(sessions.close('fails', { drainMs: 0, storeMs: 50 })).rejects.toMatchObject(storeFailed)
    expect(sessions.sessions.map(({ id }) => id)).toEqual(['waits', 'fails'])
    await database.start()
    await waiting
    await sessions.close('fails')
    expect(sessions.sessions).toEqual([])
    for (const id of ['waits', 'fails']) {
      const restored = await registryOf(works, { store: postgresStore({ query }) }).restore(id, { userId: 'u-1' })
      expect((await restored.consume()).map(said)).toEqual(['1:"half"', 'failed timeout'])
    }
  })

  it('when a session is restored, fails that, and gives everything once when it is back', async () => {
    const works = new Works()
    const first = await registryOf(works, { store: postgresStore({ query }) }).open('at restore', ours)
    const done = await begun(first, works, 'done')
    await begun(first, works, 'running')
    done.work.complete('done')
    await until(() => first.poll().length === 1)
    const next = registryOf(works, { store: postgresStore({ query }) })
    await database.stop()
    await expect(next.restore('at restore', { userId: 'u-1', takeOver: true })).rejects.toMatchObject(storeFailed)
    await expect(next.open('at restore', { ...ours, takeOver: true })).rejects.toMatchObject(storeFailed)
    await database.start()
    const restored = await next.restore('at restore', { userId: 'u-1', takeOver: true })
    expect((await restored.consume()).map(said)).toEqual(['completed "done"', 'failed interrupted'])
    const third = await registryOf(works, { store: postgresStore({ query }) }).restore('at restore', {
      userId: 'u-1',
      takeOver: true,
    })
    expect(third.poll()).toEqual([])
  })

  it('again and again under load, loses no acknowledged call and gives none out twice', async () => {
    const sessions = quickRegistry()
    const book = new CallBook()
    const opened = await Promise.all(Array.from({ length: 10 }, (_, index) => sessions.open(`load ${index}`, ours)))
    let isOver = false
    const work = Promise.all(
      opened.map(async (session, index) => {
        for (let call = 0; !isOver; call += 1) {
          await Promise.all([book.call(session, `${index}.${call} a`), book.call(session, `${index}.${call} b`)])
          await book.take(session)
        }
      }),
    )
    for (let outage = 1; outage <= 3; outage += 1) {
      const { acknowledged } = book
      await until(() => book.acknowledged >= acknowledged + 100)
      await database.stop()
      const { refused } = book
      await until(() => book.refused >= refused + 20)
      await database.start()
    }
    isOver = true
    await work
    await sessions.closeAll()
    const next = quickRegistry()
    for (const { id } of opened) await book.take(await next.restore(id, { userId: 'u-1' }))
    expect(book.faults()).toEqual([])
  })
})

it('a rate limit in a database that is stopped refuses calls clearly, and admits them when it is back', async () => {
  const limits = postgresLimits(query, { timeoutMs: 60_000 })
  await limits.migrate()
  const served = toolset('served', quick)
  const limit = rateLimit({ calls: 1_000_000, perMs: 1_000, store: limits, name: 'stopped' })
  const tools = new Runtime().registerToolset(served.layer(limit))
  const call = { tool: 'quick', arguments: '{"name":"a"}' }
  expect(await tools.execute(call)).toMatchObject({ status: 'completed' })
  await database.stop()
  expect(await tools.execute(call)).toMatchObject({
    status: 'failed',
    hint: { reason: 'unavailable', action: 'wait', retryAfterMs: expect.any(Number) },
    error: { message: 'The tool is not available, because the store of its rate limit cannot be reached.' },
  })
  await database.start()
  let { status } = await tools.execute(call)
  while (status !== 'completed') {
    await new Promise((resolve) => setTimeout(resolve, 10))
    ;({ status } = await tools.execute(call))
  }
})

describe('a database that takes 200 ms for every statement', () => {
  it('acknowledges and gives out 1,000 calls of 100 sessions with a handful of statements', async () => {
    let statements = 0
    const sessions = quickRegistry(async (text, values) => {
      if (text.includes('insert into')) statements += 1
      await slowly()
      return query(text, values)
    })
    const book = new CallBook()
    const opened = await Promise.all(Array.from({ length: 100 }, (_, index) => sessions.open(`slow ${index}`, ours)))
    const calls = opened.flatMap((session) =>
      Array.from({ length: 10 }, (_, call) => book.call(session, `${session.id} ${call}`)),
    )
    await Promise.all(calls)
    expect([book.acknowledged, book.refused]).toEqual([1_000, 0])
    await sessions.closeAll()
    const next = quickRegistry()
    await Promise.all(opened.map(async ({ id }) => book.take(await next.restore(id, { userId: 'u-1' }))))
    expect(book.faults()).toEqual([])
    expect(statements).toBeLessThanOrEqual(10)
  })
})
