import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { DesignIr } from './ir/types.js'
import { bindProject, compileProject, type ProjectOptions } from './project.js'
import type { ServicePlans } from './services/plan.js'

/** Result of {@link inspect}: a compiled design. */
export interface InspectResult {
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the project folder. Diagnostics contain paths relative to this folder. */
  readonly root: string
  /** Intermediate representation (IR) of the design. The generator creates code from the IR. Absent if the design has errors. */
  readonly ir?: DesignIr
  /**
   * Client method and conversions of each tool with a service client, for example `plans.support.orders.getOrder`. Present only if `bind` is true and
   * all tools match their service clients.
   */
  readonly plans?: ServicePlans
}

interface InspectOptions extends ProjectOptions {
  /** True to compare tools with their service clients and return `plans`. Default: false. */
  readonly bind?: boolean
}

/**
 * Evaluates and checks a design. If `bind` is true, also compares its tools with their service clients. Writes no files.
 *
 * @example
 * const { ir, diagnostics } = await inspect({ cwd: process.cwd() })
 */
export async function inspect({ bind, ...choice }: InspectOptions): Promise<InspectResult> {
  const { value, diagnostics, root } = await compileProject(choice)
  if (value === undefined) return { diagnostics, root }
  if (bind !== true) return { diagnostics, root, ir: value.ir }
  const bound = await bindProject(value)
  const found = [...diagnostics, ...bound.diagnostics]
  return { diagnostics: found, root, ir: value.ir, ...(bound.value !== undefined && { plans: bound.value }) }
}
