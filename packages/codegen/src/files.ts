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
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

export type EntryKind = 'file' | 'folder' | 'link' | 'other'

/**
 * Tests replace operations to simulate failures. A failed operation throws an error with Node's error code in `code`. The operations are synchronous,
 * so that no other code of this process can run between two operations.
 */
export interface Disk {
  kind(path: string): EntryKind | undefined
  list(folder: string): readonly { readonly name: string; readonly kind: EntryKind }[]
  read(path: string): Uint8Array
  write(path: string, content: string): void
  keep(path: string, copy: string): void
  move(from: string, to: string): void
  removeFile(path: string): void
  /** The parent folder must exist, and the folder itself must not exist. */
  makeFolder(path: string): void
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

export interface DiskError extends Error {
  readonly code: string
  readonly syscall: string
  readonly path?: string
}

export function isDiskError(thrown: unknown): thrown is DiskError {
  return (
    thrown instanceof Error &&
    'code' in thrown &&
    typeof thrown.code === 'string' &&
    'syscall' in thrown &&
    typeof thrown.syscall === 'string'
  )
}

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

/** The last three codes mean a path inside a file, a name that is too long, and a cycle of links. */
const nowhere: readonly string[] = ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP']

/** @throws file system errors that do not mean a missing path, such as a denied permission */
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

export function foldersUpFrom(folder: string): readonly string[] {
  const parent = dirname(folder)
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)]
}

export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Returns the path of a tsconfig and of the files that it extends. Returns `undefined` if one of them is missing. Does not need the compiler.
 */
export function tsconfigFiles(file: string, depth = 0): readonly string[] | undefined {
  if (depth > 16 || !isFile(file)) return undefined
  const text = readText(file).replaceAll(stringOrComment, (part) => (part.startsWith('"') ? part : ' '))
  const [, extended = ''] = /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/.exec(text) ?? []
  const files = [file]
  for (const [, base = ''] of extended.matchAll(/"([^"]*)"/g)) {
    const extendedFile = extendedTsconfig(dirname(file), base)
    const more = extendedFile && tsconfigFiles(extendedFile, depth + 1)
    if (more === undefined) return undefined
    files.push(...more)
  }
  return files
}

const stringOrComment = /"(?:\\.|[^"\\])*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g

function extendedTsconfig(folder: string, base: string): string | undefined {
  const isPath = base.startsWith('.') || base.startsWith('/')
  const places = isPath
    ? [resolve(folder, base)]
    : foldersUpFrom(folder).map((parent) => join(parent, 'node_modules', base))
  return places.flatMap((path) => [path, `${path}.json`, join(path, 'tsconfig.json')]).find(isFile)
}

const relativeImport = /\b(?:from|import|require)\s*\(?\s*(['"])(\.[^'"\n]+)\1/g

/** Returns the folders in which a new file can change what a module imports. For example, `lib.ts` takes the place of `lib/index.ts`. */
export function foldersOfModule(file: string, text: string): readonly string[] {
  const specifiers = file.endsWith('.json')
    ? []
    : [...text.matchAll(relativeImport)].map(([, , specifier = '']) => specifier)
  return [dirname(file), ...specifiers.map((specifier) => dirname(resolve(dirname(file), specifier)))]
}

/** `src`, `dist` or `bundle` of this package. */
export const codeFolder: string = dirname(fileURLToPath(import.meta.url))

export function ownPath(path: string): string {
  return join(dirname(codeFolder), path)
}

export function ownText(path: string): string {
  return readFileSync(ownPath(path), 'utf8').replaceAll('\r\n', '\n')
}

export function templateFile(path: string): string {
  return ownText(`templates/${path}`)
}

export function relativePath(root: string, file: string): string {
  return relative(root, file).split(sep).join('/')
}

/** Treats CRLF as LF, because Git may convert line endings. */
export function contentHash(content: string | Uint8Array): string {
  const bytes = Buffer.from(content)
  // Latin 1 maps every byte to one character, so bytes that are not valid UTF-8 are preserved.
  const isUnix = !bytes.includes('\r\n')
  const normalized = isUnix ? bytes : Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')
  return createHash('sha256').update(normalized).digest('hex')
}
