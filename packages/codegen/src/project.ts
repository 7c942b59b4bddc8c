import { dirname, join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { type Checked, type Diagnostic, errorAt, startOf } from './diagnostics/diagnostic.js'
import type { EmissionMemory } from './emit/emit-design.js'
import { diskErrorText, isDiskError, relativePath } from './files.js'
import type { BuildMemory } from './ir/build-memory.js'
import type { DesignIr } from './ir/types.js'
import type { DesignMemory, LoadedDesign, Repeatability } from './load/load-design.js'
import { findConfig, type ResolvedConfig } from './load/toolgen-config.js'
import type { ServiceBindings } from './services/bind-services.js'
import type { ServiceMemory } from './services/service-memory.js'

/** Options that select a project, with listeners for the progress of a run. */
export interface ProjectOptions {
  /** Absolute path of the working folder of the command. */
  readonly cwd: string
  /** Configuration file, absolute or relative to `cwd`. Default: `toolgen.config.ts` in `cwd`. */
  readonly config?: string
  /**
   * Called before this process evaluates the configuration, the design or a module of the application. This code of the user can end the process, or
   * later throw errors from timers and promises.
   */
  readonly onEvaluate?: (what: Evaluated) => void
  /** Called after all evaluations have ended, including failed evaluations. */
  readonly onEvaluated?: () => void
  /** Called before each stage of a run, such as `evaluate` or `emit`. */
  readonly onStage?: OnStage
}

export type Evaluated = 'configuration' | 'design' | 'module'

export interface CompiledProject {
  readonly config: ResolvedConfig
  readonly ir: DesignIr
  readonly loaded: LoadedDesign
  readonly evaluated: readonly string[]
}

export interface ProjectReading extends Checked<CompiledProject> {
  readonly root: string
  readonly read: readonly string[]
  readonly config?: ResolvedConfig
  readonly repeatable: Repeatability
}

export interface ProjectMemory {
  design?: DesignMemory
  toolsets?: BuildMemory
  services?: ServiceMemory
  texts?: EmissionMemory
}

export function configFileOf({ cwd, config }: ProjectOptions): string | undefined {
  return findConfig({ cwd, ...(config !== undefined && { path: config }) })
}

/** Paths in diagnostics are relative to this folder. */
export function rootOf(choice: ProjectOptions): string {
  const file = configFileOf(choice)
  return file === undefined ? choice.cwd : dirname(file)
}

export async function compileProject(choice: ProjectOptions, memory?: ProjectMemory): Promise<ProjectReading> {
  const { cwd, config: path, onEvaluate, onEvaluated, onStage } = choice
  const root = rootOf(choice)
  // Loaded here, because a run without changes does not need it.
  const { loadConfig } = await import('./load/config.js')
  onEvaluate?.('configuration')
  const configured = await loadConfig({ cwd, ...(path !== undefined && { path }) })
  const config = configured.value
  if (config === undefined) {
    onEvaluated?.()
    return { diagnostics: configured.diagnostics, root, read: configured.read, repeatable: 'yes' }
  }
  const { loadDesign, createDesignMemory } = await import('./load/load-design.js')
  // Waits one turn of the event loop. Rejected promises that the configuration did not await are thus reported before the
  // design is evaluated.
  await setImmediate()
  onEvaluate?.('design')
  onStage?.('evaluate', config.design.length)
  if (memory !== undefined) memory.design ??= createDesignMemory()
  const loaded = await loadDesign(config, memory?.design)
  onEvaluated?.()
  const { repeatable } = loaded
  const reading = { config, root, repeatable, read: [...new Set([...configured.read, ...loaded.read])] }
  const before = [...configured.diagnostics, ...loaded.diagnostics]
  if (loaded.value === undefined) return { diagnostics: before, ...reading }
  const { compileDesign } = await import('./ir/compile-design.js')
  const { createBuildMemory } = await import('./ir/build-memory.js')
  if (memory !== undefined) memory.toolsets ??= createBuildMemory()
  const compiled = compileDesign(loaded.value, memory?.toolsets)
  const diagnostics = [...before, ...compiled.diagnostics]
  if (compiled.value === undefined || diagnostics.some(({ severity }) => severity === 'error')) {
    return { diagnostics, ...reading }
  }
  const evaluated = [...new Set([...config.closure, ...loaded.value.closure])]
  return { value: { config, ir: compiled.value, loaded: loaded.value, evaluated }, diagnostics, ...reading }
}

export async function bindProject(
  { config, ir }: CompiledProject,
  cacheFolder?: string,
  memory?: ServiceMemory,
): Promise<ServiceBindings> {
  const { bindServices } = await import('./services/bind-services.js')
  const project = {
    root: config.root,
    ...(config.tsconfig !== undefined && { tsconfig: join(config.root, config.tsconfig) }),
    ...(cacheFolder !== undefined && { cacheFolder }),
  }
  return bindServices(ir, project, memory)
}

/**
 * Stage of a run. `evaluate`: evaluates modules. `bind`: reads the types of service clients. `emit`: generates code. `compare`: compares
 * the generated files with the files on disk.
 */
export type Stage = 'evaluate' | 'bind' | 'emit' | 'compare'

/**
 * Listener for the stages of a run. `count` is the number of modules (`evaluate`), tools (`bind`, `emit`) or files (`compare`).
 *
 * @example
 * await generate({ cwd, onStage: (stage, count) => console.error(stage, count) })
 */
export type OnStage = (stage: Stage, count: number) => void

export function refusedAccess(thrown: unknown, root: string): Diagnostic | undefined {
  if (!isDiskError(thrown) || thrown.path === undefined || thrown.syscall.startsWith('spawn')) return undefined
  // Missing project files are handled where they are read.
  if (thrown.code === 'ENOENT') return undefined
  const file = relativePath(root, thrown.path) || '.'
  const message = `\`${file}\` cannot be accessed: ${diskErrorText(thrown)}.`
  return errorAt(
    startOf(file),
    'TG0019',
    message,
    'Change the permissions of this path, or use another file or folder.',
  )
}

const onlyDefinitions =
  'Only export definitions from this module: no timers, no input or output, no unhandled promises.'

const evaluations = {
  configuration: { name: 'configuration', failed: 'TG1011', ended: 'TG1010', next: onlyDefinitions },
  design: { name: 'design', failed: 'TG0005', ended: 'TG0004', next: onlyDefinitions },
  module: {
    name: 'module to serve',
    failed: 'TG7006',
    ended: 'TG7007',
    next: 'Handle the error where it occurs. A server must not have unhandled errors.',
  },
} as const

export function failedInBackground(thrown: unknown, evaluated: Evaluated): Diagnostic {
  const [what = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
  const { name, failed, next } = evaluations[evaluated]
  return errorAt(undefined, failed, `A timer or promise of the ${name} failed in the background: ${what}`, next)
}

export function unfinished(evaluated: Evaluated): Diagnostic {
  const { name, ended } = evaluations[evaluated]
  const next =
    evaluated === 'module'
      ? 'Do not call process.exit, and only await promises that settle.'
      : 'Only export definitions from this module: no top-level await, no process.exit.'
  const message = `The evaluation of the ${name} did not finish: it waits forever or ends the process.`
  return errorAt(undefined, ended, message, next)
}

export function overdue(evaluated: Evaluated, limit: number): Diagnostic {
  const { name, ended } = evaluations[evaluated]
  const message = `The evaluation of the ${name} was stopped after ${limit / 1000} seconds.`
  const next = 'Look for an endless loop or a promise that never settles. --time-limit sets a longer limit.'
  return errorAt(undefined, ended, message, next)
}
