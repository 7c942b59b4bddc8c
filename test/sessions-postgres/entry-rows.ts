import { readFileSync } from 'node:fs'
import { beforeEach, expect, it } from 'vitest'
import { peek } from '../../packages/runtime/src/call/tool-failure.js'
import { postgresStore, type Query } from '../../packages/runtime/src/postgres.js'
import type { Database } from './databases.js'
import { completed, completedEntry, storedSession, updateEntry } from './stored-session.fixture.js'

const SECRET = 'hunter2'
const who = { userId: 'u-7', owner: 'second', takeOver: true }

const long = (sequence: number) => completedEntry(sequence, completed(JSON.stringify(SECRET.repeat(1_000) + sequence)))

/** A session with two results in separate rows, and two entries in the row of the session. */
const session = (sessionId: string) =>
  storedSession(sessionId, {
    entries: [updateEntry(1, '"short"'), long(2), completedEntry(3, completed('"short"')), long(4)],
    nextSequence: 5,
  })

const damages: readonly (readonly [place: string, statement: string])[] = [
  ['entries/2 (missing)', 'delete from session_tool_state_entries where sequence = 2'],
  [
    'entries/2 (other_sequence)',
    `update session_tool_state_entries set entry = jsonb_set(entry, '{metadata,sequence}', '4')`,
  ],
  ['entries/2', `update session_tool_state_entries set entry = '"${SECRET}"'`],
  [
    'entries/2/result/Ok/json (invalid_json)',
    `update session_tool_state_entries set entry = jsonb_set(entry, '{result,Ok,json}', '"{${SECRET}"')`,
  ],
  [
    'entries/4/metadata/sequence (not_unique)',
    `update session_tool_state set tool_results = jsonb_set(tool_results, '{next_sequence}', '4')`,
  ],
  [
    'entry_sequences',
    `update session_tool_state set tool_results = jsonb_set(tool_results, '{entry_sequences}', '"${SECRET}"')`,
  ],
]

