import type { CommandContext } from './command-context.js'
import { type CommonOptions, inFolder, noSuchFolder, reporterOf } from './common-options.js'
import type { ExitCode } from './exit-code.js'
import { report } from './report.js'

/** Runs a command in the folder that `--cwd` names, if there is such a folder. */
export async function runInFolder(
  options: CommonOptions,
  context: CommandContext,
  command: (context: CommandContext) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const inside = inFolder(context, options)
  const wrong = noSuchFolder(inside, options)
  if (wrong === undefined) return command(inside)
  const findings = { command: 'toolgen', root: context.cwd, diagnostics: [wrong] }
  return report(reporterOf(options), context.terminal, findings)
}
