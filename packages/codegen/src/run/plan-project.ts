import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { PlannedOutput } from '../write/output-state.js'
import { type CompiledProject, compileProject, type ProjectChoice, type ProjectReading } from './compile-project.js'
import { planOutput } from './plan-output.js'
import type { ProjectMemory } from './project-memory.js'

/** What a run found out, up to where it writes. */
export interface ProjectPlan extends Pick<ProjectReading, 'config' | 'repeatable'> {
  readonly diagnostics: readonly Diagnostic[]
  /** Absent where the configuration or the design has errors. */
  readonly project?: CompiledProject
  /** Absent after an error. */
  readonly planned?: PlannedOutput
  /** The files outside `node_modules` on which the plan depends, as far as the run came: absolute. */
  readonly read: readonly string[]
}

/** What a run may use beside the project. */
export interface PlanResources {
  /** Where verdicts about client types are kept between processes; absent: nowhere. */
  readonly cacheFolder?: string | undefined
  /** What earlier runs of this process made; absent: nothing. */
  readonly memory?: ProjectMemory
}

/** Does all the work of a run but the writing. */
export async function planProject(choice: ProjectChoice, { cacheFolder, memory }: PlanResources): Promise<ProjectPlan> {
  const { value: project, ...compiled } = await compileProject(choice, memory)
  if (project === undefined) return compiled
  const { value: planned, diagnostics, read } = await planOutput(project, cacheFolder, memory, choice.onStage)
  return {
    ...compiled,
    project,
    diagnostics: [...compiled.diagnostics, ...diagnostics],
    read: [...new Set([...compiled.read, ...read])],
    ...(planned !== undefined && { planned }),
  }
}
