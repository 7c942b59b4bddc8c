import { expect, it } from 'vitest'
import { postgresStore } from '../../packages/runtime/src/postgres.js'
import type { Database } from './databases.js'
import { completed, completedEntry, storedSession } from './stored-session.fixture.js'

const SESSIONS = 200

/** Declares tests of concurrent saves. */
export function describeManySessions({ query }: Database): void {
  it('saves two hundred sessions at once with a handful of statements, each whole and of its own user', async () => {
    let statements = 0
    const store = postgresStore({
      query: (text, values) => {
        statements += 1
        return query(text, values)
      },
    })
    const users = Array.from({ length: SESSIONS }, (_, index) => `u-${index}`)
    const sessionOf = (userId: string) =>
      storedSession(`of ${userId}`, { userId, entries: [completedEntry(1, completed(`"only for ${userId}"`))] })
    await Promise.all(users.map((userId) => store.save(sessionOf(userId), `owner of ${userId}`)))
    expect(statements).toBeLessThan(10)
    const restored = await Promise.all(
      users.map((userId) => store.claim(`of ${userId}`, { userId, owner: 'next', takeOver: true })),
    )
    expect(restored).toEqual(users.map(sessionOf))
  })

  it('tells of sessions that are saved together which was superseded', async () => {
    const store = postgresStore({ query })
    const ids = ['mixed 1', 'mixed 2', 'mixed 3', 'mixed 4']
    await Promise.all(ids.map((id) => store.save(storedSession(id), 'first')))
    await store.claim('mixed 2', { userId: 'u-7', owner: 'second', takeOver: true })
    const saves = await Promise.allSettled(ids.map((id) => store.save(storedSession(id, { entries: [] }), 'first')))
    expect(saves.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
    expect(saves[1]).toMatchObject({ reason: { code: 'superseded' } })
    expect(await store.claim('mixed 2', { userId: 'u-7', owner: 'third', takeOver: true })).toEqual(
      storedSession('mixed 2'),
    )
  })

  it('stores the others where one session is more than the database can hold', async () => {
    const store = postgresStore({ query })
    // An index cannot contain an incompressible key of this size.
    const id = Array.from({ length: 4_000 }, (_, index) => ((index * 2654435761) % 997).toString(36)).join('')
    const saves = await Promise.allSettled(
      ['small 1', id, 'small 2'].map((id) => store.save(storedSession(id), 'first')),
    )
    expect(saves.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(saves[1]).toMatchObject({ reason: { code: 'store_failed', cause: { code: '54000' } } })
  })

  it('lets two stores save the same sessions against each other without waiting in a circle', async () => {
    const [one, other] = [postgresStore({ query }), postgresStore({ query })]
    const ids = Array.from({ length: 50 }, (_, index) => `contended ${index}`)
    await Promise.all(ids.map((id) => one.save(storedSession(id), 'shared')))
    const rounds = Array.from({ length: 5 }).flatMap(() => [
      ...ids.map((id) => one.save(storedSession(id), 'shared')),
      ...[...ids].reverse().map((id) => other.save(storedSession(id), 'shared')),
    ])
    const failed = (await Promise.allSettled(rounds)).filter(
      (save) => save.status === 'rejected' && save.reason.code !== 'superseded',
    )
    expect(failed).toEqual([])
  })
}
