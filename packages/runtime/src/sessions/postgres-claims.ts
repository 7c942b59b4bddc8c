import { peek } from '../call/tool-failure.js'
import type { ResumeClaims } from '../types/outcome.js'
import { storableText } from './postgres-document.js'
import { migrateTables, type Query, type TableNames, tableNames } from './postgres-statements.js'

/** Options of {@link postgresClaims}. */
export interface PostgresClaimsOptions {
  /** Default `suspension_claims`; a schema that is named too (`app.suspension_claims`) must exist. */
  readonly table?: string
  /**
   * Age, in milliseconds, from which a suspension is refused as `expired`, so that its claim can be deleted. By the clock of
   * the database. Default 90 days; `Infinity`: none expires.
   */
  readonly maxAgeMs?: number
}

/** Claims in PostgreSQL. */
export interface PostgresClaims extends ResumeClaims {
  /** Creates the table, or updates it. The first claim does so itself; call it where only another role may change the schema. */
  migrate(): Promise<void>
  /**
   * Deletes the claims of expired suspensions. Call it from time to time, for example once a day; no suspension can be resumed
   * twice by that.
   *
   * @returns number of deleted claims
   */
  cleanUp(): Promise<number>
}

const DEFAULT_MAX_AGE_MS = 90 * 24 * 60 * 60 * 1_000

const MIGRATIONS: readonly ((tables: TableNames) => string)[] = [
  ({ sessions: claims }) => `
    create table ${claims} (
      suspension_id text primary key,
      suspended_at timestamptz not null,
      claimed_at timestamptz not null default now()
    );
    create index on ${claims} (suspended_at);`,
]

/**
 * Claims in PostgreSQL 12 or newer, shared by all processes that use the same table: of several that resume a suspension at
 * the same time, one does. A claim is one row, inserted by one statement.
 *
 * @throws {TypeError} for a table name that is none. {RangeError} for a `maxAgeMs` that is not above 0.
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
  const tables = tableNames(table)
  const sql = statements(tables)
  // Text, as all values are, so that no driver's types matter.
  const maxAge = Number.isFinite(maxAgeMs) ? `${maxAgeMs} milliseconds` : 'infinity'
  let migrated: Promise<void> | undefined
  const ready = (): Promise<void> => {
    migrated ??= migrateTables(query, tables, MIGRATIONS).catch((error) => {
      migrated = undefined
      throw error
    })
    return migrated
  }
  return {
    claim: async (suspensionId, { suspendedAt } = {}) => {
      await ready()
      // A suspension of an earlier version has no time: its claim is kept for ever.
      const time = suspendedAt === undefined ? 'infinity' : String(suspendedAt)
      const { rows } = await query(sql.claim, [storableText(suspensionId), time, maxAge])
      return answerOf(peek(rows[0], 'state'))
    },
    migrate: ready,
    cleanUp: async () => {
      await ready()
      if (maxAge === 'infinity') return 0
      const { rows } = await query(sql.cleanUp, [maxAge])
      return Number(peek(rows[0], 'deleted'))
    },
  }
}

function answerOf(state: unknown): boolean | 'expired' {
  return state === 'expired' ? 'expired' : state === 'claimed'
}

function statements({ sessions: claims }: TableNames): { readonly claim: string; readonly cleanUp: string } {
  return {
    // Values: suspension, time, maximum age. An insert that meets the row of another process waits until that is committed.
    claim: `
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
      end as state`,

    // Values: maximum age.
    cleanUp: `
      with deleted as (delete from ${claims} where suspended_at <= now() - $1::text::interval returning 1)
      select count(*)::text as deleted from deleted`,
  }
}
