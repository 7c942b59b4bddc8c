import type { ContractChange } from './contracts/change.js'
import { defined } from './defined.js'
import type { Diagnostic } from './diagnostics/diagnostic.js'
import { compileProject, type ProjectOptions } from './project.js'

/** Options of {@link diff}. */
interface DiffOptions extends ProjectOptions {
  /**
   * The base of the comparison: a revision of Git, `revision:path/of/a/lock`, or the path of a `toolgen.lock.json` or
   * of the folder that has it, relative to `cwd`. Default: `HEAD`.
   */
  readonly base?: string
  /** Recordings whose calls are decoded as well: a pattern of paths relative to `cwd`, with `*` and `**`. Default: none. */
  readonly cassettes?: string
}

/** The changes of a design's contracts since a base. */
export interface DiffResult {
  /** True when there are no errors, and nothing breaks. */
  readonly ok: boolean
  /** The diagnostics of the design, then one for every change. */
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the folder to which all locations are relative. */
  readonly root: string
  /** The base of the comparison; absent if there was no comparison. */
  readonly base?: { readonly kind: 'revision' | 'file'; readonly shown: string }
  readonly changes: readonly ContractChange[]
  /** Number of recorded calls that were decoded: examples of tools, and calls of cassettes. */
  readonly recorded: { readonly examples: number; readonly calls: number }
}

/**
 * Compares the contracts of a design with those in a lock, for callers, models and recorded calls. Writes nothing, and uses
 * no cache.
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
