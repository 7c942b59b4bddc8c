import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import type { Command, CommanderError } from 'commander'
import type { Checked, Diagnostic } from '../diagnostics/diagnostic.js'
import { foundAt } from '../files.js'

import type { Evaluated, ProjectChoice } from '../project.js'
import type { ReporterKind } from './report.js'
import type { Terminal } from './terminal.js'

/** What every command is given. */
export interface CommandContext {
  readonly terminal: Terminal
  /** The folder in which the command was started: absolute. */
  readonly cwd: string
  /** Standard output, for a protocol that is spoken over it. */
  readonly output: Writable
  /** Standard input, for questions. */
  readonly input: NodeJS.ReadStream
  /** Told what is about to be evaluated. */
  readonly onEvaluate?: (what: Evaluated) => void
}

/** The options that every command takes, and those of the commands that work on a project. */
export interface CommonOptions {
  readonly cwd?: string
  readonly config?: string
  /** Show every note in full. */
  readonly verbose?: boolean
  readonly reporter?: ReporterKind
  readonly json?: boolean
}

/** The context with the folder that `--cwd` names. */
export function inFolder(context: CommandContext, { cwd }: CommonOptions): CommandContext {
  return cwd === undefined ? context : { ...context, cwd: resolve(context.cwd, cwd) }
}

/** The error of a `--cwd` that is no folder. */
export function noSuchFolder({ cwd }: CommandContext, { cwd: named }: CommonOptions): Diagnostic | undefined {
  const found = foundAt(cwd)
  if (found?.isDirectory() === true) return undefined
  return {
    code: 'TG0008',
    severity: 'error',
    message: found === undefined ? `The folder \`${named}\` does not exist.` : `\`${named}\` is no folder.`,
    next: 'Correct --cwd; it is relative to the folder in which the command is started.',
  }
}

/** How findings are to be shown. */
export function reporterOf({ json, reporter }: CommonOptions): ReporterKind {
  return reporter ?? (json === true ? 'json' : 'pretty')
}

/** The project that the options name. */
export function projectChoice({ config }: CommonOptions, { cwd, onEvaluate }: CommandContext): ProjectChoice {
  return { cwd, ...(config !== undefined && { config }), ...(onEvaluate !== undefined && { onEvaluate }) }
}

/**
 * A wrong command line, with the commands or options that may have been meant.
 *
 * @param args the words of the command line
 */
export function usageError(error: CommanderError, args: readonly string[], program: Command): Diagnostic {
  const { code } = error
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const [, list] = /\(Did you mean (?:one of )?(.*)\?\)/.exec(rest.join('\n')) ?? []
  const [, word = ''] = /'(.*)'/.exec(first) ?? []
  const commands = program.commands.map((command) => command.name())
  const begun = commands.filter((name) => code === 'commander.unknownCommand' && word !== '' && name.startsWith(word))
  const tooEarly = code === 'commander.unknownOption' ? commandBehind(word, args, program) : undefined
  const near = tooEarly === undefined ? (list?.split(', ') ?? begun) : []
  const next = near[0] === undefined ? helpOf(namedCommand(program, args)) : `Did you mean \`${near[0]}\`?`
  return {
    code: 'TG0001',
    severity: 'error',
    message: messageOf(code, word, first),
    next: tooEarly === undefined ? next : `Options stand behind the command: \`toolgen ${tooEarly.name()} ${word}\`.`,
    ...(near.length > 0 && { near }),
  }
}

function messageOf(code: string, word: string, said: string): string {
  if (code === 'commander.optionMissingArgument') return `\`${word}\` lacks its value.`
  if (code === 'commander.missingArgument') return `The argument \`<${word}>\` is missing.`
  return `${said.charAt(0).toUpperCase()}${said.slice(1).replace(/\.$/, '')}.`
}

function helpOf(command: Command): string {
  const what = command.commands.length > 0 ? 'the commands and options' : 'what it takes'
  return `Run \`${pathOf(command)} --help\` for ${what}.`
}

/** The command that follows an option which it knows. */
function commandBehind(option: string, args: readonly string[], program: Command): Command | undefined {
  const behind = args.slice(args.indexOf(option) + 1)
  const command = program.commands.find((each) => behind.includes(each.name()))
  return command?.options.some(({ short, long }) => short === option || long === option) ? command : undefined
}

/** The command to which the first words lead. */
function namedCommand(command: Command, [word, ...rest]: readonly string[]): Command {
  const below = command.commands.find((each) => each.name() === word)
  return below === undefined ? command : namedCommand(below, rest)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** The value of an option that takes a whole number, 0 or more; no value where the option was not given. */
export function wholeNumber(option: string, text: string | undefined): Checked<number> {
  if (text === undefined) return { diagnostics: [] }
  if (/^\d{1,15}$/.test(text)) return { value: Number(text), diagnostics: [] }
  return {
    diagnostics: [
      {
        code: 'TG0001',
        severity: 'error',
        message: `${option} takes a whole number, and not '${text}'.`,
        next: `Write \`${option} 10\`.`,
      },
    ],
  }
}

/** The port of `toolgen serve` where none is said. */
export const defaultPort = 3000

/** The shells that can be told what to complete. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** One of {@link shells}. */
export type Shell = (typeof shells)[number]

/** What `toolgen generate` can be told. */
export interface GenerateCommandOptions extends CommonOptions {
  readonly force?: boolean
  readonly cache: boolean
  readonly watch?: boolean
  /** In seconds. */
  readonly timeLimit?: string
}
