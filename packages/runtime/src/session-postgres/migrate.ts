import { peek } from '../execute/failure/peek.js'
import { SessionError } from '../session/session-error.js'
import type { Query } from './query.js'
import { type TableNames, tableNames } from './table-name.js'

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
