import { Argument, Command, CommanderError, Option } from 'commander'
import type { LiveOptions } from './commands/check.js'
import type { DiffCommandOptions } from './commands/diff.js'
import type { DocsCommandOptions } from './commands/docs.js'
import type { GenerateCommandOptions } from './commands/generate.js'
import type { ImportFlags } from './commands/import.js'
import type { ImportFunctionsOptions } from './commands/import-functions.js'
import type { ImportMcpOptions } from './commands/import-mcp.js'
import type { ModuleImportRequest } from './commands/import-module.js'
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
  sourceKinds,
} from './context.js'
import { type ExitCode, ownVersion, templateText } from './format.js'

/**
 * Builds the commands and their options. Each command is loaded when it runs, so that help and version load nothing else.
 *
 * @param leave takes the exit code of the command that ran
 */
export function buildProgram(context: ProcessContext, leave: (code: ExitCode) => void): Command {
  const program = new Command('toolgen')
    .description('Compile a toolgen design to plain TypeScript.')
    .version(ownVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'print the help of a command')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => context.terminal.out(text),
      writeErr: (text) => context.terminal.note(text),
      outputError: () => {},
    })
    .addHelpText('after', () => templateText('exit-codes.txt', {}))

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
    .description('generate code from the design')
    .option('--force', 'overwrite files that were changed by hand, and an unreadable lock file')
    .option('--no-cache', 'ignore the cache of earlier runs')
    .option('-w, --watch', 'generate again after each change, until Ctrl+C')
    .option('--time-limit <seconds>', 'with --watch: time limit for the evaluation of the design (default: 60)')
    .action((options: GenerateCommandOptions) => run('generate', options, () => import('./commands/generate.js')))

  projectCommand(program, 'check')
    .description('fail if generated code is out of date')
    .argument('[command...]', 'after --: command that starts the server of the --live toolset')
    .option('--live [toolset]', 'also compare imported tools with their MCP servers, or with one of them')
    .option('--url <url>', 'URL of the server of the --live toolset')
    .action((server: readonly string[], options: CommonOptions & Omit<LiveOptions, 'server'>) =>
      run('check', { ...options, server }, () => import('./commands/check.js')),
    )

  projectCommand(program, 'diff')
    .description('fail if contracts have breaking changes since a Git revision or a lock file')
    .argument('[base]', 'Git revision, or path of a toolgen.lock.json or its folder (default: HEAD)')
    .option('--cassettes <pattern>', 'also decode the calls of these recordings, e.g. "test/**/*.jsonl"')
    .action((base: string | undefined, options: DiffCommandOptions) =>
      run('diff', { ...options, base }, () => import('./commands/diff.js')),
    )

  projectCommand(program, 'lint')
    .description('report tools that are hard for models to use')
    .option('--rule <rules>', 'only check these rules, separated by commas')
    // The choices are for completions; the command itself checks the list.
    .addOption(choice('--vendor <vendors>', vendorText, vendors).argParser((text) => text))
    .option('--max-warnings <number>', 'number of accepted warnings (default: 0)')
    .action((options: LintCommandOptions) => run('lint', options, () => import('./commands/lint.js')))

  projectCommand(program, 'tokens')
    .description('count tokens per tool definition; fail if over budget')
    .addOption(choice('--encoding <name>', 'tokenizer (default: o200k_base)', ['o200k_base', 'cl100k_base']))
    .addOption(choice('--as <vendor>', 'format of the tool definitions (default: openai)', vendors))
    .option('--per-tool <number>', 'maximum number of tokens per tool')
    .option('--budget <number>', 'maximum number of tokens for the tools of an agent')
    .action((options: TokensCommandOptions) => run('tokens', options, () => import('./commands/tokens.js')))

  projectCommand(program, 'inspect')
    .description('print toolsets, tools and agents of the design')
    .action((options: CommonOptions) => run('inspect', options, () => import('./commands/inspect.js')))

  projectCommand(program, 'docs')
    .description('write a catalogue of all agents and tools, as Markdown or HTML')
    .addOption(
      choice('--format <kind>', 'format (default: by the file name, otherwise markdown)', ['markdown', 'html']),
    )
    .option('-o, --output <file>', 'output file (default: -, standard output)')
    .option('--force', 'overwrite a file that was changed by hand or not written by toolgen docs')
    .action((options: DocsCommandOptions) => run('docs', options, () => import('./commands/docs.js')))

  commonOptions(program.command('serve'))
    .description('serve the tools of a module as an MCP server (stdio or HTTP)')
    .argument('<module>', 'module that exports registrations, bound toolsets or bound agents, as default or `tools`')
    .option('--http', 'serve Streamable HTTP; implied by the options below')
    .option('--port <number>', `port; 0 for any free port (default: ${defaultPort})`)
    .option('--host <host>', 'address to listen on (default: 127.0.0.1, only this machine)')
    .option('--path <path>', 'path of the URL (default: /mcp)')
    .option('--allowed-hosts <names>', 'accepted host names, separated by commas')
    .option('--allowed-origins <origins>', 'accepted origins of web pages, separated by commas')
    .action((module: string, options: CommonOptions & ServeOptions) =>
      run('serve', { ...options, module }, () => import('./commands/serve.js')),
    )

  commonOptions(program.command('explain'))
    .description('explain a diagnostic, or a rule of toolgen lint or toolgen diff')
    .argument('<code>', 'code such as TG5001 or 5001, or the id of a rule such as unplumbed-id')
    .action((code: string, options: CommonOptions) =>
      run('explain', { ...options, code }, () => import('./commands/explain.js')),
    )

  commonOptions(program.command('init'))
    .description('create a project: from a service client, an MCP server, an OpenAPI document or existing tools')
    .argument('[command...]', 'with --from mcp, after --: command that starts your server (default: an example)')
    .addOption(choice('--from <source>', 'source of the tools (default: service; asked on a terminal)', sourceKinds))
    .option('--document <file>', 'with --from openapi: file or URL of your document (default: an example)')
    .option('--dir <folder>', 'folder of the project', '.')
    .option('--toolset <name>', 'name of the toolset (default: by --from, e.g. orders)')
    .option('--agent <name>', 'name of the agent (default: support or assistant)')
    .option('--design <folder>', 'folder of the design', 'design')
    .option('--output <folder>', 'folder of the generated code', 'gen')
    .option('-y, --yes', 'write without questions')
    .action((command: readonly string[], options: CommonOptions & InitOptions) =>
      run('init', { ...options, command }, () => import('./commands/init.js')),
    )

  commonOptions(program.command('completions'))
    .description('print a shell completion script')
    .addArgument(new Argument('<shell>', 'name of the shell').choices([...shells]))
    .action((shell: Shell, options: CommonOptions) =>
      run('completions', { ...options, shell, program }, () => import('./commands/completions.js')),
    )

  const imports = program.command('import').description('generate a toolset from an external source').helpCommand(false)
  commonOptions(imports.command('mcp'))
    .description('import tools from an MCP server (default: the server recorded in the snapshot)')
    .argument('<name>', 'name of the toolset')
    .argument('[command...]', 'after --: command that starts a stdio server')
    .option('--from <file>', 'saved tools/list response or snapshot; - for standard input')
    .option('--url <url>', 'URL of a Streamable HTTP server')
    .option('--progress <tools>', 'server tools whose progress becomes updates, separated by commas')
    .option('--dir <folder>', 'folder of the snapshot and the module', 'design')
    .option('--force', 'overwrite a module that was changed by hand')
    .action((name: string, server: readonly string[], options: ImportFlags & ImportMcpOptions) =>
      run('import mcp', { ...options, name, server }, () => import('./commands/import-mcp.js')),
    )
  commonOptions(imports.command('functions'))
    .description('generate a toolset from LLM function definitions')
    .argument('<name>', 'name of the toolset')
    .option('--from <file>', 'file with the definitions; - for standard input (default: as in the snapshot)')
    .option('--dir <folder>', 'folder of the snapshot and the module', 'design')
    .option('--force', 'overwrite a module that was changed by hand')
    .option('--verbose', 'print all notes')
    .action((name: string, options: ImportFlags & ImportFunctionsOptions) =>
      run('import functions', { ...options, name }, () => import('./commands/import-functions.js')),
    )
  commonOptions(imports.command('openapi'))
    .description('generate a toolset from an OpenAPI document')
    .argument('<name>', 'name of the toolset')
    .option('--from <file>', 'JSON or YAML document: file, URL, or - for standard input (default: as in the snapshot)')
    .option('--tag <tags>', 'only import operations with these tags, separated by commas')
    .option('--path <paths>', 'only import these paths, separated by commas; a final * matches any suffix')
    .option('--operation <names>', 'only import these operationIds, separated by commas')
    .option('--dir <folder>', 'folder of the snapshot and the module', 'design')
    .option('--force', 'overwrite a module that was changed by hand')
    .option('--verbose', 'print all notes')
    .action((name: string, options: ImportFlags & ImportOpenApiOptions) =>
      run('import openapi', { ...options, name }, () => import('./commands/import-openapi.js')),
    )
  commonOptions(imports.command('module'))
    .description('generate a toolset from tools of the AI SDK, LangChain or the OpenAI Agents SDK')
    .argument('<name>', 'name of the toolset and its agent')
    .argument('[file]', 'module that exports the tools (default: as in the earlier import)')
    .option('--dir <folder>', 'folder of the written module', 'design')
    .option('--no-agent', 'write no agent, for a toolset that your own agents use')
    .option('--force', 'overwrite a module that was changed by hand')
    .option('--verbose', 'print all notes')
    .action(
      (name: string, file: string | undefined, options: ImportFlags & Pick<ModuleImportRequest, 'dir' | 'agent'>) =>
        run(
          'import module',
          { ...options, name, ...(file !== undefined && { file }) },
          () => import('./commands/import-module.js'),
        ),
    )
  for (const command of [...program.commands, ...imports.commands]) refuseFlagsAsValues(command)
  addExamples(program)
  return program
}

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

