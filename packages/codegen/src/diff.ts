import type { ContractChange } from './contracts/change.js'
import { defined } from './defined.js'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import { compileProject, type ProjectOptions } from './project.js'

interface DiffOptions extends ProjectOptions {
  /**
   * Earlier version of the design: a Git revision, `revision:path/of/a/lock`, or the path of a `toolgen.lock.json` or its folder. Paths are relative
   * to `cwd`. Default: `HEAD`.
   */
  readonly base?: string
  /**
   * Path pattern of cassettes (recordings of runs), relative to `cwd`, with `*` and `**`. The comparison also checks the calls in these files.
   * Default: no cassettes.
   */
  readonly cassettes?: string
}

/** Result of {@link diff}: the changes of tools and agents since an earlier version of the design. */
export interface DiffResult {
  /** True if the result contains no errors and no breaking changes. */
  readonly ok: boolean
  /** Diagnostics of the design, followed by one diagnostic for each change. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the project folder. All locations in the result are relative to this folder. */
  readonly root: string
  /**
   * Earlier version that was compared with the design: a Git revision or a lock file. `shown` is the name of this version in messages. Absent if an
   * error prevented the comparison.
   */
  readonly base?: { readonly kind: 'revision' | 'file'; readonly shown: string }
  readonly changes: readonly ContractChange[]
  /**
   * Numbers of recorded payloads that the comparison decoded with the current design: examples of tools, and calls in cassettes (recordings of runs).
   */
  readonly recorded: { readonly examples: number; readonly calls: number }
}

/**
 * Compares the tools and agents of a design with an earlier `toolgen.lock.json`. Reports changes that affect code, models or recorded calls. Writes
 * no files and uses no cache.
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
