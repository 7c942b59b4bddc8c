import type { CommanderError } from 'commander'
import type { Diagnostic } from '../diagnostics/diagnostic.js'

/** A wrong command line, with the commands or options that may have been meant. */
export function usageError({ code, message }: CommanderError, commands: readonly string[]): Diagnostic {
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n')
  const [, list] = /\(Did you mean (?:one of )?(.*)\?\)/.exec(rest.join('\n')) ?? []
  const [, word] = /'(.*)'/.exec(first) ?? []
  const begun = commands.filter((name) => code === 'commander.unknownCommand' && word && name.startsWith(word))
  const near = list?.split(', ') ?? begun
  return {
    code: 'TG0001',
    severity: 'error',
    message: `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, '')}.`,
    next: near[0] === undefined ? 'Run `toolgen --help` for the commands and options.' : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
  }
}
