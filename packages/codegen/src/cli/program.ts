import { Command, CommanderError, Option } from 'commander'
import type { CommandContext, CommonOptions, ProcessContext } from './context.js'
import { type ExitCode, ownVersion, templateText } from './format.js'

interface CommandText {
  readonly description: string
  readonly isProject?: boolean
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly choices?: string[] }[]
  readonly options?: readonly OptionText[]
  readonly examples: readonly (readonly [line: string, purpose: string])[]
}

interface OptionText {
  readonly flags: string
  readonly description: string
  readonly default?: string
  readonly choices?: string[]
  /** The command itself validates a comma-separated list, because commander can only validate single values. */
  readonly isList?: boolean
  /** Each use of the option adds a value to an array. */
  readonly isRepeatable?: boolean
  readonly isHidden?: boolean
}

interface CommandModule {
  run(options: never, context: CommandContext): ExitCode | Promise<ExitCode>
}

const modules: Readonly<Record<string, () => Promise<CommandModule>>> = {
  generate: () => import('./commands/generate.js'),
  check: () => import('./commands/check.js'),
  diff: () => import('./commands/diff.js'),
  lint: () => import('./commands/lint.js'),
  tokens: () => import('./commands/tokens.js'),
  inspect: () => import('./commands/inspect.js'),
  docs: () => import('./commands/docs.js'),
  dev: () => import('./commands/dev.js'),
  serve: () => import('./commands/serve.js'),
  call: () => import('./commands/call.js'),
  run: () => import('./commands/run.js'),
  explain: () => import('./commands/explain.js'),
  init: () => import('./commands/init.js'),
  completions: () => import('./commands/completions.js'),
  'import mcp': () => import('./commands/import-mcp.js'),
  'import functions': () => import('./commands/import-functions.js'),
  'import openapi': () => import('./commands/import-openapi.js'),
  'import module': () => import('./commands/import-module.js'),
}

/** Loads the code of a command only when the command runs, so that help and version stay fast. */
export function buildProgram(context: ProcessContext, leave: (code: ExitCode) => void): Command {
  const program = new Command('toolgen')
    .description('Compile a toolgen design to plain TypeScript.')
    .version(ownVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text),
      writeErr: (text) => context.terminal.note(text),
      outputError: () => {},
    })
    .addHelpText('after', () => templateText('exit-codes.txt', {}))

  const texts: Readonly<Record<string, CommandText>> = JSON.parse(templateText('commands.json', {}))
  addExamples(program, texts['toolgen'])
  const groups = new Map<string, Command>([['', program]])
  for (const [path, text] of Object.entries(texts)) {
    if (path === 'toolgen') continue
    const [name = '', group = ''] = path.split(' ').toReversed()
    const command = (groups.get(group) ?? program).command(name).description(text.description)
    const load = modules[path]
    if (load === undefined) groups.set(name, command.helpCommand(false))
    else
      declare(command, text).action(async (...values: readonly unknown[]) => {
        const { runCommand } = await import('./run-command.js')
        const options: CommonOptions = command.opts()
        const names = command.registeredArguments.map((argument) => argument.name().replace('command', 'server'))
        const words = names.map((word, index) => [word, values[index]]).filter(([, value]) => value !== undefined)
        const given = { ...options, ...Object.fromEntries(words), program }
        const { run } = await load()
        leave(await runCommand(path, options, context, (inside) => run(given as never, inside)))
      })
    addExamples(command, text)
  }
  return program
}

function declare(command: Command, { arguments: values = [], options = [], isProject }: CommandText): Command {
  commonOptions(command)
  if (isProject === true) {
    command
      .option('-c, --config <file>', 'configuration file (default: toolgen.config.ts)')
      .option('--verbose', 'print all notes')
  }
  for (const { name, description, choices } of values) {
    const argument = command.createArgument(name, description)
    command.addArgument(choices === undefined ? argument : argument.choices(choices))
  }
  const repeatable: Option[] = []
  for (const { flags, description, default: value, choices, isList, isRepeatable, isHidden } of options) {
    const option = choice(flags, description, choices)
      .default(value)
      .hideHelp(isHidden === true)
    command.addOption(isList === true ? option.argParser((text) => text) : option)
    if (isRepeatable === true) repeatable.push(option)
  }
  refuseFlagsAsValues(command, repeatable)
  return command
}

/** Without this check, commander would use `--json` as the value of `--config` in `--config --json`. A negative number such as `-1` is a value. */
function refuseFlagsAsValues(command: Command, repeatable: readonly Option[]): void {
  const flags = command.options.flatMap(({ short, long }) => [short, long].filter((flag) => flag !== undefined))
  flags.push('-h', '--help')
  for (const option of command.options) {
    if (!option.required || option.argChoices !== undefined) continue
    option.argParser((value: string, earlier: unknown) => {
      if (!/^-./.test(value) || /^-[\d.]/.test(value)) {
        return repeatable.includes(option) ? [...(Array.isArray(earlier) ? earlier : []), value] : value
      }
      const [word = ''] = value.split('=')
      if (flags.includes(word)) {
        throw new CommanderError(
          2,
          'commander.optionMissingArgument',
          `error: option '${option.flags}' argument missing`,
        )
      }
      const why = `The value of \`${option.flags}\` must not begin with \`-\`: '${value}'`
      throw new CommanderError(2, 'toolgen.refusedValue', why)
    })
  }
}

function choice(flags: string, description: string, choices: readonly string[] | undefined): Option {
  const option = new Option(flags, description)
  return choices === undefined ? option : option.choices([...choices])
}

function commonOptions(command: Command): Command {
  return command
    .option('--cwd <folder>', 'working folder')
    .addOption(choice('--reporter <kind>', 'output format of diagnostics', ['pretty', 'json', 'github']))
    .addOption(new Option('--json', 'same as --reporter json').conflicts('reporter'))
    .option('--no-color', 'disable colours, like the environment variable NO_COLOR')
}

function addExamples(command: Command, text: CommandText | undefined): void {
  const examples = text?.examples ?? []
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, purpose]) => `\n  ${line.padEnd(width)}  ${purpose}`)
  if (lines.length > 0) command.addHelpText('after', `\nExamples:${lines.join('')}`)
}
