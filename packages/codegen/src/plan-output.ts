import { join, posix, sep } from 'node:path'
import type { Checked, Diagnostic } from './diagnostics/diagnostic.js'
import type { EmitOptions } from './emit/emit-design.js'
import { countDesign, type DesignCounts } from './ir/types.js'
import type { ResolvedConfig } from './load/toolgen-config.js'
import type { PlannedOutput } from './output/files.js'
import { lockText } from './output/lock.js'
import type { OutputOutcome } from './output/output.js'
import {
  bindProject,
  type CompiledProject,
  compileProject,
  type OnStage,
  type ProjectMemory,
  type ProjectOptions,
  type ProjectReading,
} from './project.js'
import type { ServiceBindings } from './services/bind-services.js'

/**
 * Binds the tools to their services and makes every file of the output.
 *
 * @param cacheFolder the folder of cached results about client types. Default: no cache
 * @param memory the results of earlier runs of this process. Default: none
 * @param onStage called before each stage
 */
export async function planOutput(
  project: CompiledProject,
  cacheFolder?: string,
  memory: ProjectMemory = {},
  onStage?: OnStage,
): Promise<Checked<PlannedOutput> & Pick<ServiceBindings, 'read'>> {
  const { config, ir } = project
  const { tools } = countDesign(ir)
  onStage?.('bind', tools)
  memory.services ??= {}
  const { value: plans, diagnostics, read } = await bindProject(project, cacheFolder, memory.services)
  if (plans === undefined) return { diagnostics, read }
  const { emitDesign, createEmissionMemory } = await import('./emit/emit-design.js')
  memory.texts ??= createEmissionMemory()
  const options: EmitOptions = {
    importExtension: config.importExtension,
    codecs: config.codecs,
    clientImport: ({ module }, fromFile) => clientSpecifier(config, module, fromFile),
  }
  onStage?.('emit', tools)
  const files = emitDesign(ir, plans, options, memory.texts)
  const { checkSyntax } = await import('./emit/syntax-gate.js')
  const errors = await checkSyntax(files, memory.texts)
  if (errors.length > 0) return { diagnostics: [...diagnostics, ...errors], read }
  const output = { folder: join(config.root, config.output).split(sep).join('/'), shown: config.output }
  return { value: { output, files, lock: lockText(ir, files) }, diagnostics, read }
}

/** The result of a run before it writes. */
export interface ProjectPlan extends Omit<ProjectReading, 'value'> {
  /** Absent where the configuration or the design has errors. */
  readonly project?: CompiledProject
  /** Absent after an error. */
  readonly planned?: PlannedOutput
}

/**
 * Does all the work of a run but the writing.
 *
 * @param options.cacheFolder the folder of cached results about client types. Default: no cache
 * @param options.memory the results of earlier runs of this process. Default: none
 */
export async function planProject(
  choice: ProjectOptions,
  { cacheFolder, memory }: { readonly cacheFolder?: string | undefined; readonly memory?: ProjectMemory },
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

const importExtensions: ReadonlyMap<string, string> = new Map([
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
  if (importExtension === '.ts') return relative
  const extension = posix.extname(relative)
  const stem = relative.slice(0, relative.length - extension.length)
  // Only `.ts` and `.js` may be left out: a resolver would never look for the others.
  if (importExtension === '' && /^\.[jt]sx?$/.test(extension)) return stem
  return `${stem}${importExtensions.get(extension) ?? extension}`
}

/** The result of `generate`. Paths are below the output folder, sorted. */
export interface GenerateResult {
  /** False when there were errors; then nothing on disk has changed. */
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the folder to which the diagnostics' locations are relative. */
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

type RunLocation = Pick<GenerateResult, 'root'> & { readonly config?: Pick<ResolvedConfig, 'output'> }

/** Returns the result of a run that wrote its output. */
export function writtenResult(
  { root, config }: RunLocation,
  counts: DesignCounts,
  found: readonly Diagnostic[],
  { lockWritten, ...outcome }: OutputOutcome,
): GenerateResult {
  const diagnostics = [...found, ...outcome.diagnostics]
  const ok = !diagnostics.some(({ severity }) => severity === 'error')
  const upToDate = ok && outcome.written.length + outcome.removed.length === 0 && !lockWritten
  return { ...outcome, ok, diagnostics, root, output: config?.output ?? '', upToDate, recalled: false, counts }
}

/** Returns the result of a run with errors, which wrote nothing. */
export function failedResult(location: RunLocation, diagnostics: readonly Diagnostic[]): GenerateResult {
  const nothing = { diagnostics: [], written: [], removed: [], unchanged: [], lockWritten: false }
  const counts = { toolsets: 0, tools: 0, agents: 0 }
  return { ...writtenResult(location, counts, diagnostics, nothing), ok: false, upToDate: false }
}
