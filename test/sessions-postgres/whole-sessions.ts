import { expect, it } from 'vitest'
import { postgresStore } from '../../packages/runtime/src/postgres.js'
import { begun, build, ours, registryOf, said, takenOver, Works } from '../sessions/sessions.fixture.js'
import type { Database } from './databases.js'

/** Declares tests of sessions with the store, from a call to its result in another process. */
export function describeWholeSessions({ query }: Database): void {
  it('finds in another process what the first one has stored and nobody has taken, once', async () => {
    const works = new Works()
    const first = await registryOf(works, { store: postgresStore({ query }) }).open('across processes', ours)
    const done = await begun(first, works, 'done')
    await begun(first, works, 'running')
    await done.work.emit({ percent: 50 })
    done.work.complete({ pages: 3 })
    while (first.poll().length < 2) await new Promise((resolve) => setTimeout(resolve, 1))

    const second = await registryOf(works, { store: postgresStore({ query }) }).open('across processes', takenOver)
    const entries = await second.consume()
    expect(entries.map(said)).toEqual(['1:{"percent":50}', 'completed {"pages":3}', 'failed interrupted'])
    await expect(first.consume()).rejects.toMatchObject({ code: 'superseded' })

    const third = await registryOf(works, { store: postgresStore({ query }) }).open('across processes', takenOver)
    expect(await third.consume()).toEqual([])
  })

  it('acknowledges nothing that the database has not taken, and goes on when it answers again', async () => {
    const down = new Error('connect ECONNREFUSED')
    let isDown = false
    const store = postgresStore({ query: (text, values) => (isDown ? Promise.reject(down) : query(text, values)) })
    const works = new Works()
    const session = await registryOf(works, { store }).open('through a failure', ours)
    isDown = true
    await expect(session.execute(build('lost'))).rejects.toMatchObject({ code: 'store_failed', cause: down })
    isDown = false
    const { work } = await begun(session, works, 'kept')
    work.complete('kept')
    while (session.hasPending()) await new Promise((resolve) => setTimeout(resolve, 1))
    expect((await session.consume()).map(said)).toEqual(['completed "kept"'])
  })
}