function projectCommand(program: Command, name: string): Command {
  return commonOptions(program.command(name))
    .option('-c, --config <file>', 'configuration file (default: toolgen.config.ts)')
    .option('--verbose', 'print all notes')
}

const vendors = ['openai', 'anthropic', 'gemini', 'mcp']
const vendorText = 'check the limits of these providers, separated by commas (default: all)'

function choice(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices([...choices])
}

/** Adds the options that every command takes. */
function commonOptions(command: Command): Command {
  return command
    .option('--cwd <folder>', 'working folder')
    .addOption(choice('--reporter <kind>', 'output format of diagnostics', ['pretty', 'json', 'github']))
    .addOption(new Option('--json', 'same as --reporter json').conflicts('reporter'))
    .option('--no-color', 'disable colours, like the environment variable NO_COLOR')
}

/** Adds the examples of `templates/examples.json` to the help of a command and of all below it. */
function addExamples(command: Command, path: readonly string[] = []): void {
  command.addHelpText('after', () => {
    const all: Readonly<Record<string, readonly (readonly [line: string, purpose: string])[]>> = JSON.parse(
      templateText('examples.json', {}),
    )
    const examples = all[path.join(' ') || command.name()] ?? []
    const width = Math.max(...examples.map(([line]) => line.length))
    const lines = examples.map(([line, purpose]) => `\n  ${line.padEnd(width)}  ${purpose}`)
    return lines.length === 0 ? '' : `\nExamples:${lines.join('')}`
  })
  for (const child of command.commands) addExamples(child, [...path, child.name()])
}
