import type { Disk, EntryKind } from './disk.js'

/** What stands at a path of the output folder. */
export type Entry =
  | { readonly kind: 'file'; readonly content: Uint8Array }
  | { readonly kind: Exclude<EntryKind, 'file'> }

/** The output folder as it is: path with `/` → what stands there. Holds the folders too. */
export type Snapshot = ReadonlyMap<string, Entry>

/**
 * Reads what stands at the given paths and beside them: the root's files that are named, and everything below the
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
