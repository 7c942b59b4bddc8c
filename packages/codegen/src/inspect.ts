import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { DesignIr } from './ir/types.js'
import { bindProject, compileProject, type ProjectOptions } from './project.js'
import type { ServicePlans } from './services/plan.js'

/** Result of {@link inspect}: a compiled design. */
export interface InspectResult {
  readonly diagnostics: readonly Diagnostic[]
  /** Absolute path of the folder to which the diagnostics' locations are relative. */
  readonly root: string
  /** Intermediate representation (IR) of the design, from which code is generated. Absent if the design has errors. */
  readonly ir?: DesignIr
  /**
   * Plans of the calls of service clients: agent → toolset → tool → plan. Absent without the option `bind`, or if a tool cannot be bound to
   * its service client.
   */
  readonly plans?: ServicePlans
}

interface InspectOptions extends ProjectOptions {
  /** True to also bind tools to service clients; the result then has `plans`. Default: false. */
  readonly bind?: boolean
}

/**
 * Evaluates and checks a design. With `bind`, also binds its tools to service clients. Writes nothing.
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
