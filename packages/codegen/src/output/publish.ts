import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { type Disk, type DiskError, isDiskError } from '../files.js'
import { type EmittedFile, hashOf } from './files.js'
import { parseJson } from './lock.js'

/** Compilers and linters ignore the folder because of the dot. */
export const stagingName = '.toolgen'

const journalName = 'journal.json'

export interface RunIdentity extends Omit<Owner, 'startedAt'> {
  now(): number
  isAlive(pid: number): boolean
  pause(): Promise<void>
}

interface Turn {
  readonly kind: 'taken'
  readonly staging: string
  end(): readonly DiskError[]
}

const maxWaitMs = 10_000

/** A run takes only seconds, so a run has crashed if its claim file (the file that marks an active run) is older. */
const claimLifetimeMs = 600_000

/** An attempt to lock the output folder fails if a second run creates or removes the folder for temporary files at the same moment. */
const maxLostRaces = 20

/**
 * A run first creates its claim file (the file that marks an active run), and then lists all claim files. Of two simultaneous runs, at least the run
 * that lists later sees both files, and tries again. Throws file system errors after removing the claim file of this run.
 */
export async function takeTurn(
  disk: Disk,
  folder: string,
  run: RunIdentity,
): Promise<Turn | { readonly kind: 'busy'; readonly owner: Owner }> {
  const staging = `${folder}/${stagingName}`
  const startedAt = run.now()
  const claim = `${staging}/${claimName({ ...run, startedAt })}`
  const madeFolders: string[] = []
  const end = (): readonly DiskError[] =>
    doAll([
      () => removeFileIfThere(disk, claim),
      ...[staging, ...madeFolders.toReversed()].map((path) => () => void removeFolderIfEmpty(disk, path)),
    ])
  const writeClaim = (): readonly { readonly path: string; readonly owner: Owner }[] => {
    for (const missing of missingFolders(disk, staging)) {
      disk.makeFolder(missing)
      if (missing !== staging) madeFolders.push(missing)
    }
    disk.write(claim, '')
    return disk.list(staging).flatMap(({ name }) => {
      const path = `${staging}/${name}`
      const owner = path === claim ? undefined : ownerOf(name)
      return owner === undefined ? [] : [{ path, owner }]
    })
  }
  const isLive = (owner: Owner): boolean => {
    if (run.now() - owner.startedAt > claimLifetimeMs) return false
    return owner.host !== run.host || run.isAlive(owner.pid)
  }
  try {
    for (let races = 0; ; ) {
      let rival: Owner | undefined
      try {
        const others = writeClaim()
        rival = others.find(({ owner }) => isLive(owner))?.owner
        if (rival === undefined) {
          for (const { path } of others) removeFileIfThere(disk, path)
          return { kind: 'taken', staging, end }
        }
        races = 0
      } catch (error) {
        // Another run may have created or removed the staging folder at the same time.
        const isRace = isDiskError(error) && (error.code === 'EEXIST' || error.code === 'ENOENT')
        if (!isRace || races >= maxLostRaces) throw error
        races += 1
      }
      removeFileIfThere(disk, claim)
      if (rival !== undefined && run.now() - startedAt > maxWaitMs) {
        end()
        return { kind: 'busy', owner: rival }
      }
      await run.pause()
    }
  } catch (error) {
    end()
    throw error
  }
}

export interface Owner {
  readonly startedAt: number
  readonly pid: number
  readonly host: string
  readonly nonce: string
}

export function claimName({ startedAt, pid, host, nonce }: Owner): string {
  // All data is in the name of the file, because another process could read content that is not yet complete.
  return `claim.${startedAt}.${pid}.${Buffer.from(host).toString('hex')}.${nonce}`
}

function ownerOf(name: string): Owner | undefined {
  const [, startedAt, pid, host, nonce] = /^claim\.(\d+)\.(\d+)\.([0-9a-f]*)\.([0-9a-z]+)$/.exec(name) ?? []
  if (startedAt === undefined || pid === undefined || host === undefined || nonce === undefined) return undefined
  return { startedAt: Number(startedAt), pid: Number(pid), host: Buffer.from(host, 'hex').toString(), nonce }
}

export function missingFolders(disk: Disk, folder: string): readonly string[] {
  if (folder === '' || disk.kind(folder) !== undefined) return []
  const end = folder.lastIndexOf('/')
  return end === -1 ? [folder] : [...missingFolders(disk, folder.slice(0, end)), folder]
}

function removeFileIfThere(disk: Disk, path: string): void {
  tolerate(['ENOENT'], () => {
    if (disk.kind(path) === undefined) return false
    disk.removeFile(path)
    return true
  })
}

function removeFolderIfEmpty(disk: Disk, path: string): boolean {
  return tolerate(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => {
    if (disk.kind(path) !== 'folder' || disk.list(path).length > 0) return false
    disk.removeFolder(path)
    return true
  })
}

function removeTree(disk: Disk, path: string): void {
  const kind = disk.kind(path)
  if (kind === undefined) return
  if (kind !== 'folder') {
    disk.removeFile(path)
    return
  }
  for (const { name } of disk.list(path)) removeTree(disk, `${path}/${name}`)
  disk.removeFolder(path)
}

export function doAll(steps: readonly (() => void)[]): readonly DiskError[] {
  return steps.flatMap((step) => (attempt(step) === undefined ? [] : (attempt(step) ?? [])))
}

