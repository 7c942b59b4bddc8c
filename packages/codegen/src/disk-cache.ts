import { createHash } from 'node:crypto'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import process from 'node:process'
import type { FileSystemHost } from 'ts-morph'
import { isDiskError } from './files.js'

/** A question to the file system. */
type ProbeKind = 'read' | 'file' | 'directory' | 'list' | 'real'

/** Questions to the file system with the answer to each: a result that depends on them holds while the answers do. */
export type Probes = readonly (readonly [ProbeKind, path: string, answer: string])[]

function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

/** Answers a question from the disk; a folder or file that cannot be read counts as absent. */
export function probeDisk(kind: ProbeKind, path: string): string {
  try {
    switch (kind) {
      case 'read':
        return hashOf(readFileSync(path))
      case 'file':
        return statSync(path).isFile() ? 'yes' : 'no'
      case 'directory':
        return statSync(path).isDirectory() ? 'yes' : 'no'
      case 'list':
        return hashOf(readdirSync(path).sort().join('\n'))
      case 'real':
        return realpathSync(path)
    }
  } catch {
    return ''
  }
}

/** Returns true when every question would be answered the same today. */
export function probesHold(probes: Probes): boolean {
  return probes.every(([kind, path, answer]) => probeDisk(kind, path) === answer)
}

/** A result in a cache file. */
export interface CacheEntry {
  /** The hash of everything that decides the result, except the files of the probes: see {@link cacheKey}. */
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
 * Returns the entry in the text of a cache file, if its probes hold; text of another form is no entry.
 *
 * @param key of the entry. Default: any
 */
export function entryIn(text: string, key?: string): CacheEntry | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isEntry(value) && value.key === (key ?? value.key) && probesHold(value.probes) ? value : undefined
  } catch {
    return undefined
  }
}

function isEntry(value: unknown): value is CacheEntry {
  return (
    typeof value === 'object' && value !== null && 'key' in value && 'probes' in value && Array.isArray(value.probes)
  )
}

/** Returns the text of a cache file; undefined when there is none that can be read. */
export function readCacheText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}

/**
 * Replaces a cache file in one step, so that no other run reads half a file. A cache that cannot be written only costs
 * time; the old file, which describes an earlier run, is then removed.
 */
export function writeCacheText(file: string, text: string): void {
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
  const isWritten = attempt(() => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(temporary, text)
    renameSync(temporary, file)
  })
  if (isWritten) return
  attempt(() => rmSync(temporary, { force: true }))
  attempt(() => rmSync(file, { force: true }))
}

const probingMethods: ReadonlyMap<unknown, Probes[number][0]> = new Map<keyof FileSystemHost, Probes[number][0]>([
  ['readFileSync', 'read'],
  ['fileExistsSync', 'file'],
  ['directoryExistsSync', 'directory'],
  ['readDirSync', 'list'],
  ['realpathSync', 'real'],
])

/** Wraps a file system so that a later run can ask the same questions again. Questions about `ignored` are not kept. */
export function probedFiles(
  host: FileSystemHost,
  ignored: string,
): { readonly host: FileSystemHost; readonly probes: () => Probes } {
  const probes = new Map<string, Probes[number]>()
  const probed = new Proxy(host, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      const kind = probingMethods.get(name)
      if (typeof value !== 'function') return value
      if (kind === undefined) return value.bind(target)
      return (path: string, ...more: readonly unknown[]): unknown => {
        const key = `${kind} ${path}`
        if (path !== ignored && !probes.has(key)) probes.set(key, [kind, path, probeDisk(kind, path)])
        return value.call(target, path, ...more)
      }
    },
  })
  return {
    host: probed,
    probes: () => [...probes.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, probe]) => probe),
  }
}
