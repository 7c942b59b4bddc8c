import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { findConfig } from '../config/find-config.js'
import type { ResolvedConfig } from '../config/toolgen-config.js'
import type { Checked } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'
import type { Repeatability } from '../load/load-design.js'
import type { LoadedDesign } from '../load/loaded-design.js'
import type { ProjectMemory } from './project-memory.js'
import type { OnStage } from './stage.js'

/** Which project a command works on. */
export interface ProjectChoice {
  /** The folder in which the configuration is looked for: absolute. */
  readonly cwd: string
  /** The configuration file, relative to `cwd` or absolute. Default: `toolgen.config.ts` of `cwd`. */
  readonly config?: string
  /** Told what is about to be evaluated: it can end the process or fail in the background, and then nobody returns. */
  readonly onEvaluate?: (what: Evaluated) => void
  /** Told that all is evaluated, also where that failed. */
  readonly onEvaluated?: () => void
  /** Told what a run is about to do. */
  readonly onStage?: OnStage
}

/** What a command evaluates in its own process. */
export type Evaluated = 'configuration' | 'design' | 'module'

/** A project whose design is without errors. */
export interface CompiledProject {
  readonly config: ResolvedConfig
  readonly ir: DesignIr
  /** What the IR was built from. */
  readonly loaded: LoadedDesign
  /** The files outside `node_modules` that were evaluated, relative to the root with `/`. */
  readonly evaluated: readonly string[]
}

/** A project, or what is wrong with it, and what a further run in this process has to know. */
export interface ProjectReading extends Checked<CompiledProject> {
  /** The files outside `node_modules` that were evaluated, also those that failed: absolute. */
  readonly read: readonly string[]
  /** Absent where the configuration has errors. */
  readonly config?: ResolvedConfig
  readonly repeatable: Repeatability
}

/** The configuration file of a project, if it is there: absolute. */
export function configFileOf({ cwd, config }: ProjectChoice): string | undefined {
  return findConfig({ cwd, ...(config !== undefined && { path: config }) })
}

/** The folder to which the places of diagnostics are relative. */
export function rootOf(choice: ProjectChoice): string {
  const file = configFileOf(choice)
  return file === undefined ? choice.cwd : dirname(file)
}

/**
 * Loads the configuration and the design, and builds the IR; all errors that one stage can find are reported.
 *
 * @param memory what earlier runs of this process made. Default: nothing
 */
export async function compileProject(
  { cwd, config: path, onEvaluate, onEvaluated, onStage }: ProjectChoice,
  memory?: ProjectMemory,
): Promise<ProjectReading> {
  // Loaded only here, since a run in which nothing changed needs none of it.
  const { loadConfig } = await import('../config/load-config.js')
  onEvaluate?.('configuration')
  const configured = await loadConfig({ cwd, ...(path !== undefined && { path }) })
  const config = configured.value
  if (config === undefined) {
    onEvaluated?.()
    return { diagnostics: configured.diagnostics, read: configured.read, repeatable: 'yes' }
  }
  const { loadDesign } = await import('../load/load-design.js')
  // Promises that the configuration has left alone are told of only now, and are its own.
  await setImmediate()
  onEvaluate?.('design')
  onStage?.('evaluate', config.design.length)
  const loaded = await loadDesign(config, memory?.design)
  onEvaluated?.()
  const { repeatable } = loaded
  const reading = { config, repeatable, read: [...new Set([...configured.read, ...loaded.read])] }
  const before = [...configured.diagnostics, ...loaded.diagnostics]
  if (loaded.value === undefined) return { diagnostics: before, ...reading }
  const { compileDesign } = await import('../ir/build/compile-design.js')
  const compiled = compileDesign(loaded.value, memory?.toolsets)
  const diagnostics = [...before, ...compiled.diagnostics]
  if (compiled.value === undefined || diagnostics.some(({ severity }) => severity === 'error')) {
    return { diagnostics, ...reading }
  }
  const evaluated = [...new Set([...config.closure, ...loaded.value.closure])]
  return { value: { config, ir: compiled.value, loaded: loaded.value, evaluated }, diagnostics, ...reading }
}
