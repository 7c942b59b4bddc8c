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
import { fields, text } from '../agents/stored-outcome.js'
import { peek } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import type { Codec } from '../types/codec.js'
import { DirectoryInUseError } from './stores.js'

/** Lock of a directory, held by this process. */
export interface DirectoryLock {
  /** The directory, without symbolic links. */
  readonly directory: string
  /** The lock file. It is next to the directory, since databases are created in empty directories only. */
  readonly file: string
  /** Releases the lock, after the database was closed. Does nothing the second time. */
  release(): void
}

const held = new Set<DirectoryLock>()

/**
 * Locks the directory of an embedded database for this process: two processes that open it at once destroy it, and PGlite
 * does not prevent that. Creates the directory if it does not exist. The lock is released by `release`, or when the process
 * exits. The lock of a process that ended otherwise (a signal, a crash, a power cut) is taken over, by exactly one of the
 * processes that try.
 *
 * The lock is a file that names the process and, on Linux, its start time, so that another process with the same pid is not
 * mistaken for it. A process on another machine or in another container cannot be seen, so its lock is never taken over. The
 * file system must support hard links.
 *
 * @throws {DirectoryInUseError} if another process holds the lock, or this one already
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
  const own = ownRecord()
  while (!tryLock(directory, file, own)) {
    // Other processes took or released the lock just now.
  }
  const lock: DirectoryLock = {
    directory,
    file,
    release: () => {
      if (!held.delete(lock)) return
      if (held.size === 0) process.off('exit', releaseAll)
      if (tokenIn(file) === own.token) rmSync(file)
    },
  }
  if (held.size === 0) process.on('exit', releaseAll)
  held.add(lock)
  return lock
}

function releaseAll(): void {
  for (const lock of held) lock.release()
}

/**
 * Returns whether this process has the lock now; `false` if it changed hands meanwhile.
 *
 * A stale lock file is never removed, because that might remove the file that another process has just put in its place.
 * Instead a second file, named after the token of the stale one, decides on the one successor: only one process can create
 * it. Then it replaces the lock file. If the successor dies in between, it is a stale holder like any other.
 */
function tryLock(directory: string, file: string, own: LockRecord): boolean {
  const stale: string[] = []
  let next = file
  const first = readLockFile(file)
  for (let holder = first; holder !== undefined; holder = readLockFile(next)) {
    if (holder === 'unreadable' || stateOf(holder) !== 'gone') throw inUse(directory, next, holder)
    stale.push(next)
    next = `${file}.after-${holder.token}`
  }
  if (!createLockFile(next, own)) return false
  if (first === undefined || first === 'unreadable') return true
  if (tokenIn(file) !== first.token) {
    // Another successor was faster.
    rmSync(next, { force: true })
    return false
  }
  renameSync(next, file)
  for (const old of stale.slice(1)) rmSync(old, { force: true })
  return true
}

function inUse(directory: string, file: string, holder: LockRecord | 'unreadable'): DirectoryInUseError {
  if (holder === 'unreadable') {
    return new DirectoryInUseError(
      `The directory ${directory} has a lock file that cannot be read, ${file}: delete it if no process uses the directory.`,
      directory,
    )
  }
  const { pid, host } = holder
  const isOwn = pid === process.pid
  const advice = isOwn
    ? 'release its first lock, or use another directory'
    : stateOf(holder) === 'running'
      ? 'stop that process, or use another directory'
      : `it cannot be seen from here whether that process still runs: if it does not, delete ${file}`
  const message = `The directory ${directory} is locked by ${isOwn ? 'this process' : `process ${pid} on ${host}`}: ${advice}.`
  return new DirectoryInUseError(message, directory, { pid, host })
}

/** Content of a lock file: the identity of a process, since its pid alone is used again by others. */
interface LockRecord {
  /** Unique to each attempt to take a lock. */
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Start of the process in clock ticks since the system started (Linux). */
  readonly startTime?: string
  /** Id of the start of the system (Linux). */
  readonly boot?: string
  /** Namespace of the pid, which differs between containers (Linux). */
  readonly pids?: string
}

const codec: Codec<never, LockRecord> = payloadCodec({
  schema: fields(
    // The token becomes part of a file name.
    { token: { type: 'string', pattern: '^[\\w-]+$' }, pid: { type: 'integer', minimum: 1 }, host: text },
    { startTime: text, boot: text, pids: text },
  ),
})

/** Creates a lock file with all its content in one step. @returns `false` if it exists */
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

function readLockFile(file: string): LockRecord | 'unreadable' | undefined {
  let json: string
  try {
    json = readFileSync(file, 'utf8')
  } catch (error) {
    if (peek(error, 'code') === 'ENOENT') return undefined
    throw error
  }
  const decoded = codec.decode(json)
  return decoded.ok ? decoded.value : 'unreadable'
}

function tokenIn(file: string): string | undefined {
  const record = readLockFile(file)
  return record === undefined || record === 'unreadable' ? undefined : record.token
}

function ownRecord(): LockRecord {
  const { pid } = process
  const identity = { pid, host: hostname(), startTime: startTimeOf(pid), boot: bootId(), pids: pidNamespace() }
  // Without absent fields.
  return JSON.parse(JSON.stringify({ token: randomUUID(), ...identity }))
}

/** Returns `unknown` for a process that cannot be seen: on another machine, or in another container. */
function stateOf({ pid, host, startTime, boot, pids }: LockRecord): 'running' | 'gone' | 'unknown' {
  if (host !== hostname()) return 'unknown'
  if (boot !== bootId()) return 'gone'
  if (pids !== pidNamespace()) return 'unknown'
  if (startTime !== undefined) return startTimeOf(pid) === startTime ? 'running' : 'gone'
  try {
    process.kill(pid, 0)
    return 'running'
  } catch (error) {
    // The process of another user runs, and may not be signalled.
    return peek(error, 'code') === 'EPERM' ? 'running' : 'gone'
  }
}

/** Returns `undefined` for a process that has ended, and on other systems than Linux. */
function startTimeOf(pid: number): string | undefined {
  const stat = ifReadable(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The second field, the program's name in brackets, may contain blanks and brackets.
  const [state, ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? []
  return state === 'Z' || state === 'X' ? undefined : fields[18]
}

const bootId = (): string | undefined =>
  ifReadable(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'))?.trim()

const pidNamespace = (): string | undefined => ifReadable(() => readlinkSync('/proc/self/ns/pid'))

function ifReadable(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    // The process is gone, or the system is not Linux.
    return undefined
  }
}
