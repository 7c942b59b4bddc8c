import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { afterAll, describe, it } from 'vitest'
import { type Listen, listenWith, type Query } from '../../packages/runtime/src/postgres.js'

const script = fileURLToPath(new URL('../../scripts/postgres.mjs', import.meta.url))

/** Exit code of the script if no server can be started. */
const NO_SERVER = 3

/** An empty database. */
export interface Database {
  readonly query: Query
  readonly listen: Listen
  /** Connection pool of a server. */
  readonly pool?: pg.Pool
  close(): Promise<void>
}

/** Declares tests of one database. `isMain` is true for one database: for the server, or for the embedded one if there is no server. */
type DeclareTests = (database: Database, isMain: boolean) => void

/**
 * Declares tests with an embedded database and with a server: the one at DATABASE_URL, or a temporary one. If no server can be started, its tests are
 * skipped visibly.
 */
export async function overEachDatabase(tests: DeclareTests): Promise<void> {
  const server = await onServer()
  const databases = { PGlite: await embedded(), 'a PostgreSQL server': server }
  for (const [name, database] of Object.entries(databases)) {
    if (database === undefined) describe(name, () => it.skip('cannot be started here: install PostgreSQL'))
    else {
      describe(name, () => {
        afterAll(() => database.close())
        tests(database, database === server || server === undefined)
      })
    }
  }
}

async function embedded(): Promise<Database> {
  const database = await PGlite.create()
  return {
    query: (text, values) => database.query(text, values),
    listen: (channel, { notify }) => database.listen(channel, notify),
    close: () => database.close(),
  }
}

async function onServer(): Promise<Database | undefined> {
  const { DATABASE_URL } = process.env
  const server = DATABASE_URL === undefined ? await startServer() : undefined
  const connectionString = DATABASE_URL ?? server?.url
  if (connectionString === undefined) return undefined
  // Uses its own schema, so that other data in the database do not matter.
  const schema = `toolgen_${randomBytes(6).toString('hex')}`
  const pool = new pg.Pool({ connectionString, options: `-c search_path=${schema}` })
  // A stopped server can report its end on a connection that the pool has just released.
  pool.on('error', () => undefined)
  await pool.query(`create schema ${schema}`)
  return {
    query: (text, values) => pool.query(text, values),
    listen: listenWith(() => new pg.Client({ connectionString })),
    pool,
    close: async () => {
      await pool.query(`drop schema ${schema} cascade`)
      await pool.end()
      await server?.stop()
    },
  }
}

/** Starts a server that ends with this process. Resolves with `undefined` if PostgreSQL is not installed. */
export async function startServer(): Promise<{ readonly url: string; stop(): Promise<void> } | undefined> {
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const url = await Promise.race([firstLine(child), ended.then(([code]) => requireNoServer(code))])
  if (url === undefined) return undefined
  return {
    url,
    stop: async () => {
      child.stdin.end()
      await ended
    },
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('The server has no output.')
  const [line] = await once(stdout, 'data')
  return String(line).trim()
}

function requireNoServer(code: unknown): undefined {
  if (code !== NO_SERVER) throw new Error(`scripts/postgres.mjs ended with ${code}.`)
}
