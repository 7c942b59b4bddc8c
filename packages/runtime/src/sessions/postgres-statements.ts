import { peek } from '../call/tool-failure.js'
import type { ResumeClaims } from '../types/outcome.js'
import { storableText } from './postgres-document.js'
import { SessionError } from './stores.js'

/** Statements of a store. They compare and return text, so that the type parsers of drivers do not matter. */
interface Statements {
  /** Values: session, user. Rows of one snapshot: one of `kind` `session` or `other_user`, and one per `entry`. */
  readonly read: string
  /** Values: session, user, owner, lock timeout in milliseconds. Returns the row of the session as `read` does. */
  readonly claim: string
  /** Values: JSON array of rows of sessions, lock timeout in milliseconds. Returns the ids of the saved sessions. */
  readonly save: string
  /** Additional values: JSON arrays of rows of entries to write, and of their keys to delete, for sessions that are saved. */
  readonly saveWithEntries: string
  /** Values: session, user, lock timeout in milliseconds. Returns `same` if the row was deleted, else `other`. */
  readonly delete: string
}

/** @throws {TypeError} for an invalid table name */
export function statements(table: string): Statements {
  const { main: sessions, entries } = tableNames(table)
  const state = `
    case when namespaces = tool_results->'namespaces' then 'yes' else 'no' end as has_same_namespaces,
    tool_results::text as tool_results, last_updated::text as saved_at`
  // Always true, and evaluated once. Holds until the end of the statement's own transaction, so that other users of the
  // connection are not affected. A limit that the application has set is kept.
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
    // Another user's state never leaves the database.
    read: `
      with found as (select * from ${sessions} where session_id = $1)
      select 'session' as kind, ${state}, '' as sequence from found where user_id = $2
      union all
      select 'other_user', 'no', '', '', '' from found where user_id <> $2
      union all
      select 'entry', '', stored.entry::text, '', stored.sequence::text
      from found join ${entries} stored using (session_id) where found.user_id = $2`,

    // Revisions start anew for each owner, whose process has its own clock. A statement that was given up can leave rows that
    // no save lists.
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

/** Quoted names of the tables of a store, all in one schema. */
interface TableNames {
  /** Table of the sessions, or of the claims. */
  readonly main: string
  /** Table of the entries with rows of their own. */
  readonly entries: string
  /** Table of the applied migrations. */
  readonly migrations: string
  /** Name of the main table as an SQL string. */
  readonly literal: string
}

const ENTRIES = '_entries'

const NAME = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,62})$/

/** @throws {TypeError} for a name that cannot be used in a statement as it is */
function tableNames(table: string): TableNames {
  const [, schema, name] = NAME.exec(table) ?? []
  if (name === undefined) {
    throw new TypeError(
      `A table is named 'table' or 'schema.table', in lower-case letters, digits and underscores; not ${JSON.stringify(table)}.`,
    )
  }
  const inSchema = (name: string): string => (schema === undefined ? `"${name}"` : `"${schema}"."${name}"`)
  return {
    main: inSchema(name),
    // PostgreSQL cuts names at 63 bytes.
    entries: inSchema(`${name.slice(0, 63 - ENTRIES.length)}${ENTRIES}`),
    migrations: inSchema('session_migrations'),
    literal: `'${name}'`,
  }
}

/** Options of {@link migrate}. */
interface MigrateOptions {
  /** Default `session_tool_state`; may name a schema (`app.session_tool_state`), which must exist. */
  readonly table?: string
}

export const DEFAULT_TABLE = 'session_tool_state'

/** Key of the advisory lock of all migrations: an arbitrary number that nobody else uses. */
const LOCK = 7_482_915_603_318

/** Returns the statements of a migration; the first migration creates version 1. */
type Migration = (tables: TableNames) => string

export const sessionMigrations: readonly Migration[] = [
  ({ main }) => `
    create table ${main} (
      session_id text primary key,
      user_id text not null,
      namespaces jsonb not null,
      tool_results jsonb not null,
      owner text not null,
      revision bigint not null,
      last_updated timestamptz not null default now(),
      created_at timestamptz not null default now()
    );`,
  ({ main, entries }) => `
    create table ${entries} (
      session_id text not null references ${main} (session_id) on delete cascade,
      sequence bigint not null,
      entry jsonb not null,
      primary key (session_id, sequence)
    );`,
]

/**
 * Creates the tables of a store, or updates them; several processes may do so at once. A store calls this when it is first
 * used. Call it yourself where only another role may change the schema.
 *
 * @throws {SessionError} `newer_state` if a newer version of the runtime has changed the tables
 * @example
 * await migrate((text, values) => pool.query(text, values))
 */
export async function migrate(query: Query, { table = DEFAULT_TABLE }: MigrateOptions = {}): Promise<void> {
  await applyMigrations(query, tableNames(table), sessionMigrations)
}

/** Returns a function that applies the migrations of a table at its first call, and again after a failure. */
export function migrateOnce(query: Query, table: string, migrations: readonly Migration[]): () => Promise<void> {
  const tables = tableNames(table)
  let migrated: Promise<void> | undefined
  return () => {
    migrated ??= applyMigrations(query, tables, migrations).catch((error) => {
      migrated = undefined
      throw error
    })
    return migrated
  }
}

