import type pg from 'pg'
import { expect, it } from 'vitest'
import { postgresStore } from '../../packages/runtime/src/postgres.js'
import { storedSession } from './stored-session.fixture.js'

const IDS = ['lost 1', 'lost 2', 'lost 3']

/** Declares tests of saves whose connection is lost during the save. */
export function describeServerFailures(pool: pg.Pool): void {
  const store = postgresStore({ query: (text, values) => pool.query(text, values) })
  const claimed = (id: string) => store.claim(id, { userId: 'u-7', owner: 'next', takeOver: true })

  it('defect 4a: stores 50 of 51 sessions while the row of the other one is locked', async () => {
    const locked = 'locked by another transaction'
    const ids = [locked, ...Array.from({ length: 50 }, (_, index) => `free ${index}`)]
    await Promise.all(ids.map((id) => store.save(storedSession(id, { entries: [] }), 'first')))
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query('select from session_tool_state where session_id = $1 for update', [locked])
    try {
      for (const _round of [1, 2]) {
        const saves = await Promise.allSettled(ids.map((id) => store.save(storedSession(id), 'first')))
        expect(saves.slice(1).filter(({ status }) => status === 'rejected')).toEqual([])
        expect(saves[0]).toMatchObject({
          status: 'rejected',
          reason: { code: 'store_failed', cause: { code: '55P03' } },
        })
      }
      await expect(store.claim(locked, { userId: 'u-7', owner: 'next', takeOver: true })).rejects.toMatchObject({
        cause: { code: '55P03' },
      })
      await expect(store.delete(locked, { userId: 'u-7' })).rejects.toMatchObject({ cause: { code: '55P03' } })
    } finally {
      await holder.query('rollback')
      holder.release()
    }
    await store.save(storedSession(locked), 'first')
    expect(await Promise.all(ids.map(claimed))).toEqual(ids.map((id) => storedSession(id)))
  })

  it('fails for every save of the statement whose connection is lost, and none of them is stored', async () => {
    await store.claim('warm up', { userId: 'u-7', owner: 'first', takeOver: true })
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
