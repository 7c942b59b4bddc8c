import { peek } from '../call/tool-failure.js'
import type { ResumeClaims } from '../types/outcome.js'
import { storableText } from './postgres-document.js'
import { migrateOnce, type Query } from './postgres-migrations.js'
import { tableNames } from './postgres-statements.js'

interface PostgresClaimsOptions {
  /** Name of the table. The name can include an existing schema, for example `app.suspension_claims`. Default: `suspension_claims`. */
  readonly table?: string
  /**
   * Maximum age of a suspension in milliseconds, by the clock of the database. The runtime rejects older suspensions as `expired`, so that
   * `cleanUp` can delete their claims. With `Infinity`, suspensions never expire. Default: 90 days.
   */
  readonly maxAgeMs?: number
}

/** Claims in a PostgreSQL table. A claim records that a suspension was resumed. */
export interface PostgresClaims extends ResumeClaims {
  /**
   * Creates or updates the table. The first claim also creates or updates the table. If the database role of the application must not change the
   * schema, create a second `PostgresClaims` with another role, and call `migrate` of the second object.
   */
  migrate(): Promise<void>
  /**
   * Deletes the claims of expired suspensions. Call this method about once a day. After the deletion, the runtime still rejects these suspensions,
   * because of their age.
   *
   * @returns number of deleted claims
   */
  cleanUp(): Promise<number>
}

const DEFAULT_MAX_AGE_MS = 90 * 24 * 60 * 60 * 1_000

/**
 * Ensures with PostgreSQL 12 or newer that each suspension is resumed only once. If several processes resume the same suspension at the same time,
 * only one process succeeds. The record of a resumed suspension is called a claim. Each claim is one row, inserted by one statement.
 *
 * @throws {TypeError} if the table name is invalid.
 * @throws {RangeError} if `maxAgeMs` is not positive.
 *
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * const runtime = new Runtime({ claims: postgresClaims((text, values) => pool.query(text, values)) })
 */
export function postgresClaims(
  query: Query,
  { table = 'suspension_claims', maxAgeMs = DEFAULT_MAX_AGE_MS }: PostgresClaimsOptions = {},
): PostgresClaims {
  if (!(maxAgeMs > 0))
    throw new RangeError(`postgresClaims: maxAgeMs is ${maxAgeMs}. Expected a positive number of milliseconds.`)
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
  // All values are strings, because drivers convert other types differently.
  const maxAge = Number.isFinite(maxAgeMs) ? `${maxAgeMs} milliseconds` : 'infinity'
  // Values: suspension, time, maximum age. If another process is inserting the same row, this insert waits for that
  // process to commit.
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
      // A suspension of an older version has no time. Its claim is never deleted.
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
