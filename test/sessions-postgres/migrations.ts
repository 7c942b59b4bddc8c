import { expect, it } from 'vitest'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { migrate, postgresStore } from '../../packages/runtime/src/postgres.js'
import type { Database } from './databases.js'
import { storedSession } from './stored-session.fixture.js'

/** Declares tests of the creation and migration of the tables. */
export function describeMigrations({ query }: Database): void {
  const versions = async (table: string) =>
    (await query('select version, applied_at from session_migrations where table_name = $1', [table])).rows

  it('makes the tables once, however many processes begin at the same time', async () => {
    await Promise.all(Array.from({ length: 8 }, () => migrate(query, { table: 'raced' })))
    expect(await versions('raced')).toEqual([
      { version: 1, applied_at: expect.any(Date) },
      { version: 2, applied_at: expect.any(Date) },
      { version: 3, applied_at: expect.any(Date) },
      { version: 4, applied_at: expect.any(Date) },
    ])
  })

  it('leaves tables that are up to date as they are', async () => {
    await postgresStore({ query }).save(storedSession('kept'), 'first')
    const before = await versions('session_tool_state')
    await migrate(query)
    expect(await versions('session_tool_state')).toEqual(before)
    expect(await postgresStore({ query }).claim('kept', { userId: 'u-7', owner: 'second', takeOver: true })).toEqual(
      storedSession('kept'),
    )
  })

  it('makes the columns that the documentation names', async () => {
    const { rows } = await query(
      `select column_name, data_type from information_schema.columns
       where table_name = 'session_tool_state' and table_schema = current_schema() order by ordinal_position`,
      [],
    )
    expect(rows).toEqual([
      { column_name: 'session_id', data_type: 'text' },
      { column_name: 'user_id', data_type: 'text' },
      { column_name: 'namespaces', data_type: 'jsonb' },
      { column_name: 'tool_results', data_type: 'jsonb' },
      { column_name: 'owner', data_type: 'text' },
      { column_name: 'revision', data_type: 'bigint' },
      { column_name: 'last_updated', data_type: 'timestamp with time zone' },
      { column_name: 'created_at', data_type: 'timestamp with time zone' },
      { column_name: 'process_id', data_type: 'text' },
    ])
  })

  it('makes the columns of the table of leases that the documentation names', async () => {
    const { rows } = await query(
      `select column_name, data_type from information_schema.columns
       where table_name = 'session_tool_state_owners' and table_schema = current_schema() order by ordinal_position`,
      [],
    )
    expect(rows).toEqual([
      { column_name: 'process_id', data_type: 'text' },
      { column_name: 'address', data_type: 'text' },
      { column_name: 'expires_at', data_type: 'timestamp with time zone' },
    ])
  })

  it('makes the columns of the table of entries that the documentation names', async () => {
    const { rows } = await query(
      `select column_name, data_type from information_schema.columns
       where table_name = 'session_tool_state_entries' and table_schema = current_schema() order by ordinal_position`,
      [],
    )
    expect(rows).toEqual([
      { column_name: 'session_id', data_type: 'text' },
      { column_name: 'sequence', data_type: 'bigint' },
      { column_name: 'entry', data_type: 'jsonb' },
    ])
  })

  it('makes the columns of the table for subscribers that the documentation names', async () => {
    const { rows } = await query(
      `select column_name, data_type from information_schema.columns
       where table_name = 'session_tool_state_log' and table_schema = current_schema() order by ordinal_position`,
      [],
    )
    expect(rows).toEqual([
      { column_name: 'session_id', data_type: 'text' },
      { column_name: 'sequence', data_type: 'bigint' },
      { column_name: 'entry', data_type: 'jsonb' },
      { column_name: 'logged_at', data_type: 'timestamp with time zone' },
    ])
  })

  it('keeps several tables apart, also in a schema that is named', async () => {
    const schema = `${peek((await query('select current_schema() as name', [])).rows[0], 'name')}_other`
    await query(`create schema ${schema}`, [])
    const table = `${schema}.sessions`
    const store = postgresStore({ query, table })
    await store.save(storedSession('s-1'), 'first')
    expect(
      await postgresStore({ query }).claim('s-1', { userId: 'u-7', owner: 'second', takeOver: true }),
    ).toBeUndefined()
    const { rows } = await query(`select table_name, version from ${schema}.session_migrations`, [])
    expect(rows).toEqual([
      { table_name: 'sessions', version: 1 },
      { table_name: 'sessions', version: 2 },
      { table_name: 'sessions', version: 3 },
      { table_name: 'sessions', version: 4 },
    ])
    await query(`drop schema ${schema} cascade`, [])
  })

  it('refuses tables that a newer version has changed', async () => {
    await migrate(query, { table: 'newer' })
    await query(`insert into session_migrations (table_name, version) values ('newer', 7)`, [])
    const refused = { name: 'SessionError', code: 'newer_state', message: expect.stringContaining('version 7') }
    await expect(migrate(query, { table: 'newer' })).rejects.toMatchObject(refused)
    await expect(postgresStore({ query, table: 'newer' }).save(storedSession('s-1'), 'first')).rejects.toMatchObject(
      refused,
    )
  })

  it('changes nothing where a step fails', async () => {
    await query('create table half_made (id int)', [])
    await expect(migrate(query, { table: 'half_made' })).rejects.toMatchObject({ code: '42P07' })
    expect(await versions('half_made')).toEqual([])
    await query('drop table half_made', [])
    await migrate(query, { table: 'half_made' })
  })
}
