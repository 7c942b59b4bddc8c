import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { contentHash, type Disk, type EntryKind } from '../files.js'
import { byCodePoint } from '../text.js'
import { blockedOutput, corruptLock, foreignFolder, newerLock } from './drift.js'
import { type EmittedFile, type FileVerdict, foldersOf, isGenerated, type PlannedOutput, textOf } from './files.js'
import { type LockReading, lockPath, readLock } from './lock.js'
import { type Journal, joinJournals, readJournal, stagingName } from './publish.js'

interface OutputState {
  /** Sorted by path. The lock file is the last element. */
  readonly verdicts: readonly FileVerdict[]
  readonly journal: Journal
  /** Folders that toolgen created and that are no longer needed, innermost first. */
  readonly spareFolders: readonly string[]
  /** True if an earlier run of the generator crashed, or if another run is active. */
  readonly unfinished: boolean
}

export function readOutputState(
  disk: Disk,
  { output, files, lock }: PlannedOutput,
  replaceLock: boolean,
): OutputState | { readonly diagnostics: readonly Diagnostic[] } {
  const { folder, shown } = output
  for (const below of ['', `/${stagingName}`]) {
    const kind = disk.kind(`${folder}${below}`)
    if (kind !== undefined && kind !== 'folder') return { diagnostics: [blockedOutput(`${shown}${below}`, kind)] }
  }
  const reading = readRecordedLock(disk, folder)
  if (reading.kind === 'newer') return { diagnostics: [newerLock(output, reading.contract)] }
  if (reading.kind === 'corrupt' && !replaceLock) return { diagnostics: [corruptLock(output, reading.reason)] }
  const paths = files.map(({ path }) => path)
  if (reading.kind === 'none') {
    const foreign = foreignFiles(disk, folder, new Set(paths))
    if (foreign.length > 0) return { diagnostics: [foreignFolder(output, foreign)] }
  }
  const recorded = reading.kind === 'read' ? [...reading.lock.files] : []
  const journal = readJournal(disk, folder)
  const written = joinJournals(new Map(recorded.map(([path, hash]) => [path, new Set([hash])])), journal)
  const snapshot = readSnapshot(disk, folder, [...paths, ...written.keys(), lockPath])
  const lockEntry = snapshot.get(lockPath)
  snapshot.delete(lockPath)
  return {
    verdicts: [...compareFiles(files, written, snapshot), compareLock(lock, lockEntry)],
    journal,
    spareFolders: spareFolders(paths, written),
    unfinished: disk.kind(`${folder}/${stagingName}`) !== undefined,
  }
}

function spareFolders(planned: readonly string[], written: Journal): readonly string[] {
  const needed = new Set(planned.flatMap(foldersOf))
  const spare = [...written.keys()].flatMap(foldersOf).filter((folder) => !needed.has(folder))
  return [...new Set(spare)].sort((a, b) => b.length - a.length)
}

function readRecordedLock(disk: Disk, folder: string): LockReading | { readonly kind: 'none' } {
  const path = `${folder}/${lockPath}`
  if (disk.kind(folder) !== 'folder' || disk.kind(path) === undefined) return { kind: 'none' }
  if (disk.kind(path) !== 'file') return { kind: 'read', lock: { files: new Map() } }
  return readLock(textOf(disk.read(path)))
}

const maxExamples = 3

function foreignFiles(disk: Disk, folder: string, planned: ReadonlySet<string>): readonly string[] {
  const found: string[] = []
  const search = (below: string): void => {
    for (const { name, kind } of disk.list(`${folder}/${below}`.replace(/\/$/, ''))) {
      if (found.length === maxExamples) return
      if (isIgnored(name)) continue
      const path = below === '' ? name : `${below}/${name}`
      if (kind === 'folder') search(path)
      else if (kind === 'file' && !planned.has(path) && !isGenerated(textOf(disk.read(`${folder}/${path}`)))) {
        found.push(path)
      }
    }
  }
  if (disk.kind(folder) === 'folder') search('')
  return found
}

function isIgnored(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules'
}

function compareFiles(
  planned: readonly EmittedFile[],
  written: Journal,
  snapshot: ReadonlyMap<string, Entry>,
): readonly FileVerdict[] {
  const paths = new Set(planned.map(({ path }) => path))
  const others = new Set([...written.keys(), ...snapshot.keys()].filter((path) => !paths.has(path)))
  const ofOthers = [...others].flatMap((path): readonly FileVerdict[] => {
    const entry = snapshot.get(path)
    if (entry?.kind !== 'file') return []
    const { content } = entry
    const hashes = written.get(path)
    if (hashes !== undefined)
      return [{ verdict: hashes.has(contentHash(content)) ? 'remove' : 'edited', path, content }]
    return isGenerated(textOf(content)) ? [{ verdict: 'unrecorded', path, content }] : []
  })
  return [...planned.map((file) => comparePlanned(file, written, snapshot)), ...ofOthers].sort((a, b) =>
    byCodePoint(a.path, b.path),
  )
}

function comparePlanned(
  { path, text }: EmittedFile,
  written: Journal,
  snapshot: ReadonlyMap<string, Entry>,
): FileVerdict {
  for (const folder of foldersOf(path)) {
    const entry = snapshot.get(folder)
    if (entry !== undefined && entry.kind !== 'folder') return { verdict: 'blocked', path, at: folder, by: entry.kind }
  }
  const entry = snapshot.get(path)
  if (entry === undefined) return { verdict: 'create', path, text }
  if (entry.kind !== 'file') return { verdict: 'blocked', path, at: path, by: entry.kind }
  const { content } = entry
  if (isSame(content, text)) return { verdict: 'keep', path }
  const hashes = written.get(path)
  if (hashes !== undefined) {
    return { verdict: hashes.has(contentHash(content)) ? 'update' : 'edited', path, text, content }
  }
  return { verdict: isGenerated(textOf(content)) ? 'unrecorded' : 'foreign', path, text, content }
}

function compareLock(text: string, entry: Entry | undefined): FileVerdict {
  const path = lockPath
  if (entry === undefined) return { verdict: 'create', path, text }
  if (entry.kind !== 'file') return { verdict: 'blocked', path, at: path, by: entry.kind }
  if (isSame(entry.content, text)) return { verdict: 'keep', path }
  return { verdict: 'update', path, text, content: entry.content }
}

function isSame(content: Uint8Array, text: string): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (Buffer.from(text, 'utf8').equals(bytes)) return true
  // Ignores different line endings, because Git may convert line endings.
  return bytes.includes('\r\n') && contentHash(content) === contentHash(text)
}

type Entry = { readonly kind: 'file'; readonly content: Uint8Array } | { readonly kind: Exclude<EntryKind, 'file'> }

function readSnapshot(disk: Disk, folder: string, paths: readonly string[]): Map<string, Entry> {
  const snapshot = new Map<string, Entry>()
  const readEntry = (path: string, kind: EntryKind): void => {
    if (kind === 'file') {
      snapshot.set(path, { kind, content: disk.read(`${folder}/${path}`) })
      return
    }
    snapshot.set(path, { kind })
    if (kind !== 'folder') return
    // The names are from folder listings, because only listings show the exact upper and lower case.
    for (const entry of disk.list(`${folder}/${path}`)) {
      if (!isIgnored(entry.name)) readEntry(`${path}/${entry.name}`, entry.kind)
    }
  }
  if (disk.kind(folder) !== 'folder') return snapshot
  const wanted = new Set(paths.map((path) => path.split('/')[0]))
  for (const { name, kind } of disk.list(folder)) if (wanted.has(name)) readEntry(name, kind)
  return snapshot
}
