import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import type { Command, CommanderError } from 'commander'
import { type Checked, type Diagnostic, errorAt } from '../diagnostics/diagnostic.js'
import { foundAt } from '../files.js'

import type { Evaluated, ProjectOptions } from '../project.js'
import type { ReporterKind } from './report.js'
import type { Terminal } from './terminal.js'

/** The context of every command. */
export interface CommandContext {
  readonly terminal: Terminal
  /** The folder in which the command was started: absolute. */
  readonly cwd: string
  /** Standard output, for a protocol that is spoken over it. */
  readonly output: Writable
  /** Standard input, for questions. */
  readonly input: NodeJS.ReadStream
  /** Called before each evaluation. */
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

/** Returns the context with the folder that `--cwd` names. */
export function inFolder(context: CommandContext, { cwd }: CommonOptions): CommandContext {
  return cwd === undefined ? context : { ...context, cwd: resolve(context.cwd, cwd) }
}

/** Returns the error for a `--cwd` that is not a folder. */
export function noSuchFolder({ cwd }: CommandContext, { cwd: named }: CommonOptions): Diagnostic | undefined {
  const found = foundAt(cwd)
  if (found?.isDirectory() === true) return undefined
  const message = found === undefined ? `The folder \`${named}\` does not exist.` : `\`${named}\` is no folder.`
  const next = 'Correct --cwd; it is relative to the folder in which the command is started.'
  return errorAt(undefined, 'TG0008', message, next)
}

/** Returns the reporter that the options select. */
export function reporterOf({ json, reporter }: CommonOptions): ReporterKind {
  return reporter ?? (json === true ? 'json' : 'pretty')
}

/** Returns the project that the options select. */
export function projectOptions({ config }: CommonOptions, { cwd, onEvaluate }: CommandContext): ProjectOptions {
  return { cwd, ...(config !== undefined && { config }), ...(onEvaluate !== undefined && { onEvaluate }) }
}

/**
 * Returns the error for a wrong command line, with the commands or options that may have been meant.
 *
 * @param args the words of the command line
 */
export function usageError(error: CommanderError, args: readonly string[], program: Command): Diagnostic {
  const { code } = error
  const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n')
  const [, list] = /\(Did you mean (?:one of )?(.*)\?\)/.exec(rest.join('\n')) ?? []
  const [, word = ''] = /'(.*)'/.exec(first) ?? []
  const commands = program.commands.map((command) => command.name())
  const prefixed = commands.filter(
    (name) => code === 'commander.unknownCommand' && word !== '' && name.startsWith(word),
  )
  const tooEarly = code === 'commander.unknownOption' ? commandBehind(word, args, program) : undefined
  const near = tooEarly === undefined ? (list?.split(', ') ?? prefixed) : []
  const help = near[0] === undefined ? helpOf(namedCommand(program, args)) : `Did you mean \`${near[0]}\`?`
  const next =
    tooEarly === undefined ? help : `Options stand behind the command: \`toolgen ${tooEarly.name()} ${word}\`.`
  return wrongUsage(messageOf(code, word, first), next, near)
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

/** Returns the command that follows an option which it knows. */
function commandBehind(option: string, args: readonly string[], program: Command): Command | undefined {
  const behind = args.slice(args.indexOf(option) + 1)
  const command = program.commands.find((each) => behind.includes(each.name()))
  return command?.options.some(({ short, long }) => short === option || long === option) ? command : undefined
}

/** Returns the command to which the first words lead. */
function namedCommand(command: Command, [word, ...rest]: readonly string[]): Command {
  const below = command.commands.find((each) => each.name() === word)
  return below === undefined ? command : namedCommand(below, rest)
}

function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`
}

/** Returns the value of an option that takes an integer, 0 or more; no value if the option is absent. */
export function integerOption(option: string, text: string | undefined): Checked<number> {
  if (text === undefined) return { diagnostics: [] }
  if (/^\d{1,15}$/.test(text)) return { value: Number(text), diagnostics: [] }
  return {
    diagnostics: [wrongUsage(`${option} takes a whole number, and not '${text}'.`, `Write \`${option} 10\`.`)],
  }
}

/** Returns the error for a wrong command line, with the words that may have been meant. */
export function wrongUsage(message: string, next: string, near: readonly string[] = []): Diagnostic {
  return errorAt(undefined, 'TG0001', message, next, near.length > 0 ? { near } : {})
}

/** The default port of `toolgen serve`. */
export const defaultPort = 3000

/** The shells with completions. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** One of {@link shells}. */
export type Shell = (typeof shells)[number]

/** Options of `toolgen generate`. */
export interface GenerateCommandOptions extends CommonOptions {
  readonly force?: boolean
  readonly cache: boolean
  readonly watch?: boolean
  /** In seconds. */
  readonly timeLimit?: string
}
