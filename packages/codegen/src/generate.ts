import { cacheFolderFor } from './cache.js'
import { isInternalError } from './diagnostics/diagnostic.js'
import { countDesign } from './ir/types.js'
import { serviceUses } from './ir/uses.js'
import { writeOutput } from './output/output.js'
import { failedResult, type GenerateResult, planProject, writtenResult } from './plan-output.js'
import { configFileOf, type ProjectOptions } from './project.js'
import { recallRun, rememberRun } from './run-record.js'

interface GenerateOptions extends ProjectOptions {
  /** True to overwrite an unreadable lock file, and generated files that were edited by hand. Default: false. */
  readonly force?: boolean
  /**
   * True to use results of earlier runs. The run is skipped if no input has changed. Tools are compared with their service clients again only if one
   * of them has changed. Default: true.
   */
  readonly cache?: boolean
}

/**
 * Evaluates and checks the design, connects its tools to service clients, and updates the output folder. Returns errors in the design or
 * configuration as diagnostics. Does not throw these errors.
 *
 * @example
 * const { ok, diagnostics, written } = await generate({ cwd: process.cwd() })
 */
export async function generate({ force = false, cache = true, ...choice }: GenerateOptions): Promise<GenerateResult> {
  const startedAt = Date.now()
  const configFile = cache ? configFileOf(choice) : undefined
  const cacheFolder = configFile && cacheFolderFor(configFile)
  const recalled = cacheFolder === undefined ? undefined : recallRun(cacheFolder)
  if (recalled !== undefined) return recalled
  const plan = await planProject(choice, { cacheFolder })
  const { project, planned, diagnostics } = plan
  if (project === undefined || planned === undefined) return failedResult(plan, diagnostics)
  choice.onStage?.('compare', planned.files.length)
  const result = writtenResult(plan, countDesign(project.ir), diagnostics, await writeOutput(planned, { force }))
  if (result.ok && cacheFolder !== undefined && !diagnostics.some(isInternalError)) {
    const usesClients = project.ir.agents.some((agent) => serviceUses(agent).length > 0)
    const { config, evaluated } = project
    rememberRun(cacheFolder, { config, evaluated, usesClients, planned, result: { ...result, diagnostics }, startedAt })
  }
  return result
}
