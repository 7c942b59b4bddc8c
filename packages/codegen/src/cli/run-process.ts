import { Console } from 'node:console'
import { finished, Writable } from 'node:stream'
import { type Command, CommanderError } from 'commander'
import { type Diagnostic, errorAt, internalError } from '../diagnostics/diagnostic.js'
import { diskErrorText, isDiskError } from '../files.js'
import { type Evaluated, failedInBackground, unfinished } from '../project.js'
import { type ProcessContext, wrongUsage } from './context.js'
import { type ExitCode, exitCodeOf, exitCodes } from './format.js'
import { buildProgram } from './program.js'
import { report, requestedReporter } from './report.js'
import { allowsColour, openTerminal } from './terminal.js'

/**
 * User code cannot change the exit code. Output of a design goes to standard error. Timers of a design do not delay the exit. The command fails if a
 * design calls `process.exit` or causes an unhandled rejection.
 */
export function runProcess(process: NodeJS.Process): void {
  const args = process.argv.slice(2)
  const colour = allowsColour(process.env) && !args.includes('--no-color')
  const { output, print } = takeStdout(process)
  // Written at once, so that the texts of both streams keep their order.
  let lost: NodeJS.ErrnoException | null | undefined
  const write = (text: string): boolean =>
    print(text, (error) => {
      lost ??= error
    })
  const stdout = { write, isTTY: process.stdout.isTTY }
  const terminal = openTerminal({ stdout, stderr: process.stderr }, { colour })
  globalThis.console = new Console(process.stderr, process.stderr)

  let hasEnded = false
  const leave = (code: ExitCode): void => {
    if (hasEnded) return
    hasEnded = true
    process.exitCode = code
    // Timers of a design would keep the process alive, so it exits after both streams are flushed.
    finished(output, (error) => {
      print('', (late) => {
        const cause = error ?? lost ?? late
        const last = isLost(cause) ? failAloud(lostOutput(cause)) : code
        process.stderr.write('', () => process.exit(last))
      })
    })
    output.end()
  }
  const failAloud = (diagnostic: Diagnostic): ExitCode =>
    report('pretty', terminal, { command: 'toolgen', root: '', diagnostics: [diagnostic] })
  let evaluated: Evaluated = 'design'
  const onEvaluate = (what: Evaluated): void => {
    evaluated = what
  }
  const fail = (diagnostic: Diagnostic): ExitCode => {
    return report(requestedReporter(args), terminal, { command: 'toolgen', root: '', diagnostics: [diagnostic] })
  }
  let backgroundListener: ((thrown: unknown) => void) | undefined
  const onBackgroundError = (listener: (thrown: unknown) => void): void => {
    backgroundListener = listener
  }
  const failInBackground = (thrown: unknown): void => {
    if (hasEnded) return
    if (backgroundListener !== undefined) backgroundListener(thrown)
    else leave(fail(failedInBackground(thrown, evaluated)))
  }
  process.on('uncaughtException', failInBackground)
  process.on('unhandledRejection', failInBackground)
  process.on('exit', () => {
    if (!hasEnded) process.exitCode = fail(unfinished(evaluated))
  })
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that closes the pipe early, such as `head`, is not an error.
    stream.on('error', (error) => leave(isLost(error) ? exitCodes.usage : exitCodes.ok))
  }
  const cwd = currentFolder(process)
  if (cwd === undefined) {
    leave(fail(noFolder))
    return
  }
  const context = { terminal, cwd, output, input: () => process.stdin, onEvaluate, onBackgroundError }
  runCommandLine(args, context).then(leave, (thrown: unknown) => {
    if (process.env.TOOLGEN_DEBUG === '1' && thrown instanceof Error) terminal.note(`${thrown.stack}\n`)
    leave(fail(internalError(thrown)))
  })
}

