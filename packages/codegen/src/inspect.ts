import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { DesignIr } from './ir/types.js'
import { compileProject, type ProjectChoice, rootOf } from './run/compile-project.js'

/** A design as toolgen understands it. */
export interface InspectResult {
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  /** Absent when there were errors. */
  readonly ir?: DesignIr
}

/**
 * Evaluates and checks a design without binding or writing anything.
 *
 * @example
 * const { ir, diagnostics } = await inspect({ cwd: process.cwd() })
 */
export async function inspect(choice: ProjectChoice): Promise<InspectResult> {
  const { value, diagnostics } = await compileProject(choice)
  return { diagnostics, root: rootOf(choice), ...(value !== undefined && { ir: value.ir }) }
}
