import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { entryIn, readCacheText, writeCacheText } from '../disk-cache.js'
import { foundAt } from '../files.js'
import type { DesignCounts } from '../ir/types.js'
import { findDesignFiles, type ResolvedConfig } from '../load/toolgen-config.js'
import { contentHash } from './files.js'
import { lockPath, parseJson, readLock } from './lock.js'
import {
  type InputMark,
  isUnchanged,
  markContent,
  markInstallation,
  markNames,
  markPackage,
  markPackages,
  readModule,
} from './package-marks.js'
import { stagingName } from './turn.js'

const recordName = 'run.json'
/** Written by the service binding into the same folder. */
const servicesName = 'service-binding.json'

/**
 * Returns the record of the last successful run, if everything is still as that run found and left it: the configuration, the
 * design and all that they import, the types of the clients, what is installed, and every file of the output. Loads
 * neither the design nor anything that reads it.
 *
 * @param cacheFolder where the runs of this configuration keep what they stored
 */
export function recallRun(cacheFolder: string): RecalledRun | undefined {
  const record = parseRecord(readCacheText(join(cacheFolder, recordName)))
  if (record === undefined || record.node !== process.version) return undefined
  const { root, output, design, patterns } = record.project
  if (!record.inputs.every((mark) => isUnchanged(mark))) return undefined
  const found = new Set(patterns.flatMap((pattern) => findDesignFiles(root, pattern, output)))
  if (found.size !== design.length || design.some((file) => !found.has(file))) return undefined
  if (!areServicesAsRead(join(cacheFolder, servicesName), record.services)) return undefined
  const files = filesAsLeft(join(root, output), record.lock)
  return files === undefined ? undefined : { ...record, files }
}

/** A run of which nothing has changed since. */
interface RecalledRun extends RunRecord {
  /** The files of the output, below it, without the lock. */
  readonly files: readonly string[]
}

/** Leaves the record of a successful run, or none where the design depends on more than files. */
export function rememberRun(cacheFolder: string, run: Omit<FinishedRun, 'services'>): void {
  const services = readCacheText(join(cacheFolder, servicesName))
  const record = recordOf({ ...run, ...(services !== undefined && { services }) })
  writeCacheText(join(cacheFolder, recordName), JSON.stringify(record ?? null))
}

/** Asks the file system again everything that was asked for the clients' types. */
function areServicesAsRead(file: string, hash: string | null): boolean {
  const text = readCacheText(file)
  if (text === undefined || hash === null) return text === undefined && hash === null
  return contentHash(text) === hash && entryIn(text) !== undefined
}

/** Returns the files of the output, if the lock and they are as the lock says. */
function filesAsLeft(folder: string, lock: string): readonly string[] | undefined {
  const path = join(folder, lockPath)
  if (!isFile(path) || foundAt(join(folder, stagingName), { links: 'show' }) !== undefined) return undefined
  const text = readFileSync(path, 'utf8')
  const reading = readLock(text)
  if (contentHash(text) !== lock || reading.kind !== 'read') return undefined
  const files = [...reading.lock.files]
  const untouched = files.every(([file, hash]) => {
    const target = join(folder, file)
    return isFile(target) && contentHash(readFileSync(target)) === hash
  })
  return untouched ? files.map(([file]) => file) : undefined
}

/** A link is none: writing refuses it, so the whole work must be done to say so. */
function isFile(path: string): boolean {
  return foundAt(path, { links: 'show' })?.isFile() === true
}

/** Reads a record of this version, whose fields are then as written; others are no record. */
function parseRecord(text: string | undefined): RunRecord | undefined {
  const value = text === undefined ? undefined : parseJson(text)
  return isRecord(value) ? value : undefined
}

function isRecord(value: unknown): value is RunRecord {
  return typeof value === 'object' && value !== null && 'form' in value && value.form === recordForm
}

