import { generate } from '../generate.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import type { ExitCode } from './exit-code.js'
import { generateFindings } from './generate-findings.js'
import { progressLine } from './progress-line.js'
import { projectChoice } from './project-choice.js'
import { report } from './report.js'

/** What `toolgen generate` can be told. */
export interface GenerateCommandOptions extends CommonOptions {
  readonly force?: boolean
  readonly cache: boolean
  readonly watch?: boolean
  /** In seconds. */
  readonly timeLimit?: string
}

/** Writes the generated code and says in a few words what changed. */
export async function runGenerate(options: GenerateCommandOptions, context: CommandContext): Promise<ExitCode> {
  if (options.watch === true || options.timeLimit !== undefined) {
    const { runWatch } = await import('./watch-command.js')
    return runWatch(options, context)
  }
  const started = performance.now()
  const elapsed = (): number => Math.round(performance.now() - started)
  const kind = reporterOf(options)
  const { clear, onStage } = progressLine(context.terminal, elapsed)
  const choice = { ...projectChoice(options, context), force: options.force === true, cache: options.cache }
  const result = await generate({ ...choice, ...(kind === 'pretty' && { onStage }) }).finally(clear)
  return report(kind, context.terminal, generateFindings(result, { milliseconds: elapsed(), options, context }))
}
