import { peek } from '../call/tool-failure.js'
import { SessionError } from './session-error.js'

/** Statements of a store. They compare and return text, so that the type parsers of drivers do not matter. */
interface Statements {
  /**
   * Values: session, user. Rows: `kind` is `session` or `other_user` (one row), or `entry` (a row of its own). All rows are
   * of one snapshot.
   */
  readonly read: string
  /** Values: session, user, owner, lock timeout in milliseconds. Returns the row of the session as `read` does. */
  readonly claim: string
  /**
   * Values: rows of sessions as one JSON array, lock timeout in milliseconds. Returns the ids of the sessions that were saved.
   */
  readonly save: string
  /**
   * The same with two more values: rows of entries to write, and keys of rows of entries to delete, each as one JSON array.
   * Entries of sessions that were not saved stay as they are.
   */
  readonly saveWithEntries: string
  /** Values: session, user, lock timeout in milliseconds. Returns `same` when the row was deleted, else `other`. */
  readonly delete: string
}

/** @throws {TypeError} for a table name that is none. */
export function statements(table: string): Statements {
  const { sessions, entries } = tableNames(table)
  const state = `
    case when namespaces = tool_results->'namespaces' then 'yes' else 'no' end as has_same_namespaces,
    tool_results::text as tool_results, last_updated::text as saved_at`
  // Counts until the end of this statement's own transaction, so that other users of the connection never have it. A limit
  // that the application has set is kept. The condition is always true, and evaluated once.
  const isLimited = (value: string): string =>
    `(select coalesce(case current_setting('lock_timeout') when '0' then set_config('lock_timeout', ${value}, true) end, '') <> '0')`
  // In the order of the ids, so that two processes never wait for each other in a circle.
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
    // Another user's state does not even leave the database.
    read: `
      with found as (select * from ${sessions} where session_id = $1)
      select 'session' as kind, ${state}, '' as sequence from found where user_id = $2
      union all
      select 'other_user', 'no', '', '', '' from found where user_id <> $2
      union all
      select 'entry', '', stored.entry::text, '', stored.sequence::text
      from found join ${entries} stored using (session_id) where found.user_id = $2`,

    // The revisions of an owner count from anywhere: another process has another clock. Rows that no save lists can remain of
    // a statement that was given up.
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

/** The names of a store's tables, quoted as SQL wants them. */
export interface TableNames {
  /** The table of the sessions. */
  readonly sessions: string
  /** The table of the entries that have a row of their own, in the same schema. */
  readonly entries: string
  /** The table that says which migrations have been made, in the same schema. */
  readonly migrations: string
  /** The name of the table of the sessions as a SQL text. */
  readonly literal: string
}

const ENTRIES = '_entries'

const NAME = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,62})$/

/** @throws {TypeError} for a name that would not go into a statement as it is. */
export function tableNames(table: string): TableNames {
  const [, schema, name] = NAME.exec(table) ?? []
  if (name === undefined) {
    throw new TypeError(
      `A table is named 'table' or 'schema.table', in lower-case letters, digits and underscores; not ${JSON.stringify(table)}.`,
    )
  }
  const inSchema = (name: string): string => (schema === undefined ? `"${name}"` : `"${schema}"."${name}"`)
  // PostgreSQL cuts names at 63 bytes.
  const entries = `${name.slice(0, 63 - ENTRIES.length)}${ENTRIES}`
  return {
    sessions: inSchema(name),
    entries: inSchema(entries),
    migrations: inSchema('session_migrations'),
    literal: `'${name}'`,
  }
}

/** Settings of {@link migrate}. */
export interface MigrateOptions {
  /** Default `session_tool_state`; a schema that is named too (`app.session_tool_state`) has to exist. */
  readonly table?: string
}

/** The table that a store uses where it is not told another. */
export const DEFAULT_TABLE = 'session_tool_state'

/** Of all migrations by this runtime: an advisory lock's key, any number that nobody else would take. */
const LOCK = 7_482_915_603_318

/** The statements that lead from each version of the schema to the next: the first one makes version 1. */
const MIGRATIONS: readonly ((tables: TableNames) => string)[] = [
  ({ sessions }) => `
    create table ${sessions} (
      session_id text primary key,
      user_id text not null,
      namespaces jsonb not null,
      tool_results jsonb not null,
      owner text not null,
      revision bigint not null,
      last_updated timestamptz not null default now(),
      created_at timestamptz not null default now()
    );`,
  ({ sessions, entries }) => `
    create table ${entries} (
      session_id text not null references ${sessions} (session_id) on delete cascade,
      sequence bigint not null,
      entry jsonb not null,
      primary key (session_id, sequence)
    );`,
]

/**
 * Makes the tables of a store, or brings them up to date: once, however often and by however many processes at once it is
 * called. A store does so itself when it is first used; call it where only somebody else may change the schema.
 *
 * @throws {SessionError} `newer_state` where a newer version of the runtime has changed the tables.
 * @example
 * await migrate((text, values) => pool.query(text, values))
 */
export async function migrate(query: Query, { table = DEFAULT_TABLE }: MigrateOptions = {}): Promise<void> {
  await migrateTables(query, tableNames(table), MIGRATIONS)
}

/**
 * Applies the migrations that tables lack, in order.
 *
 * @throws {SessionError} `newer_state` where the tables have more migrations than are known.
 */
export async function migrateTables(
  query: Query,
  tables: TableNames,
  migrations: readonly ((tables: TableNames) => string)[],
): Promise<void> {
  await query(migration(tables, migrations), [])
  const version = await versionOf(query, tables)
  if (version > migrations.length) {
    throw new SessionError(
      'newer_state',
      `The table ${tables.sessions} has the version ${version}, and this runtime knows version ${migrations.length}: use the runtime that migrated it, or a newer one.`,
    )
  }
}

/**
 * All in one statement, hence in one transaction, which a pool's `query` alone could not promise. The lock is given back
 * at its end; who waited for it finds everything done.
 */
function migration(tables: TableNames, known: readonly ((tables: TableNames) => string)[]): string {
  const { migrations, literal } = tables
  const steps = known.map(
    (step, index) => `
  if applied < ${index + 1} then
    ${step(tables)}
    insert into ${migrations} (table_name, version) values (${literal}, ${index + 1});
  end if;`,
  )
  return `do $migration$
declare applied integer;
begin
  perform pg_advisory_xact_lock(${LOCK});
  if to_regclass('${migrations}') is null then
    create table ${migrations} (
      table_name text not null,
      version integer not null,
      applied_at timestamptz not null default now(),
      primary key (table_name, version)
    );
  end if;
  select coalesce(max(version), 0) into applied from ${migrations} where table_name = ${literal};${steps.join('')}
end
$migration$`
}

async function versionOf(query: Query, { migrations, literal }: TableNames): Promise<number> {
  const { rows } = await query(`select max(version) as version from ${migrations} where table_name = ${literal}`, [])
  return Math.max(0, ...rows.map((row) => Number(peek(row, 'version'))))
}

/**
 * Runs one statement with its values (`$1`, `$2`, ...) and resolves when it is committed, or rejects: what a `Pool` or a
 * `Client` of pg and a PGlite database offer. The store needs no transaction over several statements, so each may run on
 * another connection of a pool.
 *
 * @example
 * const query: Query = (text, values) => pool.query(text, values)
 */
export type Query = (text: string, values: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>
