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
import { contentHash, foldersUpFrom, isDiskError, isFolder } from './files.js'

const texts = new WeakMap<object, string>()

export function jsonText(value: object): string {
  // Several runs of the generator use the same immutable objects.
  const text = texts.get(value) ?? JSON.stringify(value)
  texts.set(value, text)
  return text
}

const hashes = new WeakMap<object, string>()

/** Hash of the JSON text, for keys: shorter than the text, and also kept between runs. */
export function jsonHash(value: object): string {
  const hash = hashes.get(value) ?? createHash('sha256').update(JSON.stringify(value)).digest('base64')
  hashes.set(value, hash)
  return hash
}

/** Cache between the runs of one process. {@link endRun} removes all results that the run has not requested, so that the cache does not grow. */
export class KeyedResults<Result> {
  #kept: ReadonlyMap<string, { readonly result: Result }> = new Map()
  #requested = new Map<string, { readonly result: Result }>()

  /** The key must contain everything that affects the result of `make`. */
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

/** Calls `make` if the previous run had no result with this key. Only calls `key` if there can be a previous run. */
export type Once<Result> = (key: () => readonly unknown[], make: () => Result) => Result

export function onceIn<Result>(known: KeyedResults<Result> | undefined, shared: readonly unknown[]): Once<Result> {
  return (key, make) => (known === undefined ? make() : known.get(JSON.stringify([shared, key()]), make))
}

/**
 * `own` is for generated files: a link at the path of the file counts as a change. `stamp` compares size and modification time, for files that nobody
 * edits by hand.
 */
type ProbeKind = 'read' | 'own' | 'stamp' | 'file' | 'directory' | 'list' | 'real'

export type Probes = readonly (readonly [ProbeKind, path: string, answer: string])[]

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
  /** Contains or hashes everything that affects the result, except the files in `probes`. */
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
 * The folder is in the nearest `node_modules/.cache`, because version control and compilers ignore this path. Without a writable folder, toolgen
 * caches nothing.
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
