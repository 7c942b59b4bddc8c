import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { refusedAccess } from '../project.js'
import { type CommandContext, type CommonOptions, inFolder, noSuchFolder, reporterOf } from './context.js'
import type { ExitCode } from './format.js'
import { report } from './report.js'

/** Runs a command in the folder that `--cwd` names, if there is such a folder; tells what the operating system keeps from it. */
export async function runInFolder(
  options: CommonOptions,
  context: CommandContext,
  command: (context: CommandContext) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const inside = inFolder(context, options)
  const fail = (wrong: Diagnostic): ExitCode =>
    report(reporterOf(options), context.terminal, { command: 'toolgen', root: context.cwd, diagnostics: [wrong] })
  try {
    const wrong = noSuchFolder(inside, options)
    return wrong === undefined ? await command(inside) : fail(wrong)
  } catch (error) {
    const refused = refusedAccess(error, context.cwd)
    if (refused === undefined) throw error
    return fail(refused)
  }
}
