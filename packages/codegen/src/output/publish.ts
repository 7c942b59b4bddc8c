import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { type Disk, type DiskError, isDiskError } from '../files.js'
import { type EmittedFile, hashOf } from './files.js'
import { parseJson } from './lock.js'

/** The folder for a run's files while it changes the output; a dot folder, so that compilers and linters ignore it. */
export const stagingName = '.toolgen'

const journalName = 'journal.json'

/** Identity of a run and its clock, which tests replace. */
export interface RunIdentity extends Omit<Owner, 'startedAt'> {
  /** Milliseconds since 1970. */
  now(): number
  /** Checks whether a process of this machine still runs. */
  isAlive(pid: number): boolean
  /** Waits a short, random time. */
  pause(): Promise<void>
}

/** The right to change an output folder. */
interface Turn {
  readonly kind: 'taken'
  /** The staging folder, which may hold what a run left that died. */
  readonly staging: string
  /** Gives the right back and removes the folders made for it that are empty; returns what the disk refused. */
  end(): readonly DiskError[]
}

/** The time that a run waits for others, in milliseconds. */
const maxWaitMs = 10_000

/** A claim older than this belongs to a dead run, in milliseconds; publishing takes seconds at most. */
const claimLifetimeMs = 600_000

/** Maximum number of times in a row that the staging folder can vanish. */
const maxLostRaces = 20

/**
 * Waits until no other run changes the output folder, and keeps others out. Every run writes a claim file of its own
 * and then lists all claims: of two runs at least the later one sees the other and steps back. Claims of dead runs are
 * removed. Disk errors are thrown, with nothing left behind.
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
  /** Writes the claim and lists those of others. */
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
        // Another run may have made or removed the staging folder at the same time.
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

/** The run that made a claim on an output folder. */
export interface Owner {
  /** Milliseconds since 1970. */
  readonly startedAt: number
  readonly pid: number
  /** The machine's name. */
  readonly host: string
  /** Lower-case letters and digits; differs in every run. */
  readonly nonce: string
}

/** Returns the name of a claim file. The name contains the whole claim, so that it appears and vanishes in one step. */
export function claimName({ startedAt, pid, host, nonce }: Owner): string {
  return `claim.${startedAt}.${pid}.${Buffer.from(host).toString('hex')}.${nonce}`
}

/** Reads a claim file's name; undefined when it is another file. */
function ownerOf(name: string): Owner | undefined {
  const [, startedAt, pid, host, nonce] = /^claim\.(\d+)\.(\d+)\.([0-9a-f]*)\.([0-9a-z]+)$/.exec(name) ?? []
  if (startedAt === undefined || pid === undefined || host === undefined || nonce === undefined) return undefined
  return { startedAt: Number(startedAt), pid: Number(pid), host: Buffer.from(host, 'hex').toString(), nonce }
}

/** A folder and its missing parents, outermost first. */
export function missingFolders(disk: Disk, folder: string): readonly string[] {
  if (folder === '' || disk.kind(folder) !== undefined) return []
  const end = folder.lastIndexOf('/')
  return end === -1 ? [folder] : [...missingFolders(disk, folder.slice(0, end)), folder]
}

/** Removes a file if it is there; another run may be faster. */
function removeFileIfThere(disk: Disk, path: string): void {
  tolerate(['ENOENT'], () => {
    if (disk.kind(path) === undefined) return false
    disk.removeFile(path)
    return true
  })
}

/** Removes a folder if it is there and empty; returns whether it did. Another run may be faster, or use it again. */
function removeFolderIfEmpty(disk: Disk, path: string): boolean {
  return tolerate(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => {
    if (disk.kind(path) !== 'folder' || disk.list(path).length > 0) return false
    disk.removeFolder(path)
    return true
  })
}

/** Removes the entry at a path, with everything below; links are removed, not followed. */
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

/** Does every step, each a second time when the disk refuses it; returns the errors of those that it refused twice. */
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

/** This process, as a run of the generator. */
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
    // A process of another user refuses the signal, but lives.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** The changes of an output folder. */
export interface Changes {
  /** Absolute, with `/`. */
  readonly folder: string
  /** The staging folder of this run's turn. */
  readonly staging: string
  /** In the order of writing; the lock comes last. */
  readonly writes: readonly EmittedFile[]
  /** Paths below the folder. */
  readonly removals: readonly string[]
  /** Folders below the folder, innermost first, that go when they are empty. */
  readonly spareFolders: readonly string[]
  /** The files that a dead run may have written; its records are kept until this run is through. */
  readonly journal: Journal
}

/** The outcome of publishing. */
export type Publication =
  /** `leftovers`: what the disk refused to clean up in the staging folder. */
  | { readonly kind: 'done'; readonly leftovers: readonly DiskError[] }
  /** The disk refused a step. `restored`: everything is as before; else the journal lets the next run repair it. */
  | { readonly kind: 'failed'; readonly error: DiskError; readonly restored: boolean }

/**
 * Changes the output as a whole or not at all: first everything new is written to the staging folder and everything old
 * is kept there, then files are moved into place, the lock last. When a step fails, the steps before it are undone.
 */
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

/** Removals come first: on a disk that ignores case, a removed path may be a written one in another case. */
function commit(disk: Disk, { folder, staging, writes, removals, spareFolders }: Changes, undo: (() => void)[]): void {
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

/** Removes the journal last: until then, the next run can repair. */
function clear(disk: Disk, staging: string): readonly DiskError[] {
  const names = ['new', 'old', `${journalName}.new`, journalName]
  return doAll(names.map((name) => () => removeTree(disk, `${staging}/${name}`)))
}

/**
 * The files that a run is about to write: path → content hashes. The staging folder has it while files are renamed, so
 * that after a crash between two renames the next run recognizes the new content as toolgen's own.
 */
export type Journal = ReadonlyMap<string, ReadonlySet<string>>

/** Reads the journal that a dead run left in the staging folder. Default: empty. */
export function readJournal(disk: Disk, folder: string): Journal {
  const path = `${folder}/${stagingName}/${journalName}`
  if (disk.kind(path) !== 'file') return new Map()
  // A journal that a failing machine spoilt counts as none: its files then show as changed by hand, which loses nothing.
  const parsed = parseJson(Buffer.from(disk.read(path)).toString('utf8'))
  const entries = Array.isArray(parsed) ? parsed.filter(isEntry) : []
  return new Map(entries.map(([file, hashes]) => [file, new Set(hashes)]))
}

/** Joins the hashes of each path. */
export function joinJournals(a: Journal, b: Journal): Journal {
  const paths = new Set([...a.keys(), ...b.keys()])
  return new Map([...paths].map((path) => [path, new Set([...(a.get(path) ?? []), ...(b.get(path) ?? [])])]))
}

function isEntry(value: unknown): value is readonly [string, readonly string[]] {
  return Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1])
}
