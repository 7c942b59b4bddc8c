import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { contentHash, foldersUpFrom, isDiskError, isFolder } from './files.js'

const texts = new WeakMap<object, string>()

export function jsonText(value: object): string {
  // Several runs of the generator use the same immutable objects.
  const text = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, text)
  return text
}

/**
 * Caches results by key for later runs in this process. At the end of a run, {@link endRun} removes all results that the run has not used.
 *
 * @example
 * const texts = new KeyedResults<string>()
 * for (const part of parts) texts.get(JSON.stringify(part), () => print(part))
 * texts.endRun()
 */
export class KeyedResults<Result> {
  #kept: ReadonlyMap<string, { readonly result: Result }> = new Map()
  #requested = new Map<string, { readonly result: Result }>()

  /** Returns the cached result for a key, or the new result of `make`. The key must contain everything that affects the result of `make`. */
  get(key: string, make: () => Result): Result {
    const found = this.#requested.get(key) ?? this.#kept.get(key) ?? { result: make() }
    this.#requested.set(key, found)
    return found.result
  }

  has(key: string): boolean {
    return this.#requested.has(key) || this.#kept.has(key)
  }

  endRun(): void {
    this.#kept = this.#requested
    this.#requested = new Map()
  }
}

/**
 * Kind of check for a path on disk, with its result:
 *
 * - `read`: hash of the file's content
 * - `own`: hash of the file's content, but empty for a link
 * - `stamp`: size and modification time, for files that nobody edits by hand
 * - `file`, `directory`: `yes` for a path of this type, and `no` for other paths
 * - `list`: hash of the names in a folder
 * - `real`: path after resolving all links
 */
type ProbeKind = 'read' | 'own' | 'stamp' | 'file' | 'directory' | 'list' | 'real'

/** Checks of paths on disk, with the results when a value was cached. The value stays valid while all checks return the same results. */
export type Probes = readonly (readonly [ProbeKind, path: string, answer: string])[]

/** Runs one check of a path and returns the result as text. The text is empty if the file or folder is missing or unreadable. */
export function probeDisk(kind: ProbeKind, path: string): string {
  try {
    switch (kind) {
      case 'read':
        return contentHash(readFileSync(path))
      case 'own':
        return lstatSync(path).isFile() ? contentHash(readFileSync(path)) : ''
      case 'stamp':
        return stampOf(path)
      case 'file':
        return statSync(path).isFile() ? 'yes' : 'no'
      case 'directory':
        return statSync(path).isDirectory() ? 'yes' : 'no'
      case 'list':
        return contentHash(readdirSync(path).sort().join('\n'))
      case 'real':
        return realpathSync(path)
    }
  } catch {
    return ''
  }
}

function stampOf(path: string): string {
  const found = statSync(path, { throwIfNoEntry: false })
  return `${found?.size}:${found?.mtimeMs}`
}

export function probesHold(probes: Probes): boolean {
  return probes.every(([kind, path, answer]) => probeDisk(kind, path) === answer)
}

export interface CacheEntry {
  /** Hash of everything that affects the result, except the files in `probes`. Computed by {@link cacheKey}. */
  readonly key: string
  readonly probes: Probes
  readonly value: unknown
}

export function cacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(String(part.length)).update(':').update(part)
  return hash.digest('hex')
}

export function readCache(file: string, key?: string): CacheEntry | undefined {
  try {
    const entry: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isEntry(entry) && entry.key === (key ?? entry.key) && probesHold(entry.probes) ? entry : undefined
  } catch (error) {
    if (isDiskError(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

function isEntry(value: unknown): value is CacheEntry {
  return (
    typeof value === 'object' && value !== null && 'key' in value && 'probes' in value && Array.isArray(value.probes)
  )
}

/** Writes a cache file, or deletes it if `entry` is `undefined` or writing fails. */
export function writeCache(file: string, entry: CacheEntry | undefined): void {
  const temporary = `${file}.${process.pid}.tmp`
  const attempt = (step: () => void): boolean => {
    try {
      step()
      return true
    } catch (error) {
      if (!isDiskError(error)) throw error
      return false
    }
  }
  const isWritten =
    entry !== undefined &&
    attempt(() => {
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(temporary, `${JSON.stringify(entry)}\n`)
      renameSync(temporary, file)
    })
  if (isWritten) return
  attempt(() => rmSync(temporary, { force: true }))
  attempt(() => rmSync(file, { force: true }))
}

/**
 * Returns the cache folder for a configuration file, in the nearest `node_modules/.cache`. Version control and compilers ignore this folder. Returns
 * `undefined` if `node_modules` is missing or read-only; toolgen then caches nothing.
 */
export function cacheFolderFor(configFile: string): string | undefined {
  const modules = foldersUpFrom(dirname(configFile))
    .map((folder) => join(folder, 'node_modules'))
    .find(isFolder)
  if (modules === undefined) return undefined
  const folder = join(modules, '.cache', 'toolgen', contentHash(configFile).slice(0, 32))
  try {
    mkdirSync(folder, { recursive: true })
    accessSync(folder, constants.W_OK)
    return folder
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}