function attempt(step: () => void): DiskError | undefined {
  try {
    step()
    return undefined
  } catch (error) {
    if (!isDiskError(error)) throw error
    return error
  }
}

function tolerate(codes: readonly string[], step: () => boolean): boolean {
  try {
    return step()
  } catch (error) {
    if (isDiskError(error) && codes.includes(error.code)) return false
    throw error
  }
}

export function thisRun(): RunIdentity {
  return {
    pid: process.pid,
    host: hostname(),
    nonce: randomBytes(8).toString('hex'),
    now: () => Date.now(),
    isAlive,
    pause: () => setTimeout(20 + Math.random() * 60),
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM means that the process exists but belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

export interface Changes {
  readonly folder: string
  readonly staging: string
  /** Written in this order. The lock file is the last element. */
  readonly writes: readonly EmittedFile[]
  readonly removals: readonly string[]
  /** Removed only if empty, from the innermost folder to the outermost. */
  readonly spareFolders: readonly string[]
  /** Files that an earlier run may have written before it crashed. The journal on disk lists these files until this run is complete. */
  readonly journal: Journal
}

export type Publication =
  /** `leftovers` contains an error for each temporary file that could not be removed. */
  | { readonly kind: 'done'; readonly leftovers: readonly DiskError[] }
  /** If `restored` is false, some files do not have their previous content, and the next run repairs them with the journal. */
  | { readonly kind: 'failed'; readonly error: DiskError; readonly restored: boolean }

export function publish(disk: Disk, changes: Changes): Publication {
  const undo: (() => void)[] = []
  try {
    stage(disk, changes)
    commit(disk, changes, undo)
    return { kind: 'done', leftovers: clear(disk, changes.staging) }
  } catch (error) {
    const refused = doAll(undo.toReversed())
    if (!isDiskError(error)) throw error
    if (refused.length === 0) clear(disk, changes.staging)
    return { kind: 'failed', error, restored: refused.length === 0 }
  }
}

function stage(disk: Disk, { folder, staging, writes, removals, journal }: Changes): void {
  for (const name of ['new', 'old']) {
    removeTree(disk, `${staging}/${name}`)
    disk.makeFolder(`${staging}/${name}`)
  }
  writes.forEach(({ path, text }, index) => {
    disk.write(`${staging}/new/${index}`, text)
    if (disk.kind(`${folder}/${path}`) === 'file') disk.keep(`${folder}/${path}`, `${staging}/old/${index}`)
  })
  if (writes.length + removals.length === 0) return
  const written = new Map(writes.map((file) => [file.path, new Set([hashOf(file)])]))
  const entries = [...joinJournals(journal, written)].map(([file, all]) => [file, [...all]])
  disk.write(`${staging}/${journalName}.new`, JSON.stringify(entries))
  disk.move(`${staging}/${journalName}.new`, `${staging}/${journalName}`)
}

function commit(disk: Disk, { folder, staging, writes, removals, spareFolders }: Changes, undo: (() => void)[]): void {
  // Removes old files before it moves the new files. In the reverse order, a case-insensitive disk could remove a new file whose path differs from an
  // old path only in upper and lower case.
  removals.forEach((path, index) => {
    const [from, to] = [`${folder}/${path}`, `${staging}/old/removed-${index}`]
    disk.move(from, to)
    undo.push(() => disk.move(to, from))
  })
  for (const path of spareFolders) {
    if (removeFolderIfEmpty(disk, `${folder}/${path}`)) undo.push(() => disk.makeFolder(`${folder}/${path}`))
  }
  writes.forEach(({ path }, index) => {
    const target = `${folder}/${path}`
    const parent = target.slice(0, target.lastIndexOf('/'))
    for (const missing of missingFolders(disk, parent)) {
      disk.makeFolder(missing)
      undo.push(() => disk.removeFolder(missing))
    }
    const old = `${staging}/old/${index}`
    const undoMove = disk.kind(old) === undefined ? () => disk.removeFile(target) : () => disk.move(old, target)
    disk.move(`${staging}/new/${index}`, target)
    undo.push(undoMove)
  })
}

function clear(disk: Disk, staging: string): readonly DiskError[] {
  // The journal is last, because the next run needs the journal to repair the output after a crash.
  const names = ['new', 'old', `${journalName}.new`, journalName]
  return doAll(names.map((name) => () => removeTree(disk, `${staging}/${name}`)))
}

/**
 * Content hashes of the files that a run is writing, by path. A copy on disk survives a crash, so that the next run recognizes these files as
 * generated.
 */
export type Journal = ReadonlyMap<string, ReadonlySet<string>>

export function readJournal(disk: Disk, folder: string): Journal {
  const path = `${folder}/${stagingName}/${journalName}`
  if (disk.kind(path) !== 'file') return new Map()
  // An invalid journal is ignored: its files then count as changed by hand, so nothing is lost.
  const parsed = parseJson(Buffer.from(disk.read(path)).toString('utf8'))
  const entries = Array.isArray(parsed) ? parsed.filter(isEntry) : []
  return new Map(entries.map(([file, hashes]) => [file, new Set(hashes)]))
}

export function joinJournals(a: Journal, b: Journal): Journal {
  const paths = new Set([...a.keys(), ...b.keys()])
  return new Map([...paths].map((path) => [path, new Set([...(a.get(path) ?? []), ...(b.get(path) ?? [])])]))
}

function isEntry(value: unknown): value is readonly [string, readonly string[]] {
  return Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1])
}
