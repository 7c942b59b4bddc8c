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

/**
 * Returns the JSON text of an immutable object, computed once: parts that a run shares with an earlier one need not be
 * serialized again for a comparison.
 *
 * @example
 * const key = `${JSON.stringify(options)}${jsonText(toolset)}`
 */
export function jsonText(value: object): string {
  const text = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, text)
  return text
}

/**
 * Results of a process's earlier runs by their inputs. Keeps the results of one run: those that were not requested since
 * the last {@link endRun} are dropped.
 *
 * @example
 * const texts = new KeyedResults<string>()
 * for (const part of parts) texts.get(JSON.stringify(part), () => print(part))
 * texts.endRun()
 */
export class KeyedResults<Result> {
  #kept: ReadonlyMap<string, { readonly result: Result }> = new Map()
  #requested = new Map<string, { readonly result: Result }>()

  /**
   * Returns the result that this or the last run made under the key, else a new one.
   *
   * @param key differs if anything that decides the result differs
   */
  get(key: string, make: () => Result): Result {
    const found = this.#requested.get(key) ?? this.#kept.get(key) ?? { result: make() }
    this.#requested.set(key, found)
    return found.result
  }

  /** Checks whether {@link get} would return a kept result. */
  has(key: string): boolean {
    return this.#requested.has(key) || this.#kept.has(key)
  }

  endRun(): void {
    this.#kept = this.#requested
    this.#requested = new Map()
  }
}

/**
 * A question to the file system. `own` is `read` for a file that is not a link; `stamp` is `read` for a file that nobody
 * edits, which is only read again if its size or time differs.
 */
type ProbeKind = 'read' | 'own' | 'stamp' | 'file' | 'directory' | 'list' | 'real'

/** Questions to the file system with their answers: a result that depends on them is valid while the answers are the same. */
export type Probes = readonly (readonly [ProbeKind, path: string, answer: string])[]

/** Answers a question from the disk; a folder or file that cannot be read counts as absent. */
export function probeDisk(kind: ProbeKind, path: string): string {
  try {
    switch (kind) {
      case 'read':
        return contentHash(readFileSync(path))
      case 'own':
        return lstatSync(path).isFile() ? contentHash(readFileSync(path)) : ''
      case 'stamp':
        return `${stampOf(path)} ${contentHash(readFileSync(path))}`
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

/** Checks whether every question has the same answer as before. */
export function probesHold(probes: Probes): boolean {
  return probes.every(([kind, path, answer]) => {
    if (kind !== 'stamp') return probeDisk(kind, path) === answer
    const [stamp, hash] = answer.split(' ')
    return stampOf(path) === stamp || probeDisk('read', path) === hash
  })
}

/** A result in a cache file. */
export interface CacheEntry {
  /** A hash of everything that decides the result, except the files of the probes: see {@link cacheKey}. */
  readonly key: string
  readonly probes: Probes
  readonly value: unknown
}

/** Returns the hash of the parts that decide a result. */
export function cacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(String(part.length)).update(':').update(part)
  return hash.digest('hex')
}

/**
 * Returns the entry of a cache file if its probes hold; `undefined` also for a file that cannot be read.
 *
 * @param key of the entry. Default: any
 */
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

/**
 * Replaces a cache file in one step, so that no other run reads half a file; removes it if there is no entry. A cache that
 * cannot be written only costs time; the old file, which describes an earlier run, is then removed.
 */
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
 * Returns the folder in which runs for a configuration file keep their caches: in the nearest `node_modules/.cache`, which
 * version control and compilers ignore. `undefined` if nothing is installed or nothing can be written; then there is no
 * cache.
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
