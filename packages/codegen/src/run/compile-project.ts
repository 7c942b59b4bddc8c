import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { findConfig } from '../config/find-config.js'
import type { ResolvedConfig } from '../config/toolgen-config.js'
import type { Checked } from '../diagnostics/diagnostic.js'
import type { DesignIr } from '../ir/types.js'

/** Which project a command works on. */
export interface ProjectChoice {
  /** The folder in which the configuration is looked for: absolute. */
  readonly cwd: string
  /** The configuration file, relative to `cwd` or absolute. Default: `toolgen.config.ts` of `cwd`. */
  readonly config?: string
  /** Told what is about to be evaluated: it can end the process or fail in the background, and then nobody returns. */
  readonly onEvaluate?: (what: Evaluated) => void
}

/** What a command evaluates in its own process. */
export type Evaluated = 'configuration' | 'design' | 'module'

/** A project whose design is without errors. */
export interface CompiledProject {
  readonly config: ResolvedConfig
  readonly ir: DesignIr
  /** The files outside `node_modules` that were evaluated, relative to the root with `/`. */
  readonly evaluated: readonly string[]
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

/** Loads the configuration and the design, and builds the IR; all errors that one stage can find are reported. */
export async function compileProject({
  cwd,
  config: path,
  onEvaluate,
}: ProjectChoice): Promise<Checked<CompiledProject>> {
  // Loaded only here, since a run in which nothing changed needs none of it.
  const { loadConfig } = await import('../config/load-config.js')
  onEvaluate?.('configuration')
  const configured = await loadConfig({ cwd, ...(path !== undefined && { path }) })
  const config = configured.value
  if (config === undefined) return { diagnostics: configured.diagnostics }
  const { loadDesign } = await import('../load/load-design.js')
  // Promises that the configuration has left alone are told of only now, and are its own.
  await setImmediate()
  onEvaluate?.('design')
  const loaded = await loadDesign(config)
  const before = [...configured.diagnostics, ...loaded.diagnostics]
  if (loaded.value === undefined) return { diagnostics: before }
  const { compileDesign } = await import('../ir/build/compile-design.js')
  const compiled = compileDesign(loaded.value)
  const diagnostics = [...before, ...compiled.diagnostics]
  if (compiled.value === undefined || diagnostics.some(({ severity }) => severity === 'error')) return { diagnostics }
  const evaluated = [...new Set([...config.closure, ...loaded.value.closure])]
  return { value: { config, ir: compiled.value, evaluated }, diagnostics }
}
