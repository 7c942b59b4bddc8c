import { generate } from '../../generate.js'
import type { GenerateCommandOptions } from '../context.js'
import { type CommandContext, projectOptions, reporterOf } from '../context.js'
import type { ExitCode } from '../format.js'
import { report } from '../report.js'
import { progressLine } from '../terminal.js'
import { generateReport } from './generate-report.js'

/** Writes the generated code and says in a few words what changed. */
export async function runGenerate(options: GenerateCommandOptions, context: CommandContext): Promise<ExitCode> {
  if (options.watch === true || options.timeLimit !== undefined) {
    const { runWatch } = await import('./watch.js')
    return runWatch(options, context)
  }
  const started = performance.now()
  const elapsed = (): number => Math.round(performance.now() - started)
  const kind = reporterOf(options)
  const { clear, onStage } = progressLine(context.terminal, elapsed)
  const choice = { ...projectOptions(options, context), force: options.force === true, cache: options.cache }
  const result = await generate({ ...choice, ...(kind === 'pretty' && { onStage }) }).finally(clear)
  return report(kind, context.terminal, generateReport(result, { milliseconds: elapsed(), options, context }))
}
