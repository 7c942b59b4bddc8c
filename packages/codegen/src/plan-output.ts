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

export async function planOutput(
  project: CompiledProject,
  cacheFolder?: string,
  memory?: ProjectMemory,
  onStage?: OnStage,
): Promise<Checked<PlannedOutput> & Pick<ServiceBindings, 'read'>> {
  const { config, ir } = project
  const { tools } = countDesign(ir)
  onStage?.('bind', tools)
  if (memory !== undefined) memory.services ??= {}
  const { value: plans, diagnostics, read } = await bindProject(project, cacheFolder, memory?.services)
  if (plans === undefined) return { diagnostics, read }
  const { emitDesign, createEmissionMemory } = await import('./emit/emit-design.js')
  if (memory !== undefined) memory.texts ??= createEmissionMemory()
  const options: EmitOptions = {
    importExtension: config.importExtension,
    codecs: config.codecs,
    declarations: config.declarations,
    searchIndex: config.searchIndex,
    clientImport: ({ module }, fromFile) => clientSpecifier(config, module, fromFile),
  }
  onStage?.('emit', tools)
  const files = emitDesign(ir, plans, options, memory?.texts)
  const { checkSyntax } = await import('./emit/syntax-gate.js')
  const errors = checkSyntax(files, memory?.texts)
  if (errors.length > 0) return { diagnostics: [...diagnostics, ...errors], read }
  const output = { folder: join(config.root, config.output).split(sep).join('/'), shown: config.output }
  return { value: { output, files, lock: lockText(ir, files) }, diagnostics, read }
}

export interface ProjectPlan extends Omit<ProjectReading, 'value'> {
  readonly project?: CompiledProject
  readonly planned?: PlannedOutput
}

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

/** `module` is relative to the project folder, and `fromFile` is relative to the output folder. */
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
  // Only `.ts` and `.js` can be omitted; resolvers do not look for the other extensions.
  if (importExtension === '' && /^\.[jt]sx?$/.test(extension)) return stem
  return `${stem}${importExtensions.get(extension) ?? extension}`
}

/** Result of `generate`. The paths in `written`, `removed` and `unchanged` are sorted and relative to the output folder. */
export interface GenerateResult {
  /**
   * False after an error. The files on disk are then unchanged. Exception: after the error `TG5010`, some files can be changed, because a write
   * failed and could not be undone.
   */
  readonly ok: boolean
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the project folder. Diagnostics contain paths relative to this folder. */
  readonly root: string
  /** Output folder relative to `root`. Empty if the configuration has errors. */
  readonly output: string
  /** True if the run succeeded, and wrote and removed no files, not even the lock file. */
  readonly upToDate: boolean
  /** True if the run was skipped, because no input has changed since the last run. */
  readonly recalled: boolean
  readonly written: readonly string[]
  readonly removed: readonly string[]
  readonly unchanged: readonly string[]
  readonly counts: DesignCounts
}

type RunLocation = Pick<GenerateResult, 'root'> & { readonly config?: Pick<ResolvedConfig, 'output'> }

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

export function failedResult(location: RunLocation, diagnostics: readonly Diagnostic[]): GenerateResult {
  const nothing = { diagnostics: [], written: [], removed: [], unchanged: [], lockWritten: false }
  const counts = { toolsets: 0, tools: 0, agents: 0 }
  return { ...writtenResult(location, counts, diagnostics, nothing), ok: false, upToDate: false }
}
