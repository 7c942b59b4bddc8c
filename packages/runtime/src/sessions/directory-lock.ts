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

/** Lock of a directory. Only this process can use the directory. */
export interface DirectoryLock {
  /** Path of the locked directory, with symbolic links resolved. */
  readonly directory: string
  /** Path of the lock file. The file is next to the directory, because a new database needs an empty directory. */
  readonly file: string
  /** Releases the lock. Close the database before you call this method. A second call has no effect. */
  release(): void
}

const held = new Set<DirectoryLock>()

/**
 * Locks the directory of an embedded database for this process. The lock is necessary because PGlite does not prevent two processes from using the
 * directory at the same time, which destroys the database. Creates the directory if it does not exist. `release` or the normal exit of the process
 * releases the lock. If a process is killed, the next process takes over its lock.
 *
 * Process ids are reused. Therefore, the lock file contains the process id and, on Linux, the start time of the process. This process never takes
 * over the lock of a process on another machine or in another container, because it cannot check whether that process still runs. The file system
 * must support hard links.
 *
 * @throws {DirectoryInUseError} if another process or this process has already locked the directory
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
 * Returns `false` if another process changed the lock at the same time, so that `lockDirectory` must try again.
 *
 * A process must not delete the lock file of a dead process, because another process may have replaced the file in the meantime. Instead, each
 * process tries to create a second file, named after the token of the dead process. Only one process succeeds. The successful process then replaces
 * the lock file with the second file. If the successful process dies before the replacement, the next process treats the second file as the lock of a
 * dead process.
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

/** Several properties identify the process, because process ids are reused. */
interface LockRecord {
  readonly token: string
  readonly pid: number
  readonly host: string
  /** In clock ticks since the machine started. Only on Linux. */
  readonly startTime?: string
  /** Id that the kernel creates each time the machine starts. Only on Linux. */
  readonly boot?: string
  /** Namespace of the process id. Each container has its own namespace. Only on Linux. */
  readonly pids?: string
}

const codec: Codec<never, LockRecord> = payloadCodec({
  schema: fields(
    // The token becomes part of a file name.
    { token: { type: 'string', pattern: '^[\\w-]+$' }, pid: { type: 'integer', minimum: 1 }, host: text },
    { startTime: text, boot: text, pids: text },
  ),
})

/** Atomic, so that no other process reads an incomplete file. */
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
