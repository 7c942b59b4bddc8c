import { PGlite } from '@electric-sql/pglite'
import { lockDirectory, type Query } from '@toolgen/runtime/postgres'
import { Pool } from 'pg'

/** Database of the sessions. */
export interface Database {
  readonly query: Query
  close(): Promise<void>
}

/** Opens the PostgreSQL database at `DATABASE_URL` or, without this variable, an embedded database in `SESSIONS_DIRECTORY`. */
export function openDatabase({
  DATABASE_URL,
  SESSIONS_DIRECTORY = './sessions',
}: NodeJS.ProcessEnv): Promise<Database> {
  return DATABASE_URL === undefined ? embedded(SESSIONS_DIRECTORY) : onServer(DATABASE_URL)
}

async function embedded(path: string): Promise<Database> {
  // Two processes in one directory would destroy the database. A process replaces the lock of a killed process.
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
  // The pool replaces a broken idle connection, and the store repeats its statements.
  pool.on('error', (error) => console.error(error.message))
  return { query: (text, values) => pool.query(text, values), close: () => pool.end() }
}
