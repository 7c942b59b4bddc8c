import type { Diagnostic } from './diagnostics/diagnostic.js'
import { nodeDisk } from './files.js'
import type { LiveCheck, LiveSelection, LiveToolset } from './imports/check-live.js'
import type { Drift } from './output/drift.js'
import { planOutput } from './plan-output.js'
import { type CompiledProject, compileProject, type ProjectOptions, rootOf } from './project.js'

/** Options of {@link check}. */
interface CheckOptions extends ProjectOptions {
  /** The MCP servers to compare with their snapshots. Default: none. */
  readonly live?: LiveSelection
}

/** The differences between the generated code on disk and the design. */
export interface CheckResult {
  /** True when there are no errors and no drift. */
  readonly ok: boolean
  /** The diagnostics of the design, then one error for every drifted file. */
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which all paths are relative: absolute. */
  readonly root: string
  /** The output folder; empty when the configuration could not be read. */
  readonly output: string
  readonly drift: readonly Drift[]
  /** True if the files could be compared and are up to date. */
  readonly inSync: boolean
  /** The imported toolsets whose servers were selected; empty if the design has errors. */
  readonly live: readonly LiveToolset[]
}

/**
 * Compares the generated code on disk with the design, and snapshots of the selected MCP servers with the tools that the
 * servers list; writes nothing, and uses no cache.
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
  // Configurations import this package for its types and `defineConfig` only.
  const { checkOutput } = await import('./output/output.js')
  const checked = checkOutput(nodeDisk, planned.value)
  const servers = live === undefined ? noServers : await checkServers(project, live)
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

const noServers: LiveCheck = { toolsets: [], diagnostics: [] }

async function checkServers({ config, ir }: CompiledProject, choice: LiveSelection): Promise<LiveCheck> {
  const { checkLive } = await import('./imports/check-live.js')
  return checkLive(ir, config.root, choice)
}

function failed(root: string, output: string, diagnostics: readonly Diagnostic[]): CheckResult {
  return { ok: false, diagnostics, root, output, drift: [], inSync: false, live: [] }
}
