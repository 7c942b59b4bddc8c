// The thread in which a watched project is evaluated and planned; it writes nothing, so it can be ended at any time.
import { Console } from 'node:console'
import process from 'node:process'
import { parentPort, workerData } from 'node:worker_threads'
import { internalError } from '../diagnostics/internal-error.js'
import { configFileOf, rootOf } from '../run/compile-project.js'
import { countDesign } from '../run/count-design.js'
import { planProject } from '../run/plan-project.js'
import { createProjectMemory } from '../run/project-memory.js'
import { refusedAccess } from '../run/refused-access.js'
import { installedFiles } from './installed-files.js'
import type { PlannedProject, PlannerNews, WatchPlan } from './planner-messages.js'
import { SentPlans } from './sent-plans.js'

const project: PlannedProject = workerData
const memory = createProjectMemory()
const findInstalled = installedFiles()
const sent = new SentPlans()
const tell = (news: PlannerNews): void => parentPort?.postMessage(news)

globalThis.console = new Console(process.stderr, process.stderr)
parentPort?.on('message', () => {
  makePlan().then(
    (plan) => tell({ kind: 'planned', plan: sent.pack(plan) }),
    (error: unknown) => tell({ kind: 'broken', diagnostic: refusedAccess(error, project.cwd) ?? internalError(error) }),
  )
})

async function makePlan(): Promise<WatchPlan> {
  const choice = {
    ...project,
    onEvaluate: (what: 'configuration' | 'design' | 'module') => {
      tell({ kind: 'evaluates', what })
      // A design that waits for something that never comes must end the thread, as it ends a process.
      parentPort?.unref()
    },
    onEvaluated: () => {
      parentPort?.ref()
      tell({ kind: 'evaluated' })
    },
  }
  const { config, planned, project: compiled, diagnostics, read, repeatable } = await planProject(choice, { memory })
  const root = config?.root ?? rootOf(project)
  return {
    diagnostics,
    root,
    read: [...new Set([...read, ...[configFileOf(project)].filter((file) => file !== undefined)])],
    repeatable,
    installed: findInstalled(root, read, config?.tsconfig),
    ...(config !== undefined && { config: { output: config.output, patterns: config.patterns } }),
    ...(planned !== undefined && { planned }),
    ...(compiled !== undefined && { counts: countDesign(compiled.ir) }),
  }
}
