import { CommanderError } from 'commander'
import type { CommandContext } from './command-context.js'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-code.js'
import { buildProgram } from './program.js'
import { report, reporterAsked } from './report.js'
import { usageError } from './usage-error.js'

/** Runs one command line and returns its exit code; throws only for bugs. */
export async function runCommandLine(args: readonly string[], context: CommandContext): Promise<ExitCode> {
  const { terminal } = context
  let exitCode: ExitCode = exitCodes.ok
  const program = buildProgram(context, (code) => {
    exitCode = code
  })
  try {
    await program.parseAsync(args, { from: 'user' })
    return exitCode
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') return exitCodes.ok
    // The help has been printed: because it was asked for, or because no command was given.
    if (error.code === 'commander.help') return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    const diagnostics = [usageError(error, args, program)]
    report(reporterAsked(args), terminal, { command: 'toolgen', root: context.cwd, diagnostics })
    return exitCodeOf(diagnostics)
  }
}
