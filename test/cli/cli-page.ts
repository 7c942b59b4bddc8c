import { buildProgram } from '../../packages/codegen/src/cli/program.js'

type Command = ReturnType<typeof buildProgram>
type Option = Command['options'][number]

const plain = (_colour: unknown, text: string): string => text
const terminal = {
  out: () => {},
  note: () => {},
  outIsTerminal: false,
  noteIsTerminal: false,
  outStyle: plain,
  noteStyle: plain,
}

/** Returns the runnable commands of the program, by their path of words. */
export function runnableCommands(): ReadonlyMap<string, Command> {
  const program = buildProgram({ terminal, cwd: '/', output: process.stdout, input: () => process.stdin }, () => {})
  return new Map(leavesOf(program, 'toolgen'))
}

function leavesOf(command: Command, path: string): readonly (readonly [string, Command])[] {
  if (command.commands.length === 0) return [[path, command]]
  return command.commands.flatMap((below) => leavesOf(below, `${path} ${below.name()}`))
}

/** Returns the table of the options that all commands accept. */
export function sharedTable(commands: ReadonlyMap<string, Command>): string {
  const shared = sharedFlags(commands)
  const [first] = commands.values()
  return optionTable(optionsOf(first).filter(({ flags }) => shared.includes(flags)))
}

/** Returns the generated part of a command's section: usage, description and options. */
export function commandHead(path: string, commands: ReadonlyMap<string, Command>): string {
  const command = commands.get(path)
  const shared = sharedFlags(commands)
  const values = command?.registeredArguments ?? []
  const words = values.map((value) => {
    const name = value.variadic ? `${value.name()}...` : value.name()
    return value.required ? `<${name}>` : `[${name}]`
  })
  const said = values.flatMap((value, index) =>
    value.description === '' ? [] : [`- \`${words[index]}\`: ${value.description}`],
  )
  const table = optionTable(optionsOf(command).filter(({ flags }) => !shared.includes(flags)))
  const parts = [`## ${path}`, `\`${[path, '[options]', ...words].join(' ')}\``, sentence(command?.description() ?? '')]
  return [...parts, said.join('\n'), table].filter((part) => part !== '').join('\n\n')
}

function optionsOf(command: Command | undefined): readonly Option[] {
  return command === undefined ? [] : command.createHelp().visibleOptions(command)
}

function sharedFlags(commands: ReadonlyMap<string, Command>): readonly string[] {
  const all = [...commands.values()].map((command) => optionsOf(command).map(({ flags }) => flags))
  return (all[0] ?? []).filter((flags) => all.every((others) => others.includes(flags)))
}

function optionTable(options: readonly Option[]): string {
  if (options.length === 0) return ''
  const rows = options.map(({ flags, description, argChoices, defaultValue }) => {
    const choices = argChoices === undefined ? '' : `: ${argChoices.map((choice) => `\`${choice}\``).join(', ')}`
    const fallback = typeof defaultValue === 'string' ? ` (default: \`${defaultValue}\`)` : ''
    return `| \`${flags}\` | ${description}${choices}${fallback} |`
  })
  return ['| option | description |', '|---|---|', ...rows].join('\n')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
