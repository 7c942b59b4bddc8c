import type { Diagnostic } from './diagnostics/diagnostic.js'
import { serviceUses } from './ir/service-uses.js'
import type { DesignIr } from './ir/types.js'
import {
  type CompiledProject,
  compileProject,
  configFileOf,
  type ProjectChoice,
  rootOf,
} from './run/compile-project.js'
import { planOutput } from './run/plan-output.js'
import { cacheFolderFor } from './warm/cache-file.js'
import { recallRun, rememberRun } from './warm/recall-run.js'
import type { DesignCounts } from './warm/run-record.js'
import { nodeDisk } from './write/disk.js'
import { thisRun } from './write/run-identity.js'
import { type OutputOutcome, writeOutput } from './write/write-output.js'

/** What {@link generate} can be told. */
export interface GenerateOptions extends ProjectChoice {
  /** Also overwrite generated files that were changed by hand, and a lock that cannot be read. Default: false. */
  readonly force?: boolean
  /** Whether a run in which nothing changed may end at once, and verdicts about client types are kept. Default: true. */
  readonly cache?: boolean
}

/** What a run did. Paths are below the output folder, sorted. */
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

/**
 * Runs the whole pipeline: evaluates the design, checks it, binds its tools to their services, and brings the output
 * folder to what the design gives. Errors in the design or the configuration are diagnostics, never exceptions.
 *
 * @example
 * const { ok, diagnostics, written } = await generate({ cwd: process.cwd() })
 */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const startedAt = Date.now()
  const configFile = configFileOf(options)
  const cached = options.cache !== false && configFile !== undefined
  const cacheFolder = cached ? cacheFolderFor(configFile) : undefined
  const recalled = cacheFolder === undefined ? undefined : recallRun(cacheFolder)
  if (recalled !== undefined) {
    const { project, counts, diagnostics, files } = recalled
    const { root, output } = project
    const nothing = { written: [], removed: [], unchanged: files }
    return { ok: true, diagnostics, root, output, upToDate: true, recalled: true, ...nothing, counts }
  }
  const compiled = await compileProject(options)
  const project = compiled.value
  if (project === undefined) return failed(rootOf(options), '', compiled.diagnostics)
  const planned = await planOutput(project, cacheFolder)
  const found = [...compiled.diagnostics, ...planned.diagnostics]
  const { root, output } = project.config
  if (planned.value === undefined) return failed(root, output, found)
  const force = options.force === true
  const outcome = await writeOutput({ disk: nodeDisk, run: thisRun() }, planned.value, { force })
  const result = resultOf(project, found, outcome)
  if (result.ok && cacheFolder !== undefined) {
    const usesClients = project.ir.agents.some((agent) => serviceUses(agent).length > 0)
    rememberRun(cacheFolder, { ...project, usesClients, diagnostics: found, counts: result.counts, startedAt })
  }
  return result
}

function resultOf(
  { config, ir }: CompiledProject,
  found: readonly Diagnostic[],
  outcome: OutputOutcome,
): GenerateResult {
  const { written, removed, unchanged, lockWritten } = outcome
  const diagnostics = [...found, ...outcome.diagnostics]
  const ok = !diagnostics.some(({ severity }) => severity === 'error')
  return {
    ok,
    diagnostics,
    root: config.root,
    output: config.output,
    upToDate: ok && written.length + removed.length === 0 && !lockWritten,
    recalled: false,
    written,
    removed,
    unchanged,
    counts: countsOf(ir),
  }
}

function failed(root: string, output: string, diagnostics: readonly Diagnostic[]): GenerateResult {
  const counts = { toolsets: 0, tools: 0, agents: 0 }
  const nothing = { written: [], removed: [], unchanged: [] }
  return { ok: false, diagnostics, root, output, upToDate: false, recalled: false, ...nothing, counts }
}

function countsOf({ toolsets, agents }: DesignIr): DesignCounts {
  const tools = toolsets.reduce((sum, toolset) => sum + toolset.tools.length, 0)
  return { toolsets: toolsets.length, tools, agents: agents.length }
}
