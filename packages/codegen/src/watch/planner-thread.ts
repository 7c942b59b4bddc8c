// The thread that evaluates and plans a watched project. It writes nothing, so it can be terminated at any time.

import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { internalError } from '../diagnostics/diagnostic.js'
import { isFile, tsconfigFiles } from '../files.js'
import { countDesign } from '../ir/types.js'
import { planProject } from '../plan-output.js'
import { configFileOf, type Evaluated, type ProjectMemory, refusedAccess } from '../project.js'
import { installationFiles, packageFiles, readModule } from '../run-record.js'
import { moduleName } from './changes.js'
import { type PlannedProject, type PlannerMessage, SentPlans, type WatchPlan } from './watch-project.js'

const project: PlannedProject = workerData
const memory: ProjectMemory = {}
const sent = new SentPlans()
const send = (message: PlannerMessage): void => parentPort?.postMessage(message)
/** Imports of other packages make the list invalid. */
let listed: { readonly packages: string; readonly files: readonly string[] } = { packages: '', files: [] }

globalThis.console = new Console(process.stderr, process.stderr)
parentPort?.on('message', () => {
  makePlan().then(
    (plan) => send({ kind: 'planned', plan: sent.pack(plan) }),
    (error: unknown) => send({ kind: 'broken', diagnostic: refusedAccess(error, project.cwd) ?? internalError(error) }),
  )
})

async function makePlan(): Promise<WatchPlan> {
  const choice = {
    ...project,
    onEvaluate: (what: Evaluated) => {
      send({ kind: 'evaluates', what })
      // The port must not keep the thread alive. If the design waits for something that never happens, the thread then ends, as
      // a process would.
      parentPort?.unref()
    },
    onEvaluated: () => {
      parentPort?.ref()
      send({ kind: 'evaluated' })
    },
  }
  const plan = await planProject(choice, { memory })
  const { config, planned, project: compiled, diagnostics, root, repeatable } = plan
  const configFile = configFileOf(project)
  return {
    diagnostics,
    root,
    read: [...new Set([...plan.read, ...(configFile === undefined ? [] : [configFile])])],
    repeatable,
    installed: installedFiles(root, plan.read, config?.tsconfig),
    ...(config !== undefined && { config: { output: config.output, patterns: config.patterns } }),
    ...(planned !== undefined && { planned }),
    ...(compiled !== undefined && { counts: countDesign(compiled.ir) }),
  }
}

function installedFiles(root: string, modules: readonly string[], tsconfig?: string): readonly string[] {
  const texts = modules
    .filter((file) => !file.endsWith('.json') && isFile(file))
    .map((file) => readFileSync(file, 'utf8'))
  const names = [...new Set(texts.flatMap((text) => readModule(text).packages))].sort()
  const packages = [root, ...names].join('\n')
  if (listed.packages !== packages) {
    // A linked package can also contain documents, which are not imported.
    listed = { packages, files: (packageFiles(root, names) ?? []).filter((file) => moduleName.test(file)) }
  }
  return [...installationFiles(root), ...listed.files, ...compilerFiles(root, tsconfig)]
}

function compilerFiles(root: string, tsconfig: string | undefined): readonly string[] {
  if (tsconfig === undefined) return []
  const file = join(root, tsconfig)
  return tsconfigFiles(file) ?? [file]
}
