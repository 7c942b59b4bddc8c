import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { refusedAccess } from '../project.js'
import { type CommandContext, type CommonOptions, inFolder, noSuchFolder, reporterOf } from './context.js'
import type { ExitCode } from './format.js'
import { type Report, report } from './report.js'

/** Runs a command in the folder that `--cwd` names, if it exists; reports what the operating system refuses. */
export async function runInFolder(
  options: CommonOptions,
  context: CommandContext,
  command: (context: CommandContext) => ExitCode | Promise<ExitCode>,
): Promise<ExitCode> {
  const inside = inFolder(context, options)
  const fail = reporter('toolgen', options, context)
  try {
    const wrong = noSuchFolder(inside, options)
    return wrong === undefined ? await command(inside) : fail([wrong])
  } catch (error) {
    const refused = refusedAccess(error, context.cwd)
    if (refused === undefined) throw error
    return fail([refused])
  }
}

/** Returns the function by which a command reports its diagnostics: relative to its folder, notes in full with `--verbose`. */
export function reporter(
  command: string,
  options: CommonOptions,
  { terminal, cwd }: Pick<CommandContext, 'terminal' | 'cwd'>,
): (diagnostics: readonly Diagnostic[], more?: Partial<Report>) => ExitCode {
  const notes = options.verbose === true ? 'full' : 'counted'
  return (diagnostics, more) =>
    report(reporterOf(options), terminal, { command, root: cwd, notes, ...more, diagnostics })
}
