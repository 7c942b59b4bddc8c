import { type Command, CommanderError, Option } from 'commander'

/**
 * Makes `--config --json` a missing value: the parser takes whatever follows for the value, and would lose the flag. A
 * number that is less than 0 is a value, of which each option says itself whether it takes it.
 */
export function refuseFlagsAsValues(command: Command): void {
  const flags = command.options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined))
  flags.push('-h', '--help')
  for (const option of command.options) {
    if (!option.required || option.argChoices !== undefined) continue
    option.argParser((value: string) => {
      if (!/^-./.test(value) || /^-[\d.]/.test(value)) return value
      const [word = ''] = value.split('=')
      if (flags.includes(word)) {
        throw new CommanderError(
          2,
          'commander.optionMissingArgument',
          `error: option '${option.flags}' argument missing`,
        )
      }
      const why = `\`${option.flags}\` takes a value that does not begin with \`-\`, and not '${value}'`
      throw new CommanderError(2, 'toolgen.refusedValue', why)
    })
  }
}

/** A command that works on a project. */
export function projectCommand(program: Command, name: string): Command {
  return commonOptions(program.command(name))
    .option('-c, --config <file>', 'the configuration (default: toolgen.config.ts)')
    .option('--verbose', 'show every note in full')
}

/** Adds the options that every command takes. */
export function commonOptions(command: Command): Command {
  return command
    .option('--cwd <folder>', 'work in this folder')
    .addOption(new Option('--reporter <kind>', 'how findings are shown').choices(['pretty', 'json', 'github']))
    .addOption(new Option('--json', 'the same as --reporter json').conflicts('reporter'))
    .option('--no-color', 'no colours; NO_COLOR in the environment does the same')
}
