import { peek } from '../call/tool-failure.js'
import { type TableNames, tableNames } from './postgres-statements.js'
import { SessionError } from './stores.js'

interface MigrateOptions {
  /** Name of the table. The name can include an existing schema, for example `app.session_tool_state`. Default: `session_tool_state`. */
  readonly table?: string
}

export const DEFAULT_TABLE = 'session_tool_state'

/** Arbitrary key of the advisory lock for all migrations. */
const LOCK = 7_482_915_603_318

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
  ({ main, owners }) => `
    create table ${owners} (
      process_id text primary key,
      address text,
      expires_at timestamptz not null
    );
    alter table ${main} add column process_id text;`,
  ({ main, log }) => `
    create table ${log} (
      session_id text not null references ${main} (session_id) on delete cascade,
      sequence bigint not null,
      entry jsonb,
      logged_at timestamptz not null default now(),
      primary key (session_id, sequence)
    );
    create index on ${log} (logged_at) where entry is not null;`,
]

/**
 * Creates or updates the tables of a PostgreSQL store. Several processes can call this function at the same time. A store calls this function at its
 * first use. If the database role of the store must not change the schema, call this function with another role before the first use of the store.
 *
 * @throws {SessionError} `newer_state` if a newer version of the runtime has changed the tables
 * @example
 * await migrate((text, values) => pool.query(text, values))
 */
export async function migrate(query: Query, { table = DEFAULT_TABLE }: MigrateOptions = {}): Promise<void> {
  await applyMigrations(query, tableNames(table), sessionMigrations)
}

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
      `The table ${tables.main} has version ${version}, but this runtime supports version ${migrations.length}. Use the runtime that migrated it, or a newer one.`,
    )
  }
}

/**
 * One statement is necessary, because the `query` function of a pool can run each statement on a different connection. PostgreSQL releases the
 * advisory lock at the end of the statement. Therefore, a process that waited for the lock finds up-to-date tables.
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
 * Function that runs one SQL statement with its values (`$1`, `$2`, ...) and resolves when the statement is committed. For example, call the
 * `query` method of a `Pool` or `Client` of pg, or of a PGlite database. The function can run each statement on a different connection, because
 * every transaction has only one statement.
 *
 * @example
 * const query: Query = (text, values) => pool.query(text, values)
 */
export type Query = (text: string, values: unknown[]) => Promise<{ readonly rows: readonly unknown[] }>
