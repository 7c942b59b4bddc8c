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
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { isDiskError } from '../files.js'
import type { ServicePlans } from './plan.js'

/** Kind of a file system access of the program. */
type ProbeKind = 'read' | 'file' | 'directory' | 'list' | 'real'

/** Answers a probe as text; the same state of the disk gives the same text. */
type ProbeAnswer = (kind: ProbeKind, path: string) => string

/** Everything a program asked, and what it was told: `[kind, path, answer]`. */
export type Probes = readonly (readonly [ProbeKind, string, string])[]

/** Stored result of one run. */
interface CachedBinding {
  /** The hash of what went in beside files: see {@link cacheKey}. */
  readonly key: string
  readonly probes: Probes
  readonly plans: ServicePlans | null
  readonly diagnostics: readonly Diagnostic[]
}

/** The hash of everything that decides the verdicts beside the files that the program reads. */
export function cacheKey(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(String(part.length)).update(':').update(part)
  return hash.digest('hex')
}

/** The text to be stored. */
export function cacheText(binding: CachedBinding): string {
  return `${JSON.stringify(binding)}\n`
}

/** Stored result with the file system accesses that it depends on. */
interface ReadBinding extends Pick<CachedBinding, 'probes'> {
  readonly checked: Checked<ServicePlans>
}

/** Returns the stored result if its input and the results of all its file system accesses are unchanged. */
export function readCache(text: string, key: string, answer: ProbeAnswer): ReadBinding | undefined {
  const stored = parsed(text)
  if (stored === undefined || stored.key !== key) return undefined
  if (!stored.probes.every(([kind, path, known]) => answer(kind, path) === known)) return undefined
  const { plans, diagnostics, probes } = stored
  return { checked: plans === null ? { diagnostics } : { value: withoutPrototypes(plans), diagnostics }, probes }
}

/** A text that is no JSON of ours is no cache; the run starts afresh. */
function parsed(text: string): CachedBinding | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isCachedBinding(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isCachedBinding(value: unknown): value is CachedBinding {
  return (
    typeof value === 'object' &&
    value !== null &&
    'key' in value &&
    typeof value.key === 'string' &&
    'probes' in value &&
    Array.isArray(value.probes) &&
    'plans' in value &&
    'diagnostics' in value &&
    Array.isArray(value.diagnostics)
  )
}

/** Names come from users: the three levels of plans are records without a prototype. */
function withoutPrototypes(plans: ServicePlans): ServicePlans {
  return record(
    Object.entries(plans).map(([agent, uses]) => [
      agent,
      record(Object.entries(uses).map(([as, tools]) => [as, record(Object.entries(tools))])),
    ]),
  )
}

/** A record without a prototype. */
export function record<Value>(entries: readonly (readonly [string, Value])[]): Readonly<Record<string, Value>> {
  const made: Record<string, Value> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}

/** The text of a cache file; undefined when there is none that can be read. */
export function readCacheText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}

/**
 * Replaces a cache file in one step, so that no other run reads half a file. A cache that cannot be written costs time
 * and nothing else; the old file, which no longer tells of the last run, is then removed.
 */
export function writeCacheText(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  const written = attempt(() => {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(temporary, text)
    renameSync(temporary, file)
  })
  if (written) return
  attempt(() => rmSync(temporary, { force: true }))
  attempt(() => rmSync(file, { force: true }))
}

function attempt(step: () => void): boolean {
  try {
    step()
    return true
  } catch (error) {
    if (!isDiskError(error)) throw error
    return false
  }
}

/** Answers probes from the disk; a folder or file that cannot be read counts as absent. */
export const probeDisk: ProbeAnswer = (kind, path) => {
  switch (kind) {
    case 'read':
      return orAbsent(() => createHash('sha256').update(readFileSync(path)).digest('base64url').slice(0, 22))
    case 'file':
      return orAbsent(() => (statSync(path).isFile() ? 'yes' : 'no'))
    case 'directory':
      return orAbsent(() => (statSync(path).isDirectory() ? 'yes' : 'no'))
    case 'list':
      return orAbsent(() => cut(readdirSync(path).sort().join('\n')))
    case 'real':
      return orAbsent(() => realpathSync(path))
  }
}

function cut(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22)
}

function orAbsent(probe: () => string): string {
  try {
    return probe()
  } catch {
    return ''
  }
}

/** A file system that remembers what it was asked. */
interface ProbedFiles {
  readonly host: FileSystemHost
  /** File system accesses so far, sorted by path and kind. */
  readonly probes: () => Probes
}

/** Wraps a file system so that a later run can ask the same questions again. Paths from `ignored` are not noted. */
export function probedFiles(host: FileSystemHost, answer: ProbeAnswer, ignored: string): ProbedFiles {
  const asked = new Map<string, readonly [ProbeKind, string, string]>()
  const ask = (kind: ProbeKind, path: string): void => {
    const key = `${kind} ${path}`
    if (path !== ignored && !asked.has(key)) asked.set(key, [kind, path, answer(kind, path)])
  }
  const probing: Partial<FileSystemHost> = {
    readFileSync: (path, encoding) => {
      ask('read', path)
      return host.readFileSync(path, encoding)
    },
    fileExistsSync: (path) => {
      ask('file', path)
      return host.fileExistsSync(path)
    },
    directoryExistsSync: (path) => {
      ask('directory', path)
      return host.directoryExistsSync(path)
    },
    readDirSync: (path) => {
      ask('list', path)
      return host.readDirSync(path)
    },
    realpathSync: (path) => {
      ask('real', path)
      return host.realpathSync(path)
    },
  }
  const probed = new Proxy(host, {
    get(target, name) {
      const own: unknown = Reflect.get(probing, name)
      const value: unknown = own ?? Reflect.get(target, name)
      return own === undefined && typeof value === 'function' ? value.bind(target) : value
    },
  })
  return {
    host: probed,
    probes: () => [...asked.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, probe]) => probe),
  }
}
