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
import { dirname, relative, sep } from 'node:path'

/** The kind of an entry at a path; links are not followed. */
export type EntryKind = 'file' | 'folder' | 'link' | 'other'

/**
 * The file operations that publishing needs. Each either happens or throws an error with Node's `code`, so that a test
 * can let any one of them fail. Synchronous, so that nothing else of the process runs while the output changes.
 */
export interface Disk {
  /** Returns the kind of the entry; undefined if there is none. */
  kind(path: string): EntryKind | undefined
  /** The names in a folder and what they are. */
  list(folder: string): readonly { readonly name: string; readonly kind: EntryKind }[]
  read(path: string): Uint8Array
  /** Makes or replaces a file. */
  write(path: string, content: string): void
  /** Keeps the present content of a file under a second name. */
  keep(path: string, copy: string): void
  /** Replaces a file that stands at the new path. */
  move(from: string, to: string): void
  removeFile(path: string): void
  /** The parent must exist, the folder must not. */
  makeFolder(path: string): void
  /** The folder must be empty. */
  removeFolder(path: string): void
}

/** The real disk. */
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
    // A link keeps the file's times and cannot fail for want of space; where links are unknown, a copy must do.
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

/** An error of the operating system, as Node reports it. */
export interface DiskError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

/** Checks whether a thrown value is an error of the operating system rather than a bug. */
export function isDiskError(thrown: unknown): thrown is DiskError {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    'syscall' in thrown &&
    typeof thrown.syscall === 'string'
  )
}

/** Describes an error of the operating system, to follow a colon. */
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
  ['EISDIR', 'a folder stands there'],
  ['ENOENT', 'a part of the path does not exist'],
  ['EEXIST', 'something stands there already'],
  ['ENAMETOOLONG', 'the path is too long'],
  ['EMFILE', 'too many files are open'],
  ['EBUSY', 'the file is in use'],
  ['ELOOP', 'symbolic links lead in a circle'],
  ['EIO', 'the device reported an error'],
])

/** Error codes for a path without an entry: also below a file, and for impossible names. */
const nowhere: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']

/**
 * Returns the entry at a path; `undefined` if nothing exists there.
 *
 * @param options.links `follow` describes the target of a symbolic link, `show` the link itself. Default: `follow`
 * @throws other errors of the file system, such as a denied permission
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

/** Returns the text of a file in the folder `templates` of this package, with LF line endings. */
export function templateFile(path: string): string {
  return readFileSync(new URL(`../templates/${path}`, import.meta.url), 'utf8').replaceAll('\r\n', '\n')
}

/** Returns a path relative to the project, with `/`. */
export function relativePath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

/**
 * Returns the SHA-256 in hex of a file's bytes with every CRLF read as LF, so that a checkout that converts line ends
 * counts as unchanged.
 */
export function contentHash(content: string | Uint8Array): string {
  const bytes = Buffer.from(content)
  // Latin 1 maps every byte to one character and back, so bytes that are not UTF-8 survive.
  const isUnix = !bytes.includes('\r\n')
  const normalized = isUnix ? bytes : Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  return createHash('sha256').update(normalized).digest('hex')
}
