import type { ContractChange } from './contracts/change.js'
import { defined } from './defined.js'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import { compileProject, type ProjectOptions } from './project.js'

interface DiffOptions extends ProjectOptions {
  /**
   * Earlier version with which the design is compared: a Git revision, `revision:path/of/a/lock`, or the path of a `toolgen.lock.json` or
   * of its folder, relative to `cwd`. Default: `HEAD`.
   */
  readonly base?: string
  /**
   * Pattern of the paths of cassettes (recordings of runs), relative to `cwd`, with `*` and `**`. The comparison also decodes the calls in
   * these files. Default: none.
   */
  readonly cassettes?: string
}

/** Result of {@link diff}: changes of the design's contracts since a base. */
export interface DiffResult {
  /** True if there are no errors and no breaking changes. */
  readonly ok: boolean
  /** Diagnostics of the design, then one diagnostic for each change. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the folder to which all locations are relative. */
  readonly root: string
  /**
   * Version with which the design was compared: a Git revision or a lock file. `shown` is its name in messages. Absent if nothing was
   * compared.
   */
  readonly base?: { readonly kind: 'revision' | 'file'; readonly shown: string }
  readonly changes: readonly ContractChange[]
  /**
   * Number of earlier calls that were decoded with the current design. `examples`: calls from the examples of tools. `calls`: calls from
   * cassettes.
   */
  readonly recorded: { readonly examples: number; readonly calls: number }
}

/**
 * Compares a design with the contracts of its tools and agents in an earlier `toolgen.lock.json`. Reports changes that affect code, models
 * or recorded calls. Writes nothing and uses no cache.
 *
 * @example
 * const { changes } = await diff({ cwd: process.cwd(), base: 'main' })
 * changes.filter(({ severity }) => severity === 'breaking')
 */
export async function diff({ base, cassettes, ...choice }: DiffOptions): Promise<DiffResult> {
  const { value: project, diagnostics, root } = await compileProject(choice)
  const failed = { ok: false, root, changes: [], recorded: { examples: 0, calls: 0 } }
  if (project === undefined) return { ...failed, diagnostics }
  const { compareContracts } = await import('./contracts/compare.js')
  const { output } = project.config
  const compared = await compareContracts(project.ir, {
    cwd: choice.cwd,
    root,
    output,
    ...defined({ base, cassettes }),
  })
  const found = [...diagnostics, ...compared.diagnostics]
  if (compared.value === undefined) return { ...failed, diagnostics: found }
  return { ok: !found.some(({ severity }) => severity === 'error'), diagnostics: found, root, ...compared.value }
}