/** Declares tests of entries in separate rows. */
export function describeEntryRows({ query }: Database): void {
  const store = postgresStore({ query })
  const rowsOf = async (sessionId: string): Promise<readonly number[]> => {
    const { rows } = await query(
      'select sequence::text from session_tool_state_entries where session_id = $1 order by 1',
      [sessionId],
    )
    return rows.map((row) => Number(peek(row, 'sequence')))
  }

  beforeEach(() => query('delete from session_tool_state', []))

  it('are those that a session has no room for in its own row, and come back in order', async () => {
    await store.save(session('s-1'), 'first')
    expect(await rowsOf('s-1')).toEqual([2, 4])
    const { rows } = await query('select tool_results::text as text from session_tool_state', [])
    expect(JSON.parse(String(peek(rows[0], 'text')))).toMatchObject({ version: 2, entry_sequences: [2, 4] })
    expect(await postgresStore({ query }).claim('s-1', who)).toEqual(session('s-1'))
  })

  it('are read together with those of the session by the query of the documentation', async () => {
    const [, documented = ''] =
      /^```sql\n(select calls[^;]*)/m.exec(readFileSync('docs/session-stores.md', 'utf8')) ?? []
    await store.save(session('s-1'), 'first')
    const { rows } = await query(documented, ['s-1'])
    const calls = rows.map((row) => peek(peek(peek(row, 'completed_call'), 'metadata'), 'sequence'))
    expect(calls.sort()).toEqual([2, 3, 4])
  })

  it('are none in a session with few short entries, which is stored as earlier versions do', async () => {
    await store.save(storedSession('s-1'), 'first')
    const { rows } = await query('select tool_results::text as text from session_tool_state', [])
    const document = JSON.parse(String(peek(rows[0], 'text')))
    expect([document.version, document.entry_sequences]).toEqual([1, undefined])
    expect(document.completed_calls).toHaveLength(1)
  })

  it('are many where a session has many short entries', async () => {
    const entries = Array.from({ length: 500 }, (_, index) => updateEntry(index + 1, `"update ${index}"`))
    const many = storedSession('s-1', { entries, nextSequence: 501 })
    await store.save(many, 'first')
    expect((await rowsOf('s-1')).length).toBeGreaterThan(450)
    expect(await store.claim('s-1', who)).toEqual(many)
  })

  it('are deleted with their session', async () => {
    await store.save(session('s-1'), 'first')
    await store.delete('s-1', who)
    expect(await rowsOf('s-1')).toEqual([])
    await store.save({ ...session('s-1'), entries: [long(2)], nextSequence: 3 }, 'other')
    expect((await store.claim('s-1', who))?.entries).toEqual([long(2)])
  })

  it('of a version 1 table are made from the sessions in it, of which nothing is lost', async () => {
    await query('drop table if exists old_shape_log, old_shape_entries, old_shape, old_shape_owners', [])
    await query(`delete from session_migrations where table_name = 'old_shape'`, [])
    await query(
      `create table old_shape (session_id text primary key, user_id text not null, namespaces jsonb not null,
       tool_results jsonb not null, owner text not null, revision bigint not null,
       last_updated timestamptz not null default now(), created_at timestamptz not null default now())`,
      [],
    )
    await query(`insert into session_migrations (table_name, version) values ('old_shape', 1)`, [])
    await postgresStore({ query }).save(session('s-1'), 'first')
    await query(
      `insert into old_shape select session_id, user_id, namespaces, (tool_results - 'entry_sequences') || jsonb_build_object(
         'version', 1, 'completed_calls', tool_results->'completed_calls' ||
           (select jsonb_agg(entry) from session_tool_state_entries)), owner, revision from session_tool_state`,
      [],
    )
    const old = postgresStore({ query, table: 'old_shape' })
    const claimed = await old.claim('s-1', who)
    expect(claimed).toEqual(session('s-1'))
    await old.save(session('s-1'), 'second', { isStored: true })
    expect((await query('select sequence::text from old_shape_entries order by 1', [])).rows).toEqual([
      { sequence: '2' },
      { sequence: '4' },
    ])
    expect(await old.claim('s-1', who)).toEqual(session('s-1'))
    await query('drop table old_shape_log, old_shape_entries, old_shape, old_shape_owners', [])
  })

  it('are not changed by a save that reaches the database after its successor', async () => {
    const held: { readonly text: string; readonly values: unknown[] }[] = []
    const losing: Query = async (text, values) => {
      if (!text.includes('on conflict (session_id)')) return query(text, values)
      held.push({ text, values })
      if (held.length === 1) throw new Error('The connection was lost.')
      return query(text, values)
    }
    const slow = postgresStore({ query: losing })
    await expect(slow.save(session('late'), 'first')).rejects.toMatchObject({ code: 'store_failed' })
    await slow.save({ ...session('late'), entries: [long(4)] }, 'first')
    const [lost] = held
    await query(lost?.text ?? '', lost?.values ?? [])
    expect(await rowsOf('late')).toEqual([4])
    expect((await store.claim('late', who))?.entries).toEqual([long(4)])
  })

  it('belong to whoever claimed the session last, also when its owner saves it between read and claim', async () => {
    await store.save(session('raced'), 'first')
    const racing = postgresStore({
      query: async (text, values) => {
        if (text.includes('set owner'))
          await store.save({ ...session('raced'), entries: [long(4), long(6)], nextSequence: 7 }, 'first')
        return query(text, values)
      },
    })
    const claimed = await racing.claim('raced', who)
    expect(claimed?.entries).toEqual([long(4), long(6)])
    await racing.save({ ...session('raced'), entries: [], nextSequence: 7 }, 'second')
    expect(await rowsOf('raced')).toEqual([])
    await expect(store.save(session('raced'), 'first')).rejects.toMatchObject({ code: 'superseded' })
    expect(await rowsOf('raced')).toEqual([])
  })

  it('that no save lists are deleted by the next claim', async () => {
    await store.save(session('s-1'), 'first')
    await query(
      `insert into session_tool_state_entries select session_id, 9, entry from session_tool_state_entries limit 1`,
      [],
    )
    expect(await store.claim('s-1', who)).toEqual(session('s-1'))
    expect(await rowsOf('s-1')).toEqual([2, 4])
  })

  it.each(damages)('that are damaged at %s are named by their place, without their content', async (place, damage) => {
    await store.save(session('s-1'), 'first')
    await query(damage, [])
    const error = await store.claim('s-1', who).catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'SessionError', code: 'corrupt_state' })
    expect(String(error)).toContain(place)
    expect(String(error)).not.toContain(SECRET)
  })
}
