import { readFileSync } from 'node:fs'
import { Argument, Command, CommanderError, Option } from 'commander'
import type { LiveOptions } from './commands/check.js'
import type { DiffCommandOptions } from './commands/diff.js'
import type { DocsCommandOptions } from './commands/docs.js'
import type { GenerateCommandOptions } from './commands/generate.js'
import type { ImportFlags } from './commands/import.js'
import type { ImportFunctionsOptions } from './commands/import-functions.js'
import type { ImportMcpOptions } from './commands/import-mcp.js'
import type { ImportOpenApiOptions } from './commands/import-openapi.js'
import type { InitOptions } from './commands/init.js'
import type { LintCommandOptions } from './commands/lint.js'
import type { ServeOptions } from './commands/serve.js'
import type { TokensCommandOptions } from './commands/tokens.js'
import {
  type CommandContext,
  type CommonOptions,
  defaultPort,
  type ProcessContext,
  type Shell,
  shells,
} from './context.js'
import { type ExitCode, ownVersion } from './format.js'

/**
 * Builds the commands and their options. Each command is loaded when it runs, so that help and version load nothing else.
 *
 * @param leave takes the exit code of the command that ran
 */
export function buildProgram(context: ProcessContext, leave: (code: ExitCode) => void): Command {
  const program = new Command('toolgen')
    .description('Compiles a toolgen design into plain TypeScript.')
    .version(ownVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text),
      writeErr: (text) => context.terminal.note(text),
      outputError: () => {},
    })
    .addHelpText('after', exitCodeHelp)

  const run = async <Options extends CommonOptions>(
    name: string,
    options: Options,
    load: () => Promise<{ run(options: Options, context: CommandContext): ExitCode | Promise<ExitCode> }>,
  ): Promise<void> => {
    const { runCommand } = await import('./run-command.js')
    const command = await load()
    leave(await runCommand(name, options, context, (inside) => command.run(options, inside)))
  }

  projectCommand(program, 'generate')
    .description('write the generated code')
    .option('--force', 'also overwrite generated files that were changed by hand, and a lock that cannot be read')
    .option('--no-cache', 'do all the work, even when nothing seems to have changed')
    .option('-w, --watch', 'generate again after each change; Ctrl+C ends it')
    .option('--time-limit <seconds>', 'with --watch: how long the design may take to evaluate (default: 60)')
    .action((options: GenerateCommandOptions) => run('generate', options, () => import('./commands/generate.js')))

  projectCommand(program, 'check')
    .description('fail when the generated code on disk is not what the design gives')
    .argument('[command...]', 'after --: what starts the server of the toolset that --live names')
    .option(
      '--live [toolset]',
      'fail also when MCP servers, or that of one toolset, list other tools than were imported',
    )
    .option('--url <url>', 'the address of the server of the toolset that --live names')
    .action((server: readonly string[], options: CommonOptions & Omit<LiveOptions, 'server'>) =>
      run('check', { ...options, server }, () => import('./commands/check.js')),
    )

  projectCommand(program, 'diff')
    .description(
      'fail when callers, models or recorded calls would break since a revision of Git, or since a lock file',
    )
    .argument('[base]', 'a revision, or the path of a toolgen.lock.json or of its folder (default: HEAD)')
    .option('--cassettes <pattern>', 'recordings whose calls are decoded as well, e.g. "test/**/*.jsonl"')
    .action((base: string | undefined, options: DiffCommandOptions) =>
      run('diff', { ...options, base }, () => import('./commands/diff.js')),
    )

  projectCommand(program, 'lint')
    .description('say what makes the tools hard to use for models; fails where there is something')
    .option('--rule <rules>', 'only these rules, with commas between')
    .addOption(
      // The choices are for completions; the command itself checks the value.
      choice(
        '--vendor <vendors>',
        'whose rules for tools are looked at, with commas between (default: all)',
        vendors,
      ).argParser((text) => text),
    )
    .option('--max-warnings <number>', 'how many warnings are accepted (default: 0)')
    .action((options: LintCommandOptions) => run('lint', options, () => import('./commands/lint.js')))

  projectCommand(program, 'tokens')
    .description('count the tokens of what models are told of each tool; fails where there are more than are accepted')
    .addOption(choice('--encoding <name>', 'how text becomes tokens (default: o200k_base)', encodings))
    .addOption(choice('--as <vendor>', 'in whose form the tools are sent (default: openai)', vendors))
    .option('--per-tool <number>', 'how many tokens a tool may have')
    .option('--budget <number>', 'how many tokens the tools of an agent may have')
    .action((options: TokensCommandOptions) => run('tokens', options, () => import('./commands/tokens.js')))

  projectCommand(program, 'inspect')
    .description('show the design as toolgen understands it; --json prints all of it')
    .action((options: CommonOptions) => run('inspect', options, () => import('./commands/inspect.js')))

  projectCommand(program, 'docs')
    .description('describe every agent and toolset of the design, as Markdown or as one HTML page')
    .addOption(
      choice('--format <kind>', 'as what (default: what the name of the file says, else markdown)', [
        'markdown',
        'html',
      ]),
    )
    .option('-o, --output <file>', 'where the catalogue goes (default: -, standard output)')
    .option('--force', 'also overwrite a file that was changed by hand, or that toolgen docs did not write')
    .action((options: DocsCommandOptions) => run('docs', options, () => import('./commands/docs.js')))

  commonOptions(program.command('serve'))
    .description('serve the tools of a module as an MCP server: over stdio, or over Streamable HTTP')
    .argument('<module>', 'exports registrations, bound toolsets or bound agents, as its default or as `tools`')
    .option('--http', 'serve Streamable HTTP, as each of the options below makes it too')
    .option('--port <number>', `the port, 0 for any that is free (default: ${defaultPort})`)
    .option('--host <host>', 'the address to listen on (default: 127.0.0.1, this machine alone)')
    .option('--path <path>', 'the path of the address (default: /mcp)')
    .option('--allowed-hosts <names>', 'the names in Host headers that are answered, with commas between')
    .option('--allowed-origins <origins>', 'the origins of web pages that may call, with commas between')
    .action((module: string, options: CommonOptions & ServeOptions) =>
      run('serve', { ...options, module }, () => import('./commands/serve.js')),
    )

  commonOptions(program.command('explain'))
    .description('explain a diagnostic, such as TG5001 or 5001, or a rule of toolgen lint or toolgen diff')
    .argument('<code>', 'as TG5001 or 5001, or the id of a rule, as unplumbed-id')
    .action((code: string, options: CommonOptions) =>
      run('explain', { ...options, code }, () => import('./commands/explain.js')),
    )

  commonOptions(program.command('init'))
    .description('write a configuration, an example design and a program that uses it')
    .option('--dir <folder>', 'the project to set up', '.')
    .option('--toolset <name>', 'the name of the example toolset', 'orders')
    .option('--agent <name>', 'the name of the example agent', 'support')
    .option('--design <folder>', 'where the design goes', 'design')
    .option('--output <folder>', 'where the generated code will go', 'gen')
    .option('-y, --yes', 'do not ask before writing')
    .action((options: CommonOptions & InitOptions) => run('init', options, () => import('./commands/init.js')))

  commonOptions(program.command('completions'))
    .description('print the script by which a shell completes the words of this program')
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices([...shells]))
    .action((shell: Shell, options: CommonOptions) =>
      run('completions', { ...options, shell, program }, () => import('./commands/completions.js')),
    )

  const imports = program.command('import').description('write a toolset from what others declare').helpCommand(false)
  commonOptions(imports.command('mcp'))
    .description(
      'write a toolset with the tools of an MCP server: of one that is named, else of the one that its snapshot names',
    )
    .argument('<name>', 'the name of the toolset')
    .argument(
      '[command...]',
      'after --: what starts the server, which is then asked over its standard input and output',
    )
    .option(
      '--from <file>',
      'a captured answer to tools/list, or the snapshot of an earlier import; - for standard input',
    )
    .option('--url <url>', 'the address of a server that speaks Streamable HTTP')
    .option('--progress <tools>', "the server's names of tools whose progress becomes updates, with commas between")
    .option('--dir <folder>', 'where the snapshot and the module go', 'design')
    .option('--force', 'also overwrite a module that was changed by hand')
    .action((name: string, server: readonly string[], options: ImportFlags & ImportMcpOptions) =>
      run('import mcp', { ...options, name, server }, () => import('./commands/import-mcp.js')),
    )
  commonOptions(imports.command('functions'))
    .description(
      'write a toolset with functions as models are shown them: tools of OpenAI, Anthropic or Gemini, as JSON or JSON lines',
    )
    .argument('<name>', 'the name of the toolset')
    .option('--from <file>', 'the descriptions, - for standard input (default: the file that the snapshot names)')
    .option('--dir <folder>', 'where the snapshot and the module go', 'design')
    .option('--force', 'also overwrite a module that was changed by hand')
    .option('--verbose', 'show every note in full')
    .action((name: string, options: ImportFlags & ImportFunctionsOptions) =>
      run('import functions', { ...options, name }, () => import('./commands/import-functions.js')),
    )
  commonOptions(imports.command('openapi'))
    .description('write a toolset with the operations of an HTTP API, of which an OpenAPI document tells')
    .argument('<name>', 'the name of the toolset')
    .option(
      '--from <file>',
      'the document, as JSON or YAML: a file, an address, or - for standard input (default: what the snapshot names)',
    )
    .option('--tag <tags>', 'only operations with one of these tags, with commas between')
    .option('--path <paths>', 'only operations of these paths, with commas between; * at the end for all that begin so')
    .option('--operation <names>', 'only operations with one of these names (operationId), with commas between')
    .option('--dir <folder>', 'where the snapshot and the module go', 'design')
    .option('--force', 'also overwrite a module that was changed by hand')
    .option('--verbose', 'show every note in full')
    .action((name: string, options: ImportFlags & ImportOpenApiOptions) =>
      run('import openapi', { ...options, name }, () => import('./commands/import-openapi.js')),
    )
  for (const command of [...program.commands, ...imports.commands]) refuseFlagsAsValues(command)
  addExamples(program)
  return program
}

