import { randomUUID } from 'node:crypto'
import {
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { peek } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import type { Codec } from '../types/codec.js'
import { DirectoryInUseError } from './session-types.js'

/** A directory that belongs to this process. */
export interface DirectoryLock {
  /** The directory, without symbolic links. */
  readonly directory: string
  /** The lock file: beside the directory, since a database takes only an empty one for a new one. */
  readonly file: string
  /** Gives the directory back: after the database was closed. A second time does nothing. */
  release(): void
}

const held = new Set<DirectoryLock>()

/**
 * Keeps the directory of an embedded database for this process: two that open it at once destroy it, and PGlite does not
 * keep them apart. The directory is made where there is none. The lock is given back by `release`, or at the latest when
 * the process exits; that of a process which ended otherwise (a signal, a crash, a power cut) is taken over. Of several
 * processes that find such a lock at the same time one gets it.
 *
 * The lock is a file that names the process and, on Linux, when it began, so that another process of the same pid is not
 * taken for it. A process on another machine or in another container cannot be seen: its lock is never taken over. The
 * file system must know hard links.
 *
 * @throws {DirectoryInUseError} where another process has the directory, or this one already.
 * @example
 * const lock = lockDirectory('./sessions')
 * const database = new PGlite(lock.directory)
 * // ...
 * await database.close()
 * lock.release()
 */
export function lockDirectory(path: string): DirectoryLock {
  mkdirSync(path, { recursive: true })
  const directory = realpathSync(path)
  const file = `${directory}.lock`
  const mine = { token: randomUUID(), ...thisProcess() }
  while (!isTaken(directory, file, mine)) {
    // Others took or gave back the lock just now: what became of it is looked at anew.
  }
  const lock: DirectoryLock = {
    directory,
    file,
    release: () => {
      if (!held.delete(lock)) return
      if (held.size === 0) process.off('exit', releaseAll)
      if (tokenIn(file) === mine.token) rmSync(file)
    },
  }
  if (held.size === 0) process.on('exit', releaseAll)
  held.add(lock)
  return lock
}

/**
 * Whether the lock is this process's now; false where it changed hands meanwhile.
 *
 * A stale lock file is never removed: who removes it might remove the one that another process has just put in its place.
 * Instead its one successor is settled by a second file, named after the stale one's token, which only one process can
 * make; that file then takes the lock file's place. Should the successor die in between, it is a stale holder like any
 * other, and has a successor itself.
 */
function isTaken(directory: string, file: string, mine: LockRecord): boolean {
  const stale: string[] = []
  let place = file
  const first = readLockFile(file)
  for (let holder = first; holder !== undefined; holder = readLockFile(place)) {
    if (holder === 'unreadable' || fateOf(holder) !== 'gone') throw inUse(directory, place, holder)
    stale.push(place)
    place = `${file}.after-${holder.token}`
  }
  if (!createLockFile(place, mine)) return false
  if (first === undefined || first === 'unreadable') return true
  if (tokenIn(file) !== first.token) {
    // Somebody else had finished before: what was succeeded here is history.
    rmSync(place, { force: true })
    return false
  }
  renameSync(place, file)
  for (const old of stale.slice(1)) rmSync(old, { force: true })
  return true
}

function tokenIn(file: string): string | undefined {
  const record = readLockFile(file)
  return record === undefined || record === 'unreadable' ? undefined : record.token
}

function inUse(directory: string, file: string, holder: LockRecord | 'unreadable'): DirectoryInUseError {
  if (holder === 'unreadable') {
    return new DirectoryInUseError(
      `The directory ${directory} has a lock file that cannot be read, ${file}: delete it if no process uses the directory.`,
      directory,
    )
  }
  const { pid, host } = holder
  const isOurs = pid === process.pid
  const advice = isOurs
    ? 'release its first lock, or use another directory'
    : fateOf(holder) === 'running'
      ? 'stop that process, or use another directory'
      : `it cannot be seen from here whether that process still runs: if it does not, delete ${file}`
  return new DirectoryInUseError(
    `The directory ${directory} is locked by ${isOurs ? 'this process' : `process ${pid} on ${host}`}: ${advice}.`,
    directory,
    {
      pid,
      host,
    },
  )
}

function releaseAll(): void {
  for (const lock of held) lock.release()
}

/** What a lock file says. */
interface LockRecord extends ProcessIdentity {
  /** Unique to each attempt to take a lock. */
  readonly token: string
}

const text = { type: 'string' }
const codec: Codec<never, LockRecord> = payloadCodec({
  schema: {
    type: 'object',
    properties: {
      // Becomes a part of a file name.
      token: { type: 'string', pattern: '^[\\w-]+$' },
      pid: { type: 'integer', minimum: 1 },
      host: text,
      startTime: text,
      boot: text,
      pids: text,
    },
    required: ['token', 'pid', 'host'],
  },
})

/**
 * Makes a lock file, with all that it says, in one step: nobody ever sees half of it.
 *
 * @returns whether it was made: false where there is one
 */
function createLockFile(file: string, record: LockRecord): boolean {
  const draft = `${file}.${record.token}`
  writeFileSync(draft, JSON.stringify(record), { flag: 'wx' })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (peek(error, 'code') === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft)
  }
}

/** What a lock file says; absent where there is none, `unreadable` where it is no lock file of ours. */
function readLockFile(file: string): LockRecord | 'unreadable' | undefined {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if (peek(error, 'code') === 'ENOENT') return undefined
    throw error
  }
  const decoded = codec.decode(text)
  return decoded.ok ? decoded.value : 'unreadable'
}

/** Which process: a pid alone comes back, with another process behind it. */
interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** When the process began, in clock ticks since the system did; where the system tells (Linux). */
  readonly startTime?: string
  /** Which start of the system; where it tells. */
  readonly boot?: string
  /** The namespace that the pid is one of, so that those of containers are not mixed up; where there are such. */
  readonly pids?: string
}

/** What became of a process; `unknown` where it cannot be seen from here: on another machine, or in another container. */
type ProcessFate = 'running' | 'gone' | 'unknown'

/** This process. */
function thisProcess(): ProcessIdentity {
  const startTime = startTimeOf(process.pid)
  const [boot, pids] = [bootId(), pidNamespace()]
  return {
    pid: process.pid,
    host: hostname(),
    ...(startTime !== undefined && { startTime }),
    ...(boot !== undefined && { boot }),
    ...(pids !== undefined && { pids }),
  }
}

function fateOf({ pid, host, startTime, boot, pids }: ProcessIdentity): ProcessFate {
  if (host !== hostname()) return 'unknown'
  if (boot !== bootId()) return 'gone'
  if (pids !== pidNamespace()) return 'unknown'
  if (startTime !== undefined) return startTimeOf(pid) === startTime ? 'running' : 'gone'
  return isRunning(pid) ? 'running' : 'gone'
}

/** Absent where there is no such process, or one that has ended and waits to be buried, or the system does not tell. */
function startTimeOf(pid: number): string | undefined {
  const stat = readIfThere(`/proc/${pid}/stat`)
  // The second field, the program's name in brackets, may hold blanks and brackets itself.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

const bootId = (): string | undefined => readIfThere('/proc/sys/kernel/random/boot_id')?.trim()

function pidNamespace(): string | undefined {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    // No Linux: there are none.
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be signalled, and runs.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process is gone, or the system is none with such files.
    return undefined
  }
}
