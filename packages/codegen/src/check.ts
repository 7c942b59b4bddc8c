import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { LiveSelection, LiveToolset } from './imports/check-live.js'
import type { Drift } from './output/drift.js'
import { planOutput } from './plan-output.js'
import { compileProject, type ProjectOptions } from './project.js'

interface CheckOptions extends ProjectOptions {
  readonly live?: LiveSelection
}

/** Result of {@link check}: diagnostics, files that are out of date, and differences between imported tools and their MCP servers. */
export interface CheckResult {
  /** True if there are no errors, and generated files and snapshots are up to date. */
  readonly ok: boolean
  /** Diagnostics of the design, then one error for each file that is out of date, then the diagnostics of the MCP servers. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the project folder. All other paths in the result are relative to this folder. */
  readonly root: string
  /** Output folder relative to `root`. Empty if the configuration has errors. */
  readonly output: string
  readonly drift: readonly Drift[]
  /** True if the files were compared and are up to date. */
  readonly inSync: boolean
  /** Comparisons of imported toolsets with their MCP servers. The option `live` selects the toolsets. Empty if the design has errors. */
  readonly live: readonly LiveToolset[]
}

/**
 * Compares the generated code on disk with the design. With the option `live`, also compares each snapshot of imported tools with the MCP server of
 * the toolset. Writes no files and uses no cache.
 *
 * @example
 * const { ok, drift } = await check({ cwd: process.cwd() })
 */
export async function check({ live, ...choice }: CheckOptions): Promise<CheckResult> {
  const { value: project, diagnostics, root } = await compileProject(choice)
  const failed = { ok: false, root, drift: [], inSync: false, live: [] }
  if (project === undefined) return { ...failed, diagnostics, output: '' }
  const { output } = project.config
  const planned = await planOutput(project)
  const found = [...diagnostics, ...planned.diagnostics]
  if (planned.value === undefined) return { ...failed, diagnostics: found, output }
  // Loaded here, because configurations import this package only for its types and `defineConfig`.
  const { checkOutput } = await import('./output/output.js')
  const { drift, ...checked } = checkOutput(planned.value)
  found.push(...checked.diagnostics, ...drift.map(({ diagnostic }) => diagnostic))
  const inSync = checked.diagnostics.length + drift.length === 0
  let toolsets: readonly LiveToolset[] = []
  if (live !== undefined) {
    const { checkLive } = await import('./imports/check-live.js')
    const { servers, diagnostics: ofSelection } = await checkLive(project.loaded, root, live)
    toolsets = servers.map(({ result }) => result)
    found.push(...ofSelection, ...servers.flatMap((server) => server.diagnostics))
  }
  const ok = !found.some(({ severity }) => severity === 'error')
  return { ok, diagnostics: found, root, output, drift, inSync, live: toolsets }
}
