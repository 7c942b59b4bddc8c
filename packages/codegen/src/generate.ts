import { isInternalError } from './diagnostics/diagnostic.js'
import { nodeDisk } from './files.js'
import { countDesign, serviceUses } from './ir/types.js'
import { writeOutput } from './output/output.js'
import { cacheFolderFor } from './output/package-marks.js'
import { recallRun, rememberRun } from './output/run-record.js'
import { thisRun } from './output/turn.js'
import { failedResult, type GenerateResult, planProject, writtenResult } from './plan-output.js'
import { configFileOf, type ProjectOptions, rootOf } from './project.js'

/** Options of {@link generate}. */
interface GenerateOptions extends ProjectOptions {
  /** Also overwrite generated files that were changed by hand, and a lock that cannot be read. Default: false. */
  readonly force?: boolean
  /** A run in which nothing changed ends at once, and results of client types are cached. Default: true. */
  readonly cache?: boolean
}

/**
 * Runs the whole pipeline: evaluates the design, checks it, binds its tools to their services, and updates the output
 * folder. Errors in the design or the configuration are diagnostics, never exceptions.
 *
 * @example
 * const { ok, diagnostics, written } = await generate({ cwd: process.cwd() })
 */
export async function generate(options: GenerateOptions): Promise<GenerateResult> {
  const startedAt = Date.now()
  const configFile = configFileOf(options)
  const cached = options.cache !== false && configFile !== undefined
  const cacheFolder = cached ? cacheFolderFor(configFile) : undefined
  const recalled = cacheFolder === undefined ? undefined : recallRun(cacheFolder)
  if (recalled !== undefined) {
    const { project, counts, diagnostics, files } = recalled
    const { root, output } = project
    const nothing = { written: [], removed: [], unchanged: files }
    return { ok: true, diagnostics, root, output, upToDate: true, recalled: true, ...nothing, counts }
  }
  const plan = await planProject(options, { cacheFolder })
  const { project, planned, config, diagnostics } = plan
  const location = { root: config?.root ?? rootOf(options), output: config?.output ?? '' }
  if (project === undefined || planned === undefined) return failedResult(location, diagnostics)
  const force = options.force === true
  options.onStage?.('compare', planned.files.length)
  const outcome = await writeOutput({ disk: nodeDisk, run: thisRun() }, planned, { force })
  const result = writtenResult(location, countDesign(project.ir), diagnostics, outcome)
  if (result.ok && cacheFolder !== undefined && !diagnostics.some(isInternalError)) {
    const usesClients = project.ir.agents.some((agent) => serviceUses(agent).length > 0)
    rememberRun(cacheFolder, { ...project, usesClients, diagnostics, counts: result.counts, startedAt })
  }
  return result
}
