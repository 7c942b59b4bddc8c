import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import {
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Kind of an entry at a path, without following links. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other'

/**
 * File operations that publish the output. Tests replace them to make single operations fail. An operation that fails throws an error with
 * the `code` of Node. The operations are synchronous, so that no other code of the process runs between two of them.
 */
export interface Disk {
  /** Returns the kind of the entry at `path`; `undefined` if nothing exists there. */
  kind(path: string): EntryKind | undefined
  /** Returns the entries of a folder. */
  list(folder: string): readonly { readonly name: string; readonly kind: EntryKind }[]
  read(path: string): Uint8Array
  /** Creates or replaces a file. */
  write(path: string, content: string): void
  /** Saves the current content of the file `path` at the path `copy`. */
  keep(path: string, copy: string): void
  /** Moves a file. Replaces an existing file at the new path. */
  move(from: string, to: string): void
  removeFile(path: string): void
  /** Creates a folder. Its parent must exist; the folder must not exist. */
  makeFolder(path: string): void
  /** Removes a folder, which must be empty. */
  removeFolder(path: string): void
}

export const nodeDisk: Disk = {
  kind(path) {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found === undefined ? undefined : kindOf(found)
  },
  list: (folder) =>
    readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, kind: kindOf(entry) })),
  read: (path) => readFileSync(path),
  write: (path, content) => writeFileSync(path, content),
  keep(path, copy) {
    // A hard link keeps timestamps and needs no disk space. File systems without links need a copy.
    try {
      linkSync(path, copy)
    } catch {
      copyFileSync(path, copy)
    }
  },
  move: (from, to) => renameSync(from, to),
  removeFile: (path) => unlinkSync(path),
  makeFolder: (path) => {
    mkdirSync(path)
  },
  removeFolder: (path) => rmdirSync(path),
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): EntryKind {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isDirectory()) return 'folder'
  return entry.isFile() ? 'file' : 'other'
}

/** File system error of Node. */
export interface DiskError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

/** Checks whether a thrown value is a file system error rather than a bug. */
export function isDiskError(thrown: unknown): thrown is DiskError {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    'syscall' in thrown &&
    typeof thrown.syscall === 'string'
  )
}

/** Describes a file system error, as text for the part of a message after a colon. */
export function diskErrorText(error: DiskError): string {
  return diskErrorTexts.get(error.code) ?? error.code
}

const diskErrorTexts: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'no space is left on the device'],
  ['EDQUOT', 'the disk quota is used up'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EISDIR', 'a folder has this path'],
  ['ENOENT', 'a part of the path does not exist'],
  ['EEXIST', 'the path already exists'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EMFILE', 'too many files are open'],
  ['EBUSY', 'the file is in use'],
  ['ELOOP', 'symbolic links form a cycle'],
  ['EIO', 'the device reported an error'],
])

/** Error codes for a path at which nothing exists. They include the codes for a path below a file and for an invalid name. */
const nowhere: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']

/**
 * Returns size, times and kind of the entry at a path; `undefined` if nothing exists there.
 * @param options.links `follow`: the target of a symbolic link, `show`: the link itself. Default: `follow`
 * @throws other file system errors, such as a denied permission
 */
export function foundAt(path: string, options: { readonly links?: 'follow' | 'show' } = {}): Stats | undefined {
  try {
    return options.links === 'show' ? lstatSync(path) : statSync(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && nowhere.includes(String(error.code))) return undefined
    throw error
  }
}

export function isFile(path: string): boolean {
  return foundAt(path)?.isFile() === true
}

export function isFolder(path: string): boolean {
  return foundAt(path)?.isDirectory() === true
}

/** Returns a folder and all its parents, innermost first. */
export function foldersUpFrom(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)]
}

/** Returns the text of a file; empty if it cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Absolute path of the folder with the running code: `src`, `dist` or `bundle` of this package. */
export const codeFolder: string = dirname(fileURLToPath(import.meta.url))

/** Returns the absolute path of a file or folder of this package, e.g. `templates`. */
export function ownPath(path: string): string {
  return join(dirname(codeFolder), path)
}

/** Returns the text of a file of this package, with LF line endings. */
export function ownText(path: string): string {
  return readFileSync(ownPath(path), 'utf8').replaceAll('\r\n', '\n')
}

/** Returns the text of a file in the folder `templates` of this package. */
export function templateFile(path: string): string {
  return ownText(`templates/${path}`)
}

/** Returns the path of `file` relative to the folder `root`, with `/`. */
export function relativePath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

/** Returns the SHA-256 of a file's bytes in hex. CRLF is read as LF, because Git may convert line endings. */
export function contentHash(content: string | Uint8Array): string {
  const bytes = Buffer.from(content)
  // Latin 1 maps every byte to one character, so bytes that are not valid UTF-8 are preserved.
  const isUnix = !bytes.includes('\r\n')
  const normalized = isUnix ? bytes : Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  return createHash('sha256').update(normalized).digest('hex')
}
