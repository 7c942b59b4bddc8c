/** SQL statements of a store. The statements accept and return only strings, because drivers convert other types in different ways. */
interface Statements {
  /** Values: session id, user id. Returns a row of the `kind` `session` or `other_user`, and a row of the kind `entry` for each entry. */
  readonly read: string
  /** Values: session id, user id, new owner, lock timeout in milliseconds. Returns the row of the session in the same form as `read`. */
  readonly claim: string
  /** Saves several sessions. Values: JSON array of session rows, lock timeout in milliseconds. Returns the ids of the saved sessions. */
  readonly save: string
  /** Same as `save`, with two more values: JSON arrays of entry rows to write, and of keys of entry rows to delete. */
  readonly saveWithEntries: string
  /** Values: session id, user id, lock timeout in milliseconds. Returns `same` if the row was deleted, `other` if another user has it. */
  readonly delete: string
}

/** @throws {TypeError} if the table name is invalid */
export function statements(table: string): Statements {
  const { main: sessions, entries } = tableNames(table)
  const state = `
    case when namespaces = tool_results->'namespaces' then 'yes' else 'no' end as has_same_namespaces,
    tool_results::text as tool_results, last_updated::text as saved_at`
  // Sets the lock timeout as a side effect; the condition is always true and evaluated once. The timeout applies only
  // to this transaction, so other users of the connection are not affected. A timeout that the application has set is
  // kept.
  const isLimited = (value: string): string =>
    `(select coalesce(case current_setting('lock_timeout') when '0' then set_config('lock_timeout', ${value}, true) end, '') <> '0')`
  // Ordered by id, so that two processes cannot deadlock.
  const saved = `
      insert into ${sessions} as stored (session_id, user_id, namespaces, tool_results, owner, revision)
      select session_id, user_id, namespaces, tool_results, owner, revision
      from jsonb_to_recordset($1::text::jsonb) as given
        (session_id text, user_id text, namespaces jsonb, tool_results jsonb, owner text, revision bigint,
         is_stored boolean)
      where ${isLimited('$2')}
        and (not is_stored or exists (select from ${sessions} there where there.session_id = given.session_id))
      order by session_id
      on conflict (session_id) do update set
        namespaces = excluded.namespaces, tool_results = excluded.tool_results,
        revision = excluded.revision, last_updated = now()
      where stored.owner = excluded.owner and stored.user_id = excluded.user_id and stored.revision < excluded.revision
      returning stored.session_id`
  return {
    // The state of another user's session is never returned.
    read: `
      with found as (select * from ${sessions} where session_id = $1)
      select 'session' as kind, ${state}, '' as sequence from found where user_id = $2
      union all
      select 'other_user', 'no', '', '', '' from found where user_id <> $2
      union all
      select 'entry', '', stored.entry::text, '', stored.sequence::text
      from found join ${entries} stored using (session_id) where found.user_id = $2`,

    // The revision restarts for each owner, because clocks differ. Deletes entry rows of incomplete saves.
    claim: `
      with claimed as (
        update ${sessions} set owner = $3, revision = 0 where session_id = $1 and user_id = $2 and ${isLimited('$4')}
        returning session_id, namespaces, tool_results, last_updated
      ), unlisted as (
        delete from ${entries} as stored using claimed
        where stored.session_id = claimed.session_id and not exists (
          select from jsonb_array_elements_text(claimed.tool_results->'entry_sequences') as listed (sequence)
          where listed.sequence::bigint = stored.sequence
        )
      )
      select 'session' as kind, ${state} from claimed`,

    save: saved,

    saveWithEntries: `
      with saved as (${saved}
      ), added as (
        insert into ${entries} (session_id, sequence, entry)
        select session_id, sequence, entry
        from saved join jsonb_to_recordset($3::text::jsonb) as given (session_id text, sequence bigint, entry jsonb)
          using (session_id)
        on conflict (session_id, sequence) do update set entry = excluded.entry
      ), removed as (
        delete from ${entries} as stored
        using saved join jsonb_to_recordset($4::text::jsonb) as given (session_id text, sequence bigint)
          using (session_id)
        where stored.session_id = saved.session_id and stored.sequence = given.sequence
      )
      select session_id from saved`,

    delete: `
      with deleted as (
        delete from ${sessions} where session_id = $1 and user_id = $2 and ${isLimited('$3')} returning 'same' as "user"
      )
      select "user" from deleted
      union all
      select 'other' from ${sessions} where session_id = $1 and user_id <> $2`,
  }
}

export interface TableNames {
  readonly main: string
  readonly entries: string
  readonly migrations: string
  /** Name of the main table as an SQL string literal. */
  readonly literal: string
}

const ENTRIES = '_entries'

const NAME = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,62})$/

/** @throws {TypeError} if the name contains characters that must be quoted in SQL */
export function tableNames(table: string): TableNames {
  const [, schema, name] = NAME.exec(table) ?? []
  if (name === undefined) {
    throw new TypeError(
      `Invalid table name ${JSON.stringify(table)}. Expected 'table' or 'schema.table' with lower-case letters, digits and underscores.`,
    )
  }
  const inSchema = (name: string): string => (schema === undefined ? `"${name}"` : `"${schema}"."${name}"`)
  return {
    main: inSchema(name),
    // PostgreSQL truncates names to 63 bytes.
    entries: inSchema(`${name.slice(0, 63 - ENTRIES.length)}${ENTRIES}`),
    migrations: inSchema('session_migrations'),
    literal: `'${name}'`,
  }
}
