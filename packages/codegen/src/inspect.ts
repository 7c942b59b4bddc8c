import type { Diagnostic } from './diagnostics/diagnostic.js'
import type { DesignIr } from './ir/types.js'
import { bindProject, compileProject, type ProjectChoice, rootOf } from './project.js'
import type { ServicePlans } from './services/plan.js'

/** A design as toolgen understands it. */
export interface InspectResult {
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  /** Absent when there were errors in the design. */
  readonly ir?: DesignIr
  /** How each tool reaches its service's method; absent when that was not asked for or the services do not fit. */
  readonly plans?: ServicePlans
}

/** What {@link inspect} can be told. */
export interface InspectOptions extends ProjectChoice {
  /** Whether the types of the services are read as well. Default: false. */
  readonly bind?: boolean
}

/**
 * Evaluates and checks a design, and reads its services' types if asked to; writes nothing.
 *
 * @example
 * const { ir, diagnostics } = await inspect({ cwd: process.cwd() })
 */
export async function inspect({ bind, ...choice }: InspectOptions): Promise<InspectResult> {
  const { value, diagnostics } = await compileProject(choice)
  const root = rootOf(choice)
  if (value === undefined) return { diagnostics, root }
  if (bind !== true) return { diagnostics, root, ir: value.ir }
  const bound = await bindProject(value, undefined)
  const found = [...diagnostics, ...bound.diagnostics]
  return { diagnostics: found, root, ir: value.ir, ...(bound.value !== undefined && { plans: bound.value }) }
}
