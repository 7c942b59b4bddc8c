import { Console } from 'node:console'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { internalError } from '../diagnostics/internal-error.js'
import type { Evaluated } from '../run/compile-project.js'
import { failedInBackground, unfinished } from '../run/evaluated-faults.js'
import { isDiskError } from '../write/disk.js'
import { type ExitCode, exitCodes } from './exit-code.js'
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
  let evaluated: Evaluated = 'design'
  const onEvaluate = (what: Evaluated): void => {
    evaluated = what
  }
  const fail = (diagnostic: Diagnostic): ExitCode => {
    return report(reporterAsked(args), terminal, { command: 'toolgen', root: '', diagnostics: [diagnostic] })
  }
  const failInBackground = (thrown: unknown): void => {
    if (!finished) leave(fail(failedInBackground(thrown, evaluated)))
  }
  process.on('uncaughtException', failInBackground)
  process.on('unhandledRejection', failInBackground)
  process.on('exit', () => {
    if (!finished) process.exitCode = fail(unfinished(evaluated))
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
  runCommandLine(args, { terminal, cwd, input: process.stdin, onEvaluate }).then(leave, (thrown: unknown) => {
    if (process.env.TOOLGEN_DEBUG === '1' && thrown instanceof Error) terminal.note(`${thrown.stack}\n`)
    leave(fail(internalError(thrown)))
  })
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
