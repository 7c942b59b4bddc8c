import type { Command, CommanderError } from 'commander'
import type { Diagnostic } from '../diagnostics/diagnostic.js'

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
