import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import type { ResolvedConfig } from '../config/toolgen-config.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { foundAt } from '../evaluate/found-at.js'
import type { DesignCounts } from '../run/count-design.js'
import { contentHash } from '../write/content-hash.js'
import { lockPath } from '../write/lock-text.js'
import { type InputMark, markContent, markNames } from './input-mark.js'
import { markInstallation, markPackage, markPackages } from './package-marks.js'
import { readModule } from './pure-modules.js'

/** What a run leaves for the next one, which may then find that nothing changed. */
export interface RunRecord {
  readonly form: typeof recordForm
  /** The version of Node that evaluated the design. */
  readonly node: string
  readonly inputs: readonly InputMark[]
  readonly project: Pick<ResolvedConfig, 'root' | 'output' | 'design' | 'patterns'>
  /** The content hash of the lock that the run left. */
  readonly lock: string
  /** The content hash of what the service room kept of the clients' types; null where no client is used. */
  readonly services: string | null
  readonly counts: DesignCounts
  /** Warnings and notes, which are told each time. */
  readonly diagnostics: readonly Diagnostic[]
}

/** The version of a record's form. */
export const recordForm = 1

/** What a run depended on and left. */
export interface FinishedRun {
  readonly config: ResolvedConfig
  /** The files outside `node_modules` that were evaluated, relative to the root. */
  readonly evaluated: readonly string[]
  /** Whether an agent reaches its tools through a client, on whose type the run then depends. */
  readonly usesClients: boolean
  /** What the service room kept of the clients' types; absent where it kept nothing. */
  readonly services?: string
  readonly counts: DesignCounts
  readonly diagnostics: readonly Diagnostic[]
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number
}

/**
 * The record of a run; undefined when the design depends on more than can be told from files, or when one of the files
 * was changed while the run was reading.
 */
export function recordOf(run: FinishedRun): RunRecord | undefined {
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
