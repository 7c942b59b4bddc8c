import { CommanderError } from 'commander'
import type { ProcessContext } from './context.js'
import { exitCodes } from './format.js'
import { buildProgram } from './program.js'
import { allowsColour, openTerminal } from './terminal.js'

/**
 * Starts the command line. Help and version are printed without loading anything else. Other commands run with {@link
 * runProcess}, which can evaluate designs.
 */
export async function start(process: NodeJS.Process): Promise<void> {
  if (asksForHelp(process.argv.slice(2)) && (await printsHelp(process))) return
  const { runProcess } = await import('./run-process.js')
  runProcess(process)
}

/** Checks for the help or version option. Ignores words after `--`, which are the command of an MCP server. */
function asksForHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--')
  const own = end < 0 ? args : args.slice(0, end)
  return own.some((arg) => arg === '-h' || arg === '--help' || arg === '-v' || arg === '--version')
}

/** Prints the help or the version. Returns `false` for an invalid command line, which `runProcess` then reports. */
async function printsHelp(process: NodeJS.Process): Promise<boolean> {
  const terminal = openTerminal(process, { colour: allowsColour(process.env) })
  const context: ProcessContext = {
    terminal,
    cwd: '',
    output: process.stdout,
    // A getter, so that only commands that read standard input open it.
    get input() {
      return process.stdin
    },
  }
  // Closing the pipe, as `head` does, is not an error.
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
