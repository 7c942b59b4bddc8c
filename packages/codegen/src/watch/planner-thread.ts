// The thread in which a watched project is evaluated and planned; it writes nothing, so it can be ended at any time.

import { Console } from 'node:console'
import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import process from 'node:process'
import { parentPort, workerData } from 'node:worker_threads'
import { internalError } from '../diagnostics/diagnostic.js'
import { foundAt } from '../files.js'
import { countDesign } from '../ir/types.js'

import { markInstallation, markPackages, readModule } from '../output/package-marks.js'
import { planProject } from '../plan-output.js'
import { configFileOf, refusedAccess, rootOf } from '../project.js'
import { createProjectMemory } from '../project-memory.js'
import { moduleName } from './changes.js'
import { type PlannedProject, type PlannerNews, SentPlans, type WatchPlan } from './watch-project.js'

/** The files that decide what the imports of modules give: records of package managers, manifests, linked packages. */
type FindInstalled = (root: string, modules: readonly string[], tsconfig?: string) => readonly string[]

/** Finds them; the files of linked packages are listed again only when other packages are imported. */
function installedFiles(): FindInstalled {
  let last: { readonly names: string; readonly files: readonly string[] } | undefined
  return (root, modules, tsconfig) => {
    const names = [...new Set(modules.flatMap((file) => packagesOf(file)))].sort()
    const key = [root, ...names].join('\n')
    const files = last?.names === key ? last.files : codeOf(root, names)
    last = { names: key, files }
    const records = markInstallation(root).map(({ path }) => path)
    return [...records, ...files, ...(tsconfig === undefined ? [] : [join(root, tsconfig)])]
  }
}

/** Of a linked package what can be imported and its manifest, not its documents. */
function codeOf(root: string, names: readonly string[]): readonly string[] {
  const marks = markPackages(root, names) ?? []
  return marks.map(({ path }) => path).filter((path) => moduleName.test(path))
}

function packagesOf(file: string): readonly string[] {
  if (file.endsWith('.json') || foundAt(file)?.isFile() !== true) return []
  return readModule(readFileSync(file, 'utf8'), isBuiltin).packages
}

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
