import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Query } from '../../packages/runtime/src/postgres.js'
import { until } from '../sessions/sessions.fixture.js'
import { startServer } from './databases.js'

/** A database that can be stopped and started again. */
export interface StoppableDatabase {
  readonly name: string
  readonly query: Query
  /** Stops the database without waiting for running statements. Committed data are not lost. */
  stop(): Promise<void>
  start(): Promise<void>
  close(): Promise<void>
}

/** Starts a PostgreSQL server that can really be stopped or, if this is not possible, an embedded database with simulated failures. */
export async function stoppableDatabase(): Promise<StoppableDatabase> {
  const server = await startServer()
  return server === undefined ? embedded() : onServer(server)
}

async function embedded(): Promise<StoppableDatabase> {
  const database = await PGlite.create()
  let isDown = false
  const reach = async (): Promise<void> => {
    // Responds in a later turn of the event loop, as over a network.
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
  // Idle connections report the end of the server too.
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

/** Starts the server again with the same program and arguments, in a shell that ends it together with this process. */
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