/** The record of a run for the next one, which may then find that nothing changed. */
interface RunRecord {
  readonly form: typeof recordForm
  /** The version of Node that evaluated the design. */
  readonly node: string
  readonly inputs: readonly InputMark[]
  readonly project: Pick<ResolvedConfig, 'root' | 'output' | 'design' | 'patterns'>
  /** The content hash of the lock that the run left. */
  readonly lock: string
  /** The content hash of what the service binding stored of the clients' types; null where no client is used. */
  readonly services: string | null
  readonly counts: DesignCounts
  /** Warnings and notes, which each run reports. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The version of a record's form. */
const recordForm = 1

/** The inputs and the results of a run. */
interface FinishedRun {
  readonly config: ResolvedConfig
  /** The files outside `node_modules` that were evaluated, relative to the root. */
  readonly evaluated: readonly string[]
  /** True if an agent reaches its tools through a client, on whose type the run then depends. */
  readonly usesClients: boolean
  /** The cache of the clients' types; absent where it kept nothing. */
  readonly services?: string
  readonly counts: DesignCounts
  readonly diagnostics: readonly Diagnostic[]
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number
}

/**
 * Returns the record of a run; undefined when the design depends on more than can be told from files, or when one of the files
 * was changed while the run was reading.
 */
function recordOf(run: FinishedRun): RunRecord | undefined {
  const { config, evaluated, usesClients, services, counts, diagnostics, startedAt } = run
  const { root, output, design, patterns } = config
  // Nothing would tell that the type of a client has changed.
  if (usesClients && services === undefined) return undefined
  const modules = [...new Set([config.file, ...evaluated])].map((file) => join(root, file))
  const readings = modules.map((file) => readModule(readFileSync(file, 'utf8'), isBuiltin))
  if (readings.some((reading) => !reading.pure)) return undefined
  const packages = markPackages(
    root,
    readings.flatMap((reading) => reading.packages),
  )
  const generator = markPackage(dirname(dirname(dirname(fileURLToPath(import.meta.url)))))
  const compiler = config.tsconfig === undefined ? [] : compilerOptionFiles(join(root, config.tsconfig))
  if (packages === undefined || generator === undefined || compiler === undefined) return undefined
  const ownFiles = [...modules, ...compiler]
  const folders = [...new Set([root, ...ownFiles.map((file) => dirname(file))])]
  const inputs = [
    ...[...new Set(ownFiles)].map((file) => markContent(file)),
    ...folders.map((folder) => markNames(folder)),
    ...markInstallation(root),
    ...packages,
    ...generator,
  ]
  if (inputs.some((mark) => mark.kind !== 'names' && changedSince(mark.path, startedAt))) return undefined
  return {
    form: recordForm,
    node: process.version,
    inputs: distinct(inputs),
    project: { root, output, design, patterns },
    lock: contentHash(readFileSync(join(root, output, lockPath))),
    services: services === undefined ? null : contentHash(services),
    counts,
    diagnostics,
  }
}

function changedSince(file: string, time: number): boolean {
  return (foundAt(file)?.ctimeMs ?? 0) >= time
}

/** A TypeScript configuration and those that it extends; undefined when one cannot be found. */
function compilerOptionFiles(file: string, depth = 0): readonly string[] | undefined {
  if (depth > 16) return undefined
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
  const [, extended] = /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/.exec(text) ?? []
  const bases = [...(extended ?? '').matchAll(/"([^"]*)"/g)].map(([, base = '']) => base)
  const files = [file]
  for (const base of bases) {
    // A base from a package is marked with the installation, by which alone it changes.
    if (!base.startsWith('.') && !base.startsWith('/')) continue
    const more = compilerOptionFiles(resolve(dirname(file), base.endsWith('.json') ? base : `${base}.json`), depth + 1)
    if (more === undefined) return undefined
    files.push(...more)
  }
  return files
}

function distinct(marks: readonly InputMark[]): readonly InputMark[] {
  return [...new Map(marks.map((mark) => [`${mark.kind}${sep}${mark.path}`, mark])).values()]
}
