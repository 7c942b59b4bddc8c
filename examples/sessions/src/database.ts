import { PGlite } from '@electric-sql/pglite'
import { lockDirectory, type Query } from '@toolgen/runtime/postgres'
import { Pool } from 'pg'

/** Where sessions are kept. */
export interface Database {
  readonly query: Query
  close(): Promise<void>
}

/** The PostgreSQL at `DATABASE_URL`; without one an embedded database in `SESSIONS_DIRECTORY`. */
export function openDatabase({
  DATABASE_URL,
  SESSIONS_DIRECTORY = './sessions',
}: NodeJS.ProcessEnv): Promise<Database> {
  return DATABASE_URL === undefined ? embedded(SESSIONS_DIRECTORY) : onServer(DATABASE_URL)
}

async function embedded(path: string): Promise<Database> {
  // Two processes in one directory would destroy it. The lock of a process that was killed is taken over.
  const lock = lockDirectory(path)
  const database = await PGlite.create(lock.directory)
  return {
    query: (text, values) => database.query(text, values),
    close: async () => {
      await database.close()
      lock.release()
    },
  }
}

async function onServer(connectionString: string): Promise<Database> {
  const pool = new Pool({ connectionString, connectionTimeoutMillis: 10_000, query_timeout: 10_000 })
  // An idle connection that breaks is replaced: what waits for the store is tried again.
  pool.on('error', (error) => console.error(error.message))
  return { query: (text, values) => pool.query(text, values), close: () => pool.end() }
}
