import { Console } from 'node:console'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { isDiskError } from '../write/disk.js'
import { type ExitCode, exitCodes } from './exit-code.js'
import { internalError } from './internal-error.js'
import { runCommandLine } from './main.js'
import { report, reporterAsked } from './report.js'
import { allowsColour, openTerminal } from './terminal.js'

/**
 * Runs the process's command line and ends the process with the documented exit code, whatever the design does that it
 * evaluates: what it prints goes to standard error, what it starts and leaves running is cut off, and neither a promise
 * that it leaves alone nor an end of its own making passes for success.
 */
export function runProcess(process: NodeJS.Process): void {
  const args = process.argv.slice(2)
  const colour = allowsColour(process.env) && !args.includes('--no-color')
  const terminal = openTerminal(process, { colour })
  globalThis.console = new Console(process.stderr, process.stderr)

  let finished = false
  const leave = (code: ExitCode): void => {
    if (finished) return
    finished = true
    process.exitCode = code
    // What a design left running would keep the process alive; both streams are emptied first.
    process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
  }
  const fail = (diagnostic: Diagnostic): ExitCode => {
    return report(reporterAsked(args), terminal, { command: 'toolgen', root: '', diagnostics: [diagnostic] })
  }
  const failInBackground = (thrown: unknown): void => {
    if (!finished) leave(fail(background(thrown)))
  }
  process.on('uncaughtException', failInBackground)
  process.on('unhandledRejection', failInBackground)
  process.on('exit', () => {
    if (!finished) process.exitCode = fail(unfinished)
  })
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that had enough, such as `head`, is no error.
    stream.on('error', (error: NodeJS.ErrnoException) => leave(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.usage))
  }
  const cwd = currentFolder(process)
  if (cwd === undefined) {
    leave(fail(noFolder))
    return
  }
  runCommandLine(args, { terminal, cwd, input: process.stdin }).then(leave, (thrown: unknown) => {
    if (process.env.TOOLGEN_DEBUG === '1' && thrown instanceof Error) terminal.note(`${thrown.stack}\n`)
    leave(fail(internalError(thrown)))
  })
}

function background(thrown: unknown): Diagnostic {
  const [what = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n')
  return {
    code: 'TG0005',
    severity: 'error',
    message: `Something that the design started failed in the background: ${what}`,
    next: 'Keep the design to definitions: no timers, no input or output, no promises left alone.',
  }
}

function currentFolder(process: NodeJS.Process): string | undefined {
  try {
    return process.cwd()
  } catch (error) {
    if (!isDiskError(error)) throw error
    return undefined
  }
}

const noFolder: Diagnostic = {
  code: 'TG0007',
  severity: 'error',
  message: 'The folder in which toolgen was started does not exist any more.',
  next: 'Change to the project and run the command again.',
}

const unfinished: Diagnostic = {
  code: 'TG0004',
  severity: 'error',
  message: 'The design never came to its end: it waits for something that never comes, or ends the process.',
  next: 'Keep the design to definitions: no awaiting at the top level, no process.exit.',
}
