import pg from 'pg'
import { startPostgres } from '../../scripts/lib/postgres.mjs'

/** Counter of effects outside of the workers and the engine. Workers add a row when an effect happens. */
export interface Effects {
  /** Address of the database for the workers. */
  readonly database: string
  /** Returns the effects of a service with their idempotency keys, such as `cancel B KEY`, in the order in which they happened. */
  of(service: string): Promise<readonly string[]>
  /** Returns the effects of a run and of its nested runs. */
  ofRun(runId: string): Promise<readonly string[]>
  stop(): Promise<void>
}

/**
 * Starts a temporary PostgreSQL server with a table for effects.
 *
 * @throws {NoPostgresError} if no server can be started
 */
export async function startEffects(): Promise<Effects> {
  const server = await startPostgres()
  const pool = new pg.Pool({ connectionString: server.url, max: 4 })
  await pool.query(
    'create table effects (id bigserial primary key, service text not null, run text not null, effect text not null, key text not null)',
  )
  await pool.query('create index on effects (run)')
  return {
    database: server.url,
    of: async (service) => {
      const { rows } = await pool.query('select effect, key from effects where service = $1 order by id', [service])
      return rows.map(({ effect, key }) => `${effect} ${key}`)
    },
    ofRun: async (runId) => {
      const { rows } = await pool.query('select effect from effects where run = $1 order by id', [runId])
      return rows.map(({ effect }) => effect)
    },
    stop: async () => {
      await pool.end()
      await server.stop()
    },
  }
}
