import type { Diagnostic } from './diagnostics/diagnostic.js'
import { nodeDisk } from './files.js'
import type { LiveCheck, LiveSelection, LiveToolset } from './imports/check-live.js'
import type { Drift } from './output/drift.js'
import { planOutput } from './plan-output.js'
import { type CompiledProject, compileProject, type ProjectChoice, rootOf } from './project.js'

/** What {@link check} can be told. */
export interface CheckOptions extends ProjectChoice {
  /** Which MCP servers are asked whether they still list what was imported. Default: none. */
  readonly live?: LiveSelection
}

/** In what the generated code on disk differs from what the design gives. */
export interface CheckResult {
  /** True when there are no errors and no drift. */
  readonly ok: boolean
  /** What was found in the design, then one error for every drifted file. */
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which all paths are relative: absolute. */
  readonly root: string
  /** The output folder; empty when the configuration could not be read. */
  readonly output: string
  readonly drift: readonly Drift[]
  /** Whether the files could be compared and are what the design gives. */
  readonly inSync: boolean
  /** The imported toolsets whose servers were to be asked; empty where the design has errors. */
  readonly live: readonly LiveToolset[]
}

/**
 * Compares the generated code on disk with what the design gives, and snapshots of MCP servers with what the servers list
 * where that is asked for; writes nothing, and trusts no earlier run.
 *
 * @example
 * const { ok, drift } = await check({ cwd: process.cwd() })
 */
export async function check({ live, ...choice }: CheckOptions): Promise<CheckResult> {
  const compiled = await compileProject(choice)
  const project = compiled.value
  if (project === undefined) return failed(rootOf(choice), '', compiled.diagnostics)
  const { root, output } = project.config
  const planned = await planOutput(project, undefined)
  const found = [...compiled.diagnostics, ...planned.diagnostics]
  if (planned.value === undefined) return failed(root, output, found)
  // What shows differences is of no use to those who import this package for its types and `defineConfig`.
  const { checkOutput } = await import('./output/output.js')
  const checked = checkOutput(nodeDisk, planned.value)
  const servers = live === undefined ? nobodyAsked : await askServers(project, live)
  const diagnostics = [
    ...found,
    ...checked.diagnostics,
    ...checked.drift.map(({ diagnostic }) => diagnostic),
    ...servers.diagnostics,
  ]
  const ok = !diagnostics.some(({ severity }) => severity === 'error')
  const inSync = checked.diagnostics.length + checked.drift.length === 0
  return { ok, diagnostics, root, output, drift: checked.drift, inSync, live: servers.toolsets }
}

const nobodyAsked: LiveCheck = { toolsets: [], diagnostics: [] }

async function askServers({ config, ir }: CompiledProject, choice: LiveSelection): Promise<LiveCheck> {
  const { checkLive } = await import('./imports/check-live.js')
  return checkLive(ir, config.root, choice)
}

function failed(root: string, output: string, diagnostics: readonly Diagnostic[]): CheckResult {
  return { ok: false, diagnostics, root, output, drift: [], inSync: false, live: [] }
}
