import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { freePort } from './free-port.mjs'

/** Folders in which operating systems install the programs of PostgreSQL. `*` is the version. */
const PLACES = [
  '/usr/lib/postgresql/*/bin',
  '/usr/pgsql-*/bin',
  '/opt/homebrew/opt/postgresql*/bin',
  '/usr/local/opt/postgresql*/bin',
  '/usr/local/pgsql/bin',
]

/** Users for the server if this process runs as root. PostgreSQL does not run as root. */
const USERS = ['postgres', 'nobody']

/** Number of attempts to start the server. Another process can take the free port before the server does. */
const TRIES = 3

/** Error if no PostgreSQL server can be started. The message names what is missing. */
export class NoPostgresError extends Error {
  name = 'NoPostgresError'
}

/**
 * Starts a temporary PostgreSQL server with the programs of the system: an empty cluster in a temporary folder, on a free port of the
 * loopback interface, with a random password. `stop`, or any end of this process, stops the server and removes the folder.
 *
 * @throws {NoPostgresError} if PostgreSQL is not installed, or if this process runs as root and there is no other user for the server
 */
export async function startPostgres() {
  const programs = findPrograms()
  const user = serverUser()
  for (let tried = 1; ; tried += 1) {
    const server = await start(programs, user)
    if (server.url !== undefined) return server
    await server.stop()
    if (tried === TRIES || !server.log.includes('could not bind')) {
      throw new Error(`The PostgreSQL server of ${programs} did not start:\n${server.log}`)
    }
  }
}

async function start(programs, user) {
  const folder = mkdtempSync(join(tmpdir(), 'toolgen-postgres-'))
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password)
  if (user !== undefined) for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid)
  const cluster = join(folder, 'cluster')
  const options = { ...user, cwd: folder, env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' } }
  try {
    const settings = ['--encoding=UTF8', '--locale=C', '--username=toolgen', '--auth=scram-sha-256', '--no-sync']
    execFileSync(join(programs, 'initdb'), [...settings, `--pwfile=${passwordFile}`, `--pgdata=${cluster}`], {
      ...options,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
  const port = await freePort()
  const server = serve(
    join(programs, 'postgres'),
    ['-D', cluster, '-p', port, '-h', '127.0.0.1', '-k', ''],
    folder,
    options,
  )
  const isReady = await server.ready
  return {
    ...(isReady && { url: `postgresql://toolgen:${password}@127.0.0.1:${port}/postgres` }),
    log: server.log(),
    stop: server.stop,
  }
}

/**
 * Shell script that runs the server. When its input ends, which also happens if this process is killed, it stops the server and removes the
 * folder. The first signal stops a server that is still starting, the second one disconnects clients. The script has its own process group, so
 * that Ctrl-C in a terminal does not reach it.
 */
function serve(program, args, folder, options) {
  const script =
    '"$@" 2>&1 & server=$!; exec >/dev/null 2>&1; cat; kill "$server"; kill -INT "$server"; wait "$server"; rm -rf "$0"'
  const shell = spawn('sh', ['-c', script, folder, program, ...args], {
    ...options,
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise((resolve) => shell.once('close', resolve))
  let log = ''
  const ready = new Promise((resolve) => {
    shell.once('error', () => resolve(false))
    // Only the server has the other end of this pipe, so the pipe closes when the server ends.
    shell.stdout.once('end', () => resolve(false))
    shell.stdout.setEncoding('utf8').on('data', (text) => {
      log = (log + text).slice(-10_000)
      if (log.includes('ready to accept connections')) resolve(true)
    })
  })
  const stop = async () => {
    shell.stdin.end()
    await ended
  }
  return { ready, log: () => log, stop }
}

/** Returns the folder with the programs of the newest version. */
function findPrograms() {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...PLACES.flatMap(expanded)]
  const found = folders.find((folder) => ['initdb', 'postgres'].every((program) => existsSync(join(folder, program))))
  if (found !== undefined) return found
  throw new NoPostgresError(
    'No PostgreSQL server was found, neither on the PATH nor where packages put it. On Debian: apt-get install postgresql-15',
  )
}

function expanded(place) {
  if (!place.includes('*')) return [place]
  const [parent, pattern, ...rest] = split(place)
  if (!existsSync(parent)) return []
  const [before, after] = pattern.split('*')
  return readdirSync(parent)
    .filter((name) => name.startsWith(before) && name.endsWith(after))
    .sort((one, other) => other.localeCompare(one, 'en', { numeric: true }))
    .map((name) => join(parent, name, ...rest))
}

/** Splits a path into the folder before the name with `*`, the name, and the rest. */
function split(place) {
  const names = place.split('/')
  const star = names.findIndex((name) => name.includes('*'))
  return [names.slice(0, star).join('/'), ...names.slice(star)]
}

function serverUser() {
  if (process.getuid === undefined) throw new NoPostgresError('A PostgreSQL server is started on POSIX systems alone.')
  if (process.getuid() !== 0) return undefined
  for (const name of USERS) {
    try {
      const id = (flag) => Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // This system has no such user.
    }
  }
  throw new NoPostgresError(`root may not run a PostgreSQL server, and there is no user ${USERS.join(' or ')}.`)
}
