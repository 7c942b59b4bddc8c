import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Query } from '../../packages/runtime/src/postgres.js'
import { until } from '../sessions/sessions.fixture.js'
import { startServer } from './databases.js'

/** A database that can be down for a while. */
export interface StoppableDatabase {
  readonly name: string
  readonly query: Query
  /** Ends at once, without waiting for what is under way; what is committed stays. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** A PostgreSQL server that is really stopped, where one can be started; else an embedded database that is not reached. */
export async function stoppableDatabase(): Promise<StoppableDatabase> {
  const server = await startServer()
  return server === undefined ? embedded() : onServer(server)
}

async function embedded(): Promise<StoppableDatabase> {
  const database = await PGlite.create()
  let isDown = false
  const reach = async (): Promise<void> => {
    // As over a network: never in the same turn.
    await new Promise((resolve) => setImmediate(resolve))
    if (isDown) throw new Error('The database is down.')
  }
  return {
    name: 'PGlite',
    query: async (text, values) => {
      await reach()
      const answer = await database.query(text, values)
      await reach()
      return answer
    },
    stop: async () => {
      isDown = true
    },
    start: async () => {
      isDown = false
    },
    close: () => database.close(),
  }
}

async function onServer(server: { readonly url: string; stop(): Promise<void> }): Promise<StoppableDatabase> {
  const pool = new pg.Pool({ connectionString: server.url })
  // Connections that nobody uses are told of the end too.
  pool.on('error', () => undefined)
  const { rows } = await pool.query('show data_directory')
  const folder: string = rows[0].data_directory
  let successor: ChildProcess | undefined
  const stop = async (): Promise<void> => {
    const [pid] = readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')
    process.kill(Number(pid), 'SIGQUIT')
    await until(() => !isAlive(Number(pid)))
  }
  return {
    name: 'a PostgreSQL server',
    query: (text, values) => pool.query(text, values),
    stop,
    start: async () => {
      successor = startAgain(folder)
      let isUp = false
      while (!isUp) {
        isUp = await pool.query('select 1').then(
          () => true,
          () => false,
        )
      }
    },
    close: async () => {
      await pool.end()
      successor?.stdin?.end()
      if (successor !== undefined) await once(successor, 'close')
      await server.stop()
    },
  }
}

/** The program with the arguments that the server was started with, held by a shell that ends it when this process ends. */
function startAgain(folder: string): ChildProcess {
  const command = readFileSync(join(folder, 'postmaster.opts'), 'utf8')
  const program = command.slice(0, command.indexOf(' "'))
  const args = [...command.matchAll(/"([^"]*)"/g)].map(([, argument = '']) => argument)
  const { uid, gid } = statSync(folder)
  const script = '"$@" & server=$!; cat; kill -INT "$server"; wait "$server"'
  return spawn('sh', ['-c', script, 'sh', program, ...args], {
    cwd: '/',
    uid,
    gid,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
