import { join, posix, sep } from 'node:path'
import type { Checked, Diagnostic } from './diagnostics/diagnostic.js'
import type { EmitOptions } from './emit/emit-design.js'
import { countDesign, type DesignCounts } from './ir/types.js'
import type { ResolvedConfig } from './load/toolgen-config.js'
import type { OutputFolder } from './output/files.js'
import { lockText } from './output/lock.js'
import type { OutputOutcome, PlannedOutput } from './output/output.js'
import {
  bindProject,
  type CompiledProject,
  compileProject,
  type OnStage,
  type ProjectOptions,
  type ProjectReading,
} from './project.js'
import type { ProjectMemory } from './project-memory.js'
import type { ServiceBindings } from './services/bind-services.js'

/** Every file of the output or the errors, and the files that were read for the clients. */
type OutputPlanning = Checked<PlannedOutput> & Pick<ServiceBindings, 'read'>

/**
 * Binds the tools to their services and makes every file of the output.
 *
 * @param cacheFolder the folder of cached results about client types. Default: no cache
 * @param memory the results of earlier runs of this process. Default: none
 * @param onStage called before each stage
 */
export async function planOutput(
  project: CompiledProject,
  cacheFolder: string | undefined,
  memory?: ProjectMemory,
  onStage?: OnStage,
): Promise<OutputPlanning> {
  const { config, ir } = project
  const { tools } = countDesign(ir)
  onStage?.('bind', tools)
  const { value: plans, diagnostics, read } = await bindProject(project, cacheFolder, memory?.services)
  if (plans === undefined) return { diagnostics, read }
  const { emitDesign } = await import('./emit/emit-design.js')
  const options: EmitOptions = {
    importExtension: config.importExtension,
    codecs: config.codecs,
    clientImport: ({ module }, fromFile) => clientSpecifier(config, module, fromFile),
  }
  onStage?.('emit', tools)
  const files = emitDesign(ir, plans, options, memory?.texts)
  const { checkSyntax } = await import('./emit/syntax-gate.js')
  const errors = await checkSyntax(files, memory?.texts)
  if (errors.length > 0) return { diagnostics: [...diagnostics, ...errors], read }
  return { value: { output: outputFolder(config), files, lock: lockText(ir, files) }, diagnostics, read }
}

function outputFolder({ root, output }: CompiledProject['config']): OutputFolder {
  return { folder: join(root, output).split(sep).join('/'), shown: output }
}

/** The result of a run before it writes. */
export interface ProjectPlan extends Pick<ProjectReading, 'config' | 'repeatable'> {
  readonly diagnostics: readonly Diagnostic[]
  /** Absent where the configuration or the design has errors. */
  readonly project?: CompiledProject
  /** Absent after an error. */
  readonly planned?: PlannedOutput
  /** The files outside `node_modules` on which the plan depends, as far as the run came: absolute. */
  readonly read: readonly string[]
}

/** Caches of a run. */
interface PlanResources {
  /** The folder of cached results about client types. Default: no cache. */
  readonly cacheFolder?: string | undefined
  /** The results of earlier runs of this process. Default: none. */
  readonly memory?: ProjectMemory
}

/** Does all the work of a run but the writing. */
export async function planProject(
  choice: ProjectOptions,
  { cacheFolder, memory }: PlanResources,
): Promise<ProjectPlan> {
  const { value: project, ...compiled } = await compileProject(choice, memory)
  if (project === undefined) return compiled
  const { value: planned, diagnostics, read } = await planOutput(project, cacheFolder, memory, choice.onStage)
  return {
    ...compiled,
    project,
    diagnostics: [...compiled.diagnostics, ...diagnostics],
    read: [...new Set([...compiled.read, ...read])],
    ...(planned !== undefined && { planned }),
  }
}

/** The extension of a module in its file name → in an import of it. */
const emittedExtensions: ReadonlyMap<string, string> = new Map([
  ['.ts', '.js'],
  ['.tsx', '.js'],
  ['.jsx', '.js'],
  ['.mts', '.mjs'],
  ['.cts', '.cjs'],
])

/**
 * Returns the specifier by which a generated file imports a client's module: the one of the configuration's import map, else the
 * relative path with the extension that the configuration asks for.
 *
 * @param module the client's module, relative to the root
 * @param fromFile the generated file, relative to the output folder
 */
export function clientSpecifier(
  { output, importExtension, importMap }: Pick<ResolvedConfig, 'output' | 'importExtension' | 'importMap'>,
  module: string,
  fromFile: string,
): string {
  if (Object.hasOwn(importMap, module)) return importMap[module] ?? module
  const path = posix.relative(posix.dirname(posix.join(output, fromFile)), module)
  const relative = path.startsWith('.') ? path : `./${path}`
  const extension = posix.extname(relative)
  const stem = relative.slice(0, relative.length - extension.length)
  if (importExtension === '.ts') return relative
  // Only `.ts` and `.js` may be left out: a resolver would never look for the others.
  if (importExtension === '') return /^\.[jt]sx?$/.test(extension) ? stem : `${stem}${emitted(extension)}`
  return `${stem}${emitted(extension)}`
}

function emitted(extension: string): string {
  return emittedExtensions.get(extension) ?? extension
}

/** The result of `generate`. Paths are below the output folder, sorted. */
export interface GenerateResult {
  /** False when there were errors; then nothing on disk has changed. */
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  /** The output folder, relative to the root; empty when the configuration could not be read. */
  readonly output: string
  /** True when the run succeeded and wrote and removed nothing, the lock included. */
  readonly upToDate: boolean
  /** True when nothing had changed since the last run, so that neither the design nor any type was read. */
  readonly recalled: boolean
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  readonly counts: DesignCounts
}

/** The project of a run. */
type RunLocation = Pick<GenerateResult, 'root' | 'output'>

/** Returns the result of a run that wrote its output. */
export function writtenResult(
  { root, output }: RunLocation,
  counts: DesignCounts,
  found: readonly Diagnostic[],
  { written, removed, unchanged, lockWritten, ...outcome }: OutputOutcome,
): GenerateResult {
  const diagnostics = [...found, ...outcome.diagnostics]
  const ok = !diagnostics.some(({ severity }) => severity === 'error')
  const upToDate = ok && written.length + removed.length === 0 && !lockWritten
  return { ok, diagnostics, root, output, upToDate, recalled: false, written, removed, unchanged, counts }
}

/** Returns the result of a run with errors, which wrote nothing. */
export function failedResult({ root, output }: RunLocation, diagnostics: readonly Diagnostic[]): GenerateResult {
  const counts = { toolsets: 0, tools: 0, agents: 0 }
  const nothing = { written: [], removed: [], unchanged: [] }
  return { ok: false, diagnostics, root, output, upToDate: false, recalled: false, ...nothing, counts }
}
