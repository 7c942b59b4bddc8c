import { CommanderError } from 'commander'
import type { ProcessContext } from './context.js'
import { exitCodes } from './format.js'
import { buildProgram } from './program.js'
import { allowsColour, openTerminal } from './terminal.js'

/**
 * Starts the command line. Help and the version need the program's own words alone, and are often asked for; all else gets a
 * process in which designs can be evaluated, with {@link runProcess}.
 */
export async function start(process: NodeJS.Process): Promise<void> {
  if (asksForHelp(process.argv.slice(2)) && (await printsHelp(process))) return
  const { runProcess } = await import('./run-process.js')
  runProcess(process)
}

/** Checks for an option of help or version; words after `--` belong to another command. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end < 0 ? args : args.slice(0, end)
  return own.some((arg) => arg === '-h' || arg === '--help' || arg === '-v' || arg === '--version')
}

/** Prints the help or the version; false where the command line is wrong, which is then for others to tell. */
async function printsHelp(process: NodeJS.Process): Promise<boolean> {
  const terminal = openTerminal(process, { colour: allowsColour(process.env) })
  const context: ProcessContext = {
    terminal,
    cwd: '',
    output: process.stdout,
    // Opened only by a command that reads it.
    get input() {
      return process.stdin
    },
  }
  // A reader that closes the pipe is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) =>
    process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.usage),
  )
  try {
    await buildProgram(context, () => {}).parseAsync(process.argv.slice(2), { from: 'user' })
    return true
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.code === 'commander.helpDisplayed' || error.code === 'commander.version'
  }
}