/** Returns `false` for an invalid command line, which {@link runProcess} then reports. */
export async function printsHelp(process: NodeJS.Process): Promise<boolean> {
  const terminal = openTerminal(process, { colour: allowsColour(process.env) })
  const context: ProcessContext = {
    terminal,
    cwd: '',
    output: process.stdout,
    input: () => process.stdin,
  }
  try {
    await buildProgram(context, () => {}).parseAsync(process.argv.slice(2), { from: 'user' })
    return true
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    // `commander.help` without an error: `toolgen help --help` has printed the help.
    const isHelp = error.code === 'commander.help' && error.exitCode === 0
    return isHelp || error.code === 'commander.helpDisplayed' || error.code === 'commander.version'
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

function isLost(error: NodeJS.ErrnoException | null | undefined): error is NodeJS.ErrnoException {
  return error !== null && error !== undefined && error.code !== 'EPIPE'
}

function lostOutput(error: NodeJS.ErrnoException): Diagnostic {
  const message = `Cannot write to standard output: ${isDiskError(error) ? diskErrorText(error) : error.message}. The output is incomplete.`
  return errorAt(undefined, 'TG0038', message, 'Free disk space, or redirect the output elsewhere.')
}

const noFolder: Diagnostic = errorAt(
  undefined,
  'TG0007',
  'The current folder does not exist any more.',
  'Change to the folder of the project and run the command again.',
)

/** An exception means that toolgen has a bug. */
async function runCommandLine(args: readonly string[], context: ProcessContext): Promise<ExitCode> {
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
    // Commander has printed the help: on request (exit code 0), or because no command was given.
    if (error.code === 'commander.help') return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    const diagnostics = [usageError(error, args, program)]
    report(requestedReporter(args), terminal, { command: 'toolgen', root: context.cwd, diagnostics })
    return exitCodeOf(diagnostics)
  }
}

type Print = (text: string, done: (error?: NodeJS.ErrnoException | null) => void) => boolean

/** From then on, all other code, such as a design, writes to standard error. */
function takeStdout({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): {
  readonly output: Writable
  readonly print: Print
} {
  const { write } = stdout
  const output = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _, done) => void Reflect.apply(write, stdout, [chunk, done]),
  })
  // Ignored here, because the stream of the process emits the same error.
  output.on('error', () => undefined)
  Object.defineProperty(stdout, 'write', { configurable: true, writable: true, value: stderr.write.bind(stderr) })
  return { output, print: (text, done) => Reflect.apply(write, stdout, [text, done]) }
}

function usageError({ code, message }: CommanderError, args: readonly string[], program: Command): Diagnostic {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n')
  const [, word = ''] = /'(.*)'/.exec(first) ?? []
  const text = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`
  if (code === 'commander.unknownOption') {
    const behind = args.slice(args.indexOf(word) + 1)
    const command = program.commands.find((each) => behind.includes(each.name()))
    if (command?.options.some(({ short, long }) => short === word || long === word)) {
      return wrongUsage(text, `Options follow the command: \`toolgen ${command.name()} ${word}\`.`)
    }
  }
  const names = code === 'commander.unknownCommand' && word !== '' ? program.commands.map((each) => each.name()) : []
  const [, list] = /\(Did you mean (?:one of )?(.*)\?\)/.exec(rest.join('\n')) ?? []
  const near = list?.split(', ') ?? names.filter((name) => name.startsWith(word))
  const next = near[0] === undefined ? helpOf(namedCommand(program, args)) : `Did you mean \`${near[0]}\`?`
  if (code === 'commander.optionMissingArgument') return wrongUsage(`\`${word}\` requires a value.`, next, near)
  if (code === 'commander.missingArgument') return wrongUsage(`The argument \`<${word}>\` is missing.`, next, near)
  return wrongUsage(text, next, near)
}

function helpOf(command: Command): string {
  const what = command.commands.length > 0 ? 'the commands and options' : 'its arguments and options'
  return `Run \`${pathOf(command)} --help\` for ${what}.`
}

function namedCommand(command: Command, [word, ...rest]: readonly string[]): Command {
  const child = command.commands.find((each) => each.name() === word)
  return child === undefined ? command : namedCommand(child, rest)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}