const exitCodeHelp = `
Exit codes:
  0  all is well
  1  a bug in toolgen
  2  wrong usage, configuration or output folder
  3  errors in the design, or in the module to serve
  4  generated files that differ from the design, snapshots that differ from their servers
  5  contracts that changed so that something breaks
  6  findings of lint, tools that are larger than their budget

\`toolgen explain CODE\` tells more about a diagnostic.`

/**
 * Makes `--config --json` a missing value: the parser takes whatever follows for the value, and would lose the flag. A
 * number that is less than 0 is a value, of which each option says itself whether it takes it.
 */
function refuseFlagsAsValues(command: Command): void {
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

const vendors: readonly string[] = ['openai', 'anthropic', 'gemini', 'mcp']
const encodings: readonly string[] = ['o200k_base', 'cl100k_base']

function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices)
}

function projectCommand(program: Command, name: string): Command {
  return commonOptions(program.command(name))
    .option('-c, --config <file>', 'the configuration (default: toolgen.config.ts)')
    .option('--verbose', 'show every note in full')
}

function commonOptions(command: Command): Command {
  return command
    .option('--cwd <folder>', 'work in this folder')
    .addOption(choice('--reporter <kind>', 'how findings are shown', ['pretty', 'json', 'github']))
    .addOption(new Option('--json', 'the same as --reporter json').conflicts('reporter'))
    .option('--no-color', 'no colours; NO_COLOR in the environment does the same')
}

/** Adds the examples of `templates/examples.json` to the help of a command and of all below it. */
function addExamples(command: Command, path: readonly string[] = []): void {
  command.addHelpText('after', () => {
    const file = new URL('../../templates/examples.json', import.meta.url)
    const all: Readonly<Record<string, readonly (readonly [line: string, purpose: string])[]>> = JSON.parse(
      readFileSync(file, 'utf8'),
    )
    const examples = all[path.join(' ') || command.name()] ?? []
    const width = Math.max(...examples.map(([line]) => line.length))
    const lines = examples.map(([line, purpose]) => `\n  ${line.padEnd(width)}  ${purpose}`)
    return lines.length === 0 ? '' : `\nExamples:${lines.join('')}`
  })
  for (const child of command.commands) addExamples(child, [...path, child.name()])
}
