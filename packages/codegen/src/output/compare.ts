import type { Disk, EntryKind } from '../files.js'
import { byCodePoint } from '../text.js'
import { contentHash, type EmittedFile, foldersOf, isGenerated } from './files.js'

/** The verdict on one path of the output. `content` is on the disk, `text` is planned. */
export type FileVerdict =
  | { readonly verdict: 'keep'; readonly path: string }
  | { readonly verdict: 'create'; readonly path: string; readonly text: string }
  | { readonly verdict: 'update'; readonly path: string; readonly text: string; readonly content: Uint8Array }
  /** Written by toolgen, unchanged since, and no longer planned. */
  | { readonly verdict: 'remove'; readonly path: string; readonly content: Uint8Array }
  /** Written by toolgen and changed since by somebody else; without `text` it is no longer planned. */
  | { readonly verdict: 'edited'; readonly path: string; readonly text?: string; readonly content: Uint8Array }
  /** Carries toolgen's head, but no lock lists it; without `text` it is not planned. */
  | { readonly verdict: 'unrecorded'; readonly path: string; readonly text?: string; readonly content: Uint8Array }
  /** Not written by toolgen, at a path that is needed. */
  | { readonly verdict: 'foreign'; readonly path: string; readonly text: string; readonly content: Uint8Array }
  /** A link, folder or the like stands where a file or folder must stand. */
  | { readonly verdict: 'blocked'; readonly path: string; readonly at: string; readonly by: Entry['kind'] }

/** The input of {@link compareOutput}. */
interface ComparedOutput {
  readonly planned: readonly EmittedFile[]
  /** Path → the content hashes that toolgen is known to have written there. */
  readonly written: ReadonlyMap<string, ReadonlySet<string>>
  readonly snapshot: Snapshot
}

/** Decides for every planned, recorded or left-over file what it is; sorted by path. Pure. */
export function compareOutput(output: ComparedOutput): readonly FileVerdict[] {
  const planned = new Set(output.planned.map((file) => file.path))
  const others = [...new Set([...output.written.keys(), ...output.snapshot.keys()])].filter(
    (path) => !planned.has(path),
  )
  return [
    ...output.planned.map((file) => judgePlanned(file, output)),
    ...others.flatMap((path) => judgeUnplanned(path, output)),
  ].sort((a, b) => byCodePoint(a.path, b.path))
}

function judgePlanned({ path, text }: EmittedFile, { written, snapshot }: ComparedOutput): FileVerdict {
  for (const folder of foldersOf(path)) {
    const entry = snapshot.get(folder)
    if (entry !== undefined && entry.kind !== 'folder') return { verdict: 'blocked', path, at: folder, by: entry.kind }
  }
  const entry = snapshot.get(path)
  if (entry === undefined) return { verdict: 'create', path, text }
  if (entry.kind !== 'file') return { verdict: 'blocked', path, at: path, by: entry.kind }
  const { content } = entry
  if (isSame(content, text)) return { verdict: 'keep', path }
  const hash = contentHash(content)
  const known = written.get(path)
  if (known !== undefined) return { verdict: known.has(hash) ? 'update' : 'edited', path, text, content }
  return { verdict: isGenerated(textOf(content)) ? 'unrecorded' : 'foreign', path, text, content }
}

function judgeUnplanned(path: string, { written, snapshot }: ComparedOutput): readonly FileVerdict[] {
  const entry = snapshot.get(path)
  if (entry?.kind !== 'file') return []
  const { content } = entry
  const known = written.get(path)
  if (known !== undefined) return [{ verdict: known.has(contentHash(content)) ? 'remove' : 'edited', path, content }]
  return isGenerated(textOf(content)) ? [{ verdict: 'unrecorded', path, content }] : []
}

/** Compares the lock, which toolgen owns whatever its content. */
export function compareLock({ path, text }: EmittedFile, entry: Entry | undefined): FileVerdict {
  if (entry === undefined) return { verdict: 'create', path, text }
  if (entry.kind !== 'file') return { verdict: 'blocked', path, at: path, by: entry.kind }
  if (isSame(entry.content, text)) return { verdict: 'keep', path }
  return { verdict: 'update', path, text, content: entry.content }
}

/** Checks whether they are the same byte for byte, or a checkout has converted the line ends. */
function isSame(content: Uint8Array, text: string): boolean {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  if (Buffer.from(text, 'utf8').equals(bytes)) return true
  return bytes.includes('\r\n') && contentHash(content) === contentHash(text)
}

/** A file's content as text with LF ends. */
export function textOf(content: Uint8Array): string {
  return Buffer.from(content).toString('utf8').replaceAll('\r\n', '\n')
}

/** An entry of the output folder. */
type Entry = { readonly kind: 'file'; readonly content: Uint8Array } | { readonly kind: Exclude<EntryKind, 'file'> }

/** The entries of the output folder by path with `/`; with the folders. */
type Snapshot = ReadonlyMap<string, Entry>

/**
 * Reads the entries at the given paths and beside them: the root's files that are named, and everything below the
 * root's folders that are named. Names come from listings, so that their case is the disk's own. Dot folders and
 * `node_modules` are left out; links are not followed.
 */
export function readSnapshot(disk: Disk, folder: string, paths: Iterable<string>): Snapshot {
  const snapshot = new Map<string, Entry>()
  if (disk.kind(folder) !== 'folder') return snapshot
  const wanted = new Set([...paths].map((path) => path.split('/')[0]))
  for (const entry of disk.list(folder)) {
    if (wanted.has(entry.name)) readEntry(disk, folder, entry.name, entry.kind, snapshot)
  }
  return snapshot
}

function readEntry(disk: Disk, folder: string, path: string, kind: EntryKind, into: Map<string, Entry>): void {
  if (kind === 'file') {
    into.set(path, { kind, content: disk.read(`${folder}/${path}`) })
    return
  }
  into.set(path, { kind })
  if (kind !== 'folder') return
  for (const entry of disk.list(`${folder}/${path}`)) {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') continue
    readEntry(disk, folder, `${path}/${entry.name}`, entry.kind, into)
  }
}
