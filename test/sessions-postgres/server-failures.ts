import type pg from 'pg'
import { expect, it } from 'vitest'
import { postgresStore } from '../../packages/runtime/src/session-postgres.js'
import { storedSession } from './stored-session.fixture.js'

const IDS = ['lost 1', 'lost 2', 'lost 3']

/** What becomes of saves whose connection is lost in the middle. */
export function describeServerFailures(pool: pg.Pool): void {
  const store = postgresStore({ query: (text, values) => pool.query(text, values) })
  const claimed = (id: string) => store.claim(id, { userId: 'u-7', owner: 'next' })

  it('fails for every save of the statement whose connection is lost, and none of them is stored', async () => {
    await store.claim('warm up', { userId: 'u-7', owner: 'first' })
    const holder = await pool.connect()
    await holder.query('begin; lock table session_tool_state in exclusive mode')
    const saves = Promise.allSettled(IDS.map((id) => store.save(storedSession(id), 'first')))
    const cutOff = (): Promise<pg.QueryResult> =>
      holder.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where pg_backend_pid() = any(pg_blocking_pids(pid))',
      )
    await expect.poll(async () => (await cutOff()).rowCount).toBe(1)
    const failure = { status: 'rejected', reason: { code: 'store_failed', cause: { code: '57P01' } } }
    expect(await saves).toMatchObject(IDS.map(() => failure))
    await holder.query('rollback')
    holder.release()
    expect(await Promise.all(IDS.map(claimed))).toEqual(IDS.map(() => undefined))
    await Promise.all(IDS.map((id) => store.save(storedSession(id), 'first')))
    expect(await Promise.all(IDS.map(claimed))).toEqual(IDS.map((id) => storedSession(id)))
  })
}
