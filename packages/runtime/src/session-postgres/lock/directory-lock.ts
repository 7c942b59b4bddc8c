import { randomUUID } from 'node:crypto'
import { mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { DirectoryInUseError } from './directory-in-use-error.js'
import { createLockFile, type LockRecord, readLockFile } from './lock-file.js'
import { fateOf, thisProcess } from './process-identity.js'

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