async function applyMigrations(query: Query, tables: TableNames, migrations: readonly Migration[]): Promise<void> {
  await query(migrationScript(tables, migrations), [])
  const { rows } = await query(
    `select max(version) as version from ${tables.migrations} where table_name = ${tables.literal}`,
    [],
  )
  const version = Math.max(0, ...rows.map((row) => Number(peek(row, 'version'))))
  if (version > migrations.length) {
    throw new SessionError(
      'newer_state',
      `The table ${tables.main} has the version ${version}, and this runtime knows version ${migrations.length}: use the runtime that migrated it, or a newer one.`,
    )
  }
}

/**
 * One statement, hence one transaction, which the `query` of a pool alone cannot guarantee. The lock ends with it; a process
 * that has waited for the lock finds everything done.
 */
function migrationScript(tables: TableNames, known: readonly Migration[]): string {
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

/**
 * Runs one statement with its values (`$1`, `$2`, ...) and resolves when it is committed: for example the `query` of a `Pool`
 * or `Client` of pg, or of a PGlite database. There are no transactions over several statements, so each may run on another
 * connection of a pool.
 *
 * @example
 * const query: Query = (text, values) => pool.query(text, values)
 */
export type Query = (text: string, values: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>

/** Options of {@link postgresClaims}. */
interface PostgresClaimsOptions {
  /** Default `suspension_claims`; may name a schema (`app.suspension_claims`), which must exist. */
  readonly table?: string
  /**
   * Age, in milliseconds, from which a suspension is refused as `expired`, so that its claim can be deleted. Measured by the
   * clock of the database. Default 90 days; `Infinity`: suspensions never expire.
   */
  readonly maxAgeMs?: number
}

/** Claims of suspensions in PostgreSQL. */
export interface PostgresClaims extends ResumeClaims {
  /** Creates the table, or updates it. The first claim does so too; call it where only another role may change the schema. */
  migrate(): Promise<void>
  /**
   * Deletes the claims of expired suspensions. Call it regularly, for example once a day. No suspension can be resumed twice
   * because of that.
   *
   * @returns number of deleted claims
   */
  cleanUp(): Promise<number>
}

const DEFAULT_MAX_AGE_MS = 90 * 24 * 60 * 60 * 1_000

/**
 * Stores claims of suspensions in PostgreSQL 12 or newer. If several processes that use the same table resume a suspension
 * at the same time, one succeeds. A claim is one row, inserted by one statement.
 *
 * @throws {TypeError} for an invalid table name. @throws {RangeError} for a `maxAgeMs` that is not above 0.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * const runtime = new Runtime({ claims: postgresClaims((text, values) => pool.query(text, values)) })
 */
export function postgresClaims(
  query: Query,
  { table = 'suspension_claims', maxAgeMs = DEFAULT_MAX_AGE_MS }: PostgresClaimsOptions = {},
): PostgresClaims {
  if (!(maxAgeMs > 0)) throw new RangeError(`postgresClaims: maxAgeMs is ${maxAgeMs}; give milliseconds above 0`)
  const { main: claims } = tableNames(table)
  const ready = migrateOnce(query, table, [
    () => `
    create table ${claims} (
      suspension_id text primary key,
      suspended_at timestamptz not null,
      claimed_at timestamptz not null default now()
    );
    create index on ${claims} (suspended_at);`,
  ])
  // Text, as all values are, so that the types of drivers do not matter.
  const maxAge = Number.isFinite(maxAgeMs) ? `${maxAgeMs} milliseconds` : 'infinity'
  // Values: suspension, time, maximum age. An insert that meets the row of another process waits until that is committed.
  const claimStatement = `
      with given as (
        select case when $2::text = 'infinity' then 'infinity' else to_timestamp($2::text::double precision / 1000) end
          as suspended_at
      ), age as (
        select suspended_at,
          $3::text = 'infinity' or suspended_at > now() - nullif($3::text, 'infinity')::interval as is_valid
        from given
      ), claimed as (
        insert into ${claims} (suspension_id, suspended_at)
        select $1::text, suspended_at from age where is_valid
        on conflict (suspension_id) do nothing
        returning suspension_id
      )
      select case
        when exists (select from claimed) then 'claimed'
        when (select is_valid from age) then 'resumed'
        else 'expired'
      end as state`
  return {
    claim: async (suspensionId, { suspendedAt } = {}) => {
      await ready()
      // A suspension of an earlier version has no time: its claim is kept for ever.
      const time = suspendedAt === undefined ? 'infinity' : String(suspendedAt)
      const { rows } = await query(claimStatement, [storableText(suspensionId), time, maxAge])
      const state = peek(rows[0], 'state')
      return state === 'expired' ? 'expired' : state === 'claimed'
    },
    migrate: ready,
    cleanUp: async () => {
      await ready()
      if (maxAge === 'infinity') return 0
      const { rows } = await query(
        `with deleted as (delete from ${claims} where suspended_at <= now() - $1::text::interval returning 1)
      select count(*)::text as deleted from deleted`,
        [maxAge],
      )
      return Number(peek(rows[0], 'deleted'))
    },
  }
}
