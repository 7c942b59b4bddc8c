import type { Diagnostic } from './diagnostics/diagnostic.js'
import { compileProject, type ProjectChoice, rootOf } from './run/compile-project.js'
import { planOutput } from './run/plan-output.js'
import { nodeDisk } from './write/disk.js'
import type { Drift } from './write/drift.js'
import { checkOutput } from './write/write-output.js'

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
}

/**
 * Compares the generated code on disk with what the design gives; writes nothing, and trusts no earlier run.
 *
 * @example
 * const { ok, drift } = await check({ cwd: process.cwd() })
 */
export async function check(choice: ProjectChoice): Promise<CheckResult> {
  const compiled = await compileProject(choice)
  const project = compiled.value
  if (project === undefined) return failed(rootOf(choice), '', compiled.diagnostics)
  const { root, output } = project.config
  const planned = await planOutput(project, undefined)
  const found = [...compiled.diagnostics, ...planned.diagnostics]
  if (planned.value === undefined) return failed(root, output, found)
  const checked = checkOutput(nodeDisk, planned.value)
  const diagnostics = [...found, ...checked.diagnostics, ...checked.drift.map(({ diagnostic }) => diagnostic)]
  const ok = !diagnostics.some(({ severity }) => severity === 'error')
  return { ok, diagnostics, root, output, drift: checked.drift }
}

function failed(root: string, output: string, diagnostics: readonly Diagnostic[]): CheckResult {
  return { ok: false, diagnostics, root, output, drift: [] }
}
