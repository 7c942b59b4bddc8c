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

/** Lock of a directory that this process holds. */
export interface DirectoryLock {
  /** Path of the locked directory, with symbolic links resolved. */
  readonly directory: string
  /** Path of the lock file. The file is next to the directory, not inside, because databases are created only in empty directories. */
  readonly file: string
  /** Releases the lock. Call this method after you have closed the database. A second call has no effect. */
  release(): void
}

const held = new Set<DirectoryLock>()

/**
 * Locks the directory of an embedded database for this process. Two processes that use such a directory at the same time destroy the
 * database, and PGlite does not prevent that. Creates the directory if it does not exist. The lock is released by `release`, or when the
 * process exits normally. If the process was killed, the next process takes over the lock.
 *
 * The lock file contains the process id and, on Linux, the start time of the process, because process ids are reused. A lock that was taken
 * on another machine or in another container is never taken over, because this process cannot check whether its holder still runs. The file
 * system must support hard links.
 *
 * @throws {DirectoryInUseError} if another process or this process already holds the lock
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
    // Other processes took or released the lock at the same time.
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
 * Tries to take the lock. Returns `true` if this process now holds it, and `false` if another process changed the lock at the same time.
 *
 * The lock file of a dead process is never deleted, because another process may have replaced it in the meantime. Instead, each process
 * tries to create a second file, named after the token of the dead process. Only one process succeeds. This process then replaces the lock
 * file with the second file. If it dies before that, the next process treats the second file as the lock of a dead process.
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
    // Another process took over the lock first.
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
      `The lock file ${file} of the directory ${directory} cannot be read. Delete the lock file if no process uses the directory.`,
      directory,
    )
  }
  const { pid, host } = holder
  const isOwn = pid === process.pid
  const advice = isOwn
    ? 'Release the first lock, or use another directory'
    : stateOf(holder) === 'running'
      ? 'Stop that process, or use another directory'
      : `This process cannot check whether that process is still running. If that process is not running, delete ${file}`
  const message = `The directory ${directory} is locked by ${isOwn ? 'this process' : `process ${pid} on ${host}`}. ${advice}.`
  return new DirectoryInUseError(message, directory, { pid, host })
}

/** Content of a lock file. Process ids are reused, so further properties identify the process. */
interface LockRecord {
  readonly token: string
  readonly pid: number
  readonly host: string
  /** Start time of the process, in clock ticks since the machine was booted. Only on Linux. */
  readonly startTime?: string
  /** Id that the kernel creates at each boot of the machine. Only on Linux. */
  readonly boot?: string
  /** Namespace of the process id. Containers have different namespaces. Only on Linux. */
  readonly pids?: string
}

const codec: Codec<never, LockRecord> = payloadCodec({
  schema: fields(
    // The token becomes part of a file name.
    { token: { type: 'string', pattern: '^[\\w-]+$' }, pid: { type: 'integer', minimum: 1 }, host: text },
    { startTime: text, boot: text, pids: text },
  ),
})

/** Creates a lock file with its content in one atomic step. Returns `false` if the file already exists. */
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
  // Removes absent properties.
  return JSON.parse(JSON.stringify({ token: randomUUID(), ...identity }))
}

/** Returns the state of the process that holds a lock: `unknown` if it runs on another machine or in another container. */
function stateOf({ pid, host, startTime, boot, pids }: LockRecord): 'running' | 'gone' | 'unknown' {
  if (host !== hostname()) return 'unknown'
  if (boot !== bootId()) return 'gone'
  if (pids !== pidNamespace()) return 'unknown'
  if (startTime !== undefined) return startTimeOf(pid) === startTime ? 'running' : 'gone'
  try {
    process.kill(pid, 0)
    return 'running'
  } catch (error) {
    // `EPERM`: the process runs under another user.
    return peek(error, 'code') === 'EPERM' ? 'running' : 'gone'
  }
}

/** Returns the start time of a process in clock ticks since boot; `undefined` if the process has ended or the system is not Linux. */
function startTimeOf(pid: number): string | undefined {
  const stat = ifReadable(() => readFileSync(`/proc/${pid}/stat`, 'utf8'))
  // The second field is the program's name in parentheses. It may contain spaces and parentheses.
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
    // The process has ended, or the system is not Linux.
    return undefined
  }
}
