import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { Evaluated, ProjectChoice, ProjectReading } from '../run/compile-project.js'
import type { DesignCounts } from '../run/count-design.js'
import type { PlannedOutput } from '../write/output-state.js'
import type { SentPlan } from './sent-plans.js'

/** Which project a planner's thread plans. */
export type PlannedProject = Pick<ProjectChoice, 'cwd' | 'config'>

/** What the thread tells while it plans, and at the end what it found, or that a defect of this package kept it from that. */
export type PlannerNews =
  | { readonly kind: 'evaluates'; readonly what: Evaluated }
  | { readonly kind: 'evaluated' }
  | { readonly kind: 'planned'; readonly plan: SentPlan }
  | { readonly kind: 'broken'; readonly diagnostic: Diagnostic }

/** What a run would write, and on which files that depends. */
export interface WatchPlan extends Pick<ProjectReading, 'repeatable'> {
  readonly diagnostics: readonly Diagnostic[]
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  /** Absent where the configuration has errors. */
  readonly config?: { readonly output: string; readonly patterns: readonly string[] }
  /** Absent after an error. */
  readonly planned?: PlannedOutput
  readonly counts?: DesignCounts
  /** The files on which the plan depends, also those that are not there: absolute. */
  readonly read: readonly string[]
  /** The files that tell what is installed and how modules are resolved; only a new thread sees their changes. */
  readonly installed: readonly string[]
}
