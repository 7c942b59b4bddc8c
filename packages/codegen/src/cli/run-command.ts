import { resolve } from 'node:path'
import { type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { foundAt } from '../files.js'
import { refusedAccess } from '../project.js'
import type { CommandContext, CommonOptions, ProcessContext } from './context.js'
import type { ExitCode } from './format.js'
import { report } from './report.js'

export function commandContext(command: string, options: CommonOptions, process: ProcessContext): CommandContext {
  const { terminal, onEvaluate } = process
  const { config } = options
  const cwd = resolve(process.cwd, options.cwd ?? '.')
  const reporter = options.reporter ?? (options.json === true ? 'json' : 'pretty')
  const notes = options.verbose === true ? 'full' : 'counted'
  return {
    ...process,
    cwd,
    reporter,
    project: { cwd, ...(config !== undefined && { config }), ...(onEvaluate !== undefined && { onEvaluate }) },
    report: (diagnostics, more) => report(reporter, terminal, { command, root: cwd, notes, ...more, diagnostics }),
  }
}

export async function runCommand(
  name: string,
  options: CommonOptions,
  process: ProcessContext,
  command: (context: CommandContext) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const context = commandContext(name, options, process)
  const fail = (diagnostic: Diagnostic): ExitCode => context.report([diagnostic], { command: 'toolgen' })
  try {
    const found = foundAt(context.cwd)
    if (found?.isDirectory() === true) return await command(context)
    const problem =
      found === undefined ? `The folder \`${options.cwd}\` does not exist.` : `\`${options.cwd}\` is not a folder.`
    const next = 'Correct --cwd. It is relative to the current folder.'
    return fail(errorAt(undefined, 'TG0008', problem, next))
  } catch (error) {
    const refused = refusedAccess(error, context.cwd)
    if (refused === undefined) throw error
    return fail(refused)
  }
}
