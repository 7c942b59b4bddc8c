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

/** Options that select a project. */
export interface ProjectOptions {
  /** The folder with the configuration: absolute. */
  readonly cwd: string
  /** The configuration file, relative to `cwd` or absolute. Default: `toolgen.config.ts` of `cwd`. */
  readonly config?: string
  /** Called before an evaluation, which can end the process or fail in the background, so that nothing returns. */
  readonly onEvaluate?: (what: Evaluated) => void
  /** Called after all evaluations, failed ones too. */
  readonly onEvaluated?: () => void
  /** Called before each stage of a run. */
  readonly onStage?: OnStage
}

/** A module that a command evaluates in its own process. */
export type Evaluated = 'configuration' | 'design' | 'module'

/** A project whose design is without errors. */
export interface CompiledProject {
  readonly config: ResolvedConfig
  readonly ir: DesignIr
  /** The source of the IR. */
  readonly loaded: LoadedDesign
  /** The files outside `node_modules` that were evaluated, relative to the root with `/`. */
  readonly evaluated: readonly string[]
}

/** A project or its errors. */
export interface ProjectReading extends Checked<CompiledProject> {
  /** Absolute path of the folder to which the locations of diagnostics are relative. */
  readonly root: string
  /** The files outside `node_modules` that were evaluated, also those that failed: absolute. */
  readonly read: readonly string[]
  /** Absent where the configuration has errors. */
  readonly config?: ResolvedConfig
  readonly repeatable: Repeatability
}

/** The results that each stage of a run keeps for the next run in the same process. Default: none. */
export interface ProjectMemory {
  design?: DesignMemory
  toolsets?: BuildMemory
  services?: ServiceMemory
  texts?: EmissionMemory
}

/** Returns the configuration file of a project, if it exists: absolute. */
export function configFileOf({ cwd, config }: ProjectOptions): string | undefined {
  return findConfig({ cwd, ...(config !== undefined && { path: config }) })
}

/** Returns the folder to which the locations of diagnostics are relative. */
export function rootOf(choice: ProjectOptions): string {
  const file = configFileOf(choice)
  return file === undefined ? choice.cwd : dirname(file)
}

/**
 * Loads the configuration and the design, and builds the IR; all errors that one stage can find are reported.
 *
 * @param memory the results of earlier runs of this process. Default: none
 */
export async function compileProject(choice: ProjectOptions, memory?: ProjectMemory): Promise<ProjectReading> {
  const { cwd, config: path, onEvaluate, onEvaluated, onStage } = choice
  const root = rootOf(choice)
  // Loaded only here, since a run in which nothing changed needs none of it.
  const { loadConfig } = await import('./load/config.js')
  onEvaluate?.('configuration')
  const configured = await loadConfig({ cwd, ...(path !== undefined && { path }) })
  const config = configured.value
  if (config === undefined) {
    onEvaluated?.()
    return { diagnostics: configured.diagnostics, root, read: configured.read, repeatable: 'yes' }
  }
  const { loadDesign, createDesignMemory } = await import('./load/load-design.js')
  // Promises that the configuration did not await are reported only now, and are its own.
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

/**
 * Binds the tools of a project to their services.
 *
 * @param cacheFolder the folder of cached results about client types. Default: no cache
 * @param memory the results of earlier runs of this process. Default: none
 */
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
 * A stage of a run: evaluate modules of the design, read the types behind tools that clients serve, write the
 * code of tools, or compare files with those on disk.
 */
export type Stage = 'evaluate' | 'bind' | 'emit' | 'compare'

/**
 * A listener that is called before each stage of a run with the number of modules, tools, tools or files.
 *
 * @example
 * await generate({ cwd, onStage: (stage, count) => console.error(stage, count) })
 */
export type OnStage = (stage: Stage, count: number) => void

/**
 * Returns the error for a file or a folder that the operating system refuses; `undefined` for anything else that was thrown.
 *
 * @param root absolute path of the folder to which the location is relative
 */
export function refusedAccess(thrown: unknown, root: string): Diagnostic | undefined {
  if (!isDiskError(thrown) || thrown.path === undefined || thrown.syscall.startsWith('spawn')) return undefined
  // Who reads a file of a project has asked whether it is there.
  if (thrown.code === 'ENOENT') return undefined
  const file = relativePath(root, thrown.path) || '.'
  const message = `\`${file}\` cannot be reached: ${diskErrorText(thrown)}.`
  return errorAt(startOf(file), 'TG0019', message, 'Give toolgen access to it, or name another file or folder.')
}

const onlyDefinitions = 'Keep it to definitions: no timers, no input or output, no promises left alone.'

/** Names and codes for a failure in the background, and for a missing end. */
const evaluations = {
  configuration: { name: 'configuration', failed: 'TG1011', ended: 'TG1010', next: onlyDefinitions },
  design: { name: 'design', failed: 'TG0005', ended: 'TG0004', next: onlyDefinitions },
  module: {
    name: 'module to serve',
    failed: 'TG7006',
    ended: 'TG7007',
    next: 'Catch it where it begins: nothing may fail unheard in a process that serves others.',
  },
} as const

/** Returns the error for an uncaught error of the evaluated module in the background. */
export function failedInBackground(thrown: unknown, evaluated: Evaluated): Diagnostic {
  const [what = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
  const { name, failed, next } = evaluations[evaluated]
  return errorAt(undefined, failed, `Something that the ${name} started failed in the background: ${what}`, next)
}

/** Returns the error for a process that ended, or has nothing left to do, before the command was done. */
export function unfinished(evaluated: Evaluated): Diagnostic {
  const { name, ended } = evaluations[evaluated]
  const next =
    evaluated === 'module'
      ? 'Let toolgen end the process: await only what comes, and call no process.exit.'
      : 'Keep it to definitions: no awaiting at the top level, no process.exit.'
  const message = `The ${name} never came to its end: it waits for something that never comes, or ends the process.`
  return errorAt(undefined, ended, message, next)
}

/**
 * Returns the error for an evaluation that took too long.
 *
 * @param limit in milliseconds
 */
export function overdue(evaluated: Evaluated, limit: number): Diagnostic {
  const { name, ended } = evaluations[evaluated]
  const message = `The ${name} was not evaluated after ${limit / 1000} seconds, and was cut off.`
  const next = 'Look for a loop without an end or a wait for something that never comes; --time-limit gives it longer.'
  return errorAt(undefined, ended, message, next)
}
