import { type Disk, type DiskError, isDiskError } from '../files.js'
import { type EmittedFile, hashOf } from './files.js'
import { parseJson } from './lock.js'
import { doAll, missingFolders, removeFolderIfEmpty, removeTree, stagingName } from './turn.js'

/** The changes of an output folder. */
interface Changes {
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
  const written = new Map(writes.map((file) => [file.path, new Set([hashOf(file)])]))
  if (written.size + removals.length > 0) writeJournal(disk, staging, joinJournals(journal, written))
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

/** Returns the journal goes last: as long as it stands, the next run can repair. */
function clear(disk: Disk, staging: string): readonly DiskError[] {
  return doAll(
    ['new', 'old', 'journal.json.new', 'journal.json'].map((name) => () => removeTree(disk, `${staging}/${name}`)),
  )
}

/**
 * The files that a run is about to write: path → content hashes. It stands in the staging folder while files are renamed, so that
 * after a crash between two renames the next run knows the new content as toolgen's own.
 */
export type Journal = ReadonlyMap<string, ReadonlySet<string>>

const journalName = 'journal.json'

/** Reads the journal that a dead run left in the staging folder; empty if there is none. */
export function readJournal(disk: Disk, folder: string): Journal {
  const path = `${folder}/${stagingName}/${journalName}`
  if (disk.kind(path) !== 'file') return new Map()
  // A journal that a failing machine spoilt counts as none: its files then show as changed by hand, which loses nothing.
  const parsed = parseJson(Buffer.from(disk.read(path)).toString('utf8'))
  const entries = Array.isArray(parsed) ? parsed.filter(isEntry) : []
  return new Map(entries.map(([file, hashes]) => [file, new Set(hashes)]))
}

/** Writes the journal in one step. */
function writeJournal(disk: Disk, staging: string, journal: Journal): void {
  const entries = [...journal].map(([file, hashes]) => [file, [...hashes]])
  disk.write(`${staging}/${journalName}.new`, JSON.stringify(entries))
  disk.move(`${staging}/${journalName}.new`, `${staging}/${journalName}`)
}

/** Returns every hash of either side. */
export function joinJournals(a: Journal, b: Journal): Journal {
  return new Map(
    [...new Set([...a.keys(), ...b.keys()])].map((path) => [
      path,
      new Set([...(a.get(path) ?? []), ...(b.get(path) ?? [])]),
    ]),
  )
}

function isEntry(value: unknown): value is readonly [string, readonly string[]] {
  return Array.isArray(value) && typeof value[0] === 'string' && Array.isArray(value[1])
}
