import type { Argument, Command, Option } from 'commander'
import { rules } from '../../contracts/rules.js'
import { ruleIds } from '../../lint/lint-design.js'
import { own } from '../../schema/json-schema.js'
import { catalogue } from '../catalogue.js'
import type { CommandContext, CommonOptions, Shell } from '../context.js'
import { type ExitCode, exitCodes, templateText } from '../format.js'

const explained: readonly string[] = [...Object.keys(catalogue), ...ruleIds, ...rules.map(({ id }) => id)]

export function run(
  { program, shell }: CommonOptions & { readonly program: Command; readonly shell: Shell },
  { terminal, reporter, report }: CommandContext,
): ExitCode {
  const script = scripts[shell](commandTree(program, { rules: ruleIds, code: explained }))
  if (reporter === 'json') return report([], { facts: { shell, script } })
  terminal.out(script)
  return exitCodes.ok
}

/** Supports bash 3.2, because macOS has this version. */
function bashScript(program: CommandNode): string {
  const commands = allCommands(program)
  return templateText('completions.bash', {
    paths: commands
      .slice(1)
      .map(({ path }) => `      ${quoted(path.join(' '))}) path="$path $word" ;;`)
      .join('\n'),
    options: commands.flatMap((command) => command.options.flatMap((option) => valueCase(command, option))).join('\n'),
    commands: commands.map(pathCase).join('\n'),
  })
}

/** Returns no branch if the value is optional, because the next word can then be an argument of the command. */
function valueCase({ path }: CommandNode, { flags, value, isOptional }: OptionNode): readonly string[] {
  if (value === undefined || isOptional) return []
  const patterns = flags.map((flag) => quoted(`${path.join(' ')}|${flag}`)).join('|')
  return [`    ${patterns}) ${assignment(value, [])} ;;`]
}

function pathCase(node: CommandNode): string {
  const { path, options, commands, arguments: values } = node
  const flags = options.flatMap((option) => option.flags)
  const names = commands.map(lastWord)
  const [first = { kind: 'other' as const }] = values
  return `        ${quoted(path.join(' '))})
          if [[ $current == -* ]]; then candidates=${quoted(flags.join(' '))}
          else ${node.asksProject ? projectWords : assignment(first, names)}
          fi ;;`
}

const projectWords = 'candidates=$(__toolgen_words)'

function assignment(value: ValueKind, names: readonly string[]): string {
  if (value.kind === 'file' || value.kind === 'folder') return `kind=${value.kind}`
  const words = value.kind === 'choices' ? [...names, ...value.choices] : names
  return `candidates=${quoted(words.join(' '))}`
}

type ValueKind =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'file' | 'folder' | 'other' }

interface OptionNode {
  readonly flags: readonly string[]
  readonly description: string
  readonly value?: ValueKind
  readonly isOptional: boolean
}

interface CommandNode {
  readonly path: readonly string[]
  readonly description: string
  readonly options: readonly OptionNode[]
  readonly arguments: readonly ValueKind[]
  readonly isVariadic: boolean
  /**
   * True if the arguments are names from the project, such as tool names. The script gets the names from the command with the hidden option
   * `--complete`.
   */
  readonly asksProject: boolean
  readonly commands: readonly CommandNode[]
}

/** The key is the name of the value in the help, for example `rules` for `--rule <rules>`. */
type KnownValues = Readonly<Record<string, readonly string[]>>

function commandTree(command: Command, known: KnownValues, parents: readonly string[] = []): CommandNode {
  const path = [...parents, command.name()]
  const help = command.createHelp()
  return {
    path,
    description: command.description(),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].flatMap((flag) => flag ?? []),
      description: option.description,
      ...((option.required || option.optional) && { value: valueKind(option, known) }),
      isOptional: option.optional,
    })),
    arguments: command.registeredArguments.map((argument) => valueKind(argument, known)),
    asksProject: command.options.some(({ long }) => long === '--complete'),
    isVariadic: command.registeredArguments.some(({ variadic }) => variadic),
    commands: help.visibleCommands(command).map((each) => commandTree(each, known, path)),
  }
}

function allCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(allCommands)]
}

function valueKind(holder: Argument | Option, known: KnownValues): ValueKind {
  const name = 'flags' in holder ? (/[<[]([^>\].]+)/.exec(holder.flags)?.[1] ?? '') : holder.name()
  const choices = holder.argChoices ?? own(known, name)
  if (choices !== undefined) return { kind: 'choices', choices }
  if (name === 'file' || name === 'module') return { kind: 'file' }
  return { kind: name === 'folder' ? 'folder' : 'other' }
}

function lastWord({ path }: CommandNode): string {
  return path.at(-1) ?? ''
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

function fishQuoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`
}

/** Users can save the script as `_toolgen` in a folder of `$fpath`, or evaluate the script after `compinit`. */
function zshScript(program: CommandNode): string {
  return templateText('completions.zsh', { functions: allCommands(program).map(functionText).join('\n\n') })
}

function functionText(command: CommandNode): string {
  const { options, commands } = command
  const own = options.map(optionSpec)
  if (commands.length > 0) {
    const described = commands.map((each) => quoted(`${lastWord(each).replaceAll(':', '\\:')}:${each.description}`))
    return `${functionName(command)}() {
  local state line
  local -a commands
  _arguments -C \\
${own.map((spec) => `    ${spec} \\\n`).join('')}    '1: :->command' \\
    '*:: :->rest'
  case $state in
    command) commands=(${described.join(' ')}); _describe command commands ;;
    rest)
      case $line[1] in
${commands.map((each) => `        ${lastWord(each)}) ${functionName(each)} ;;`).join('\n')}
      esac ;;
  esac
}`
  }
  const { asksProject } = command
  const values = asksProject ? [] : command.arguments.map((value, index) => quoted(`${index + 1}: :${action(value)}`))
  const others = asksProject ? [quoted('*: :_toolgen_words')] : command.isVariadic ? [quoted('*: :_default')] : []
  return `${functionName(command)}() {
  _arguments \\
${[...own, ...values, ...others].map((spec) => `    ${spec}`).join(' \\\n')}
}`
}

function optionSpec({ flags, description, value, isOptional }: OptionNode): string {
  const others = flags.length > 1 ? `(${flags.join(' ')})` : ''
  const text = description.replace(/[[\]\\:]/g, '\\$&')
  const rest = value === undefined ? '' : `${isOptional ? '::' : ':'} :${action(value)}`
  const sign = value === undefined ? '' : '='
  // The value of a short option is a separate word.
  const names = flags.map((flag) => quoted(`${others}${flag}${flag.startsWith('--') ? sign : ''}[${text}]${rest}`))
  return names.join(' ')
}

function action(value: ValueKind): string {
  if (value.kind === 'choices') return `(${value.choices.join(' ')})`
  return { file: '_files', folder: '_files -/', other: ' ' }[value.kind]
}

function functionName({ path }: CommandNode): string {
  return `_${path.join('_')}`
}

function fishScript(program: CommandNode): string {
  const commands = allCommands(program)
  return templateText('completions.fish', {
    paths: commands
      .slice(1)
      .map(({ path }) => fishQuoted(path.join(' ')))
      .join(' '),
    commands: commands.flatMap(commandLines).join('\n'),
  })
}

function commandLines(node: CommandNode): readonly string[] {
  const { path, options, commands, arguments: values } = node
  const start = `complete -c toolgen -n ${fishQuoted(`__toolgen_at ${path.join(' ')}`)}`
  return [
    ...commands.map((each) => `${start} -a ${fishQuoted(lastWord(each))} -d ${fishQuoted(each.description)}`),
    ...options.map((option) => `${start} ${flagWords(option)} -d ${fishQuoted(option.description)}`),
    ...(node.asksProject ? [`${start} -a '(__toolgen_words)'`] : []),
    ...values.slice(0, 1).flatMap((value) => {
      const words = valueWords(value)
      return words === '' ? [] : [`${start} ${words.replace(/^-x /, '')}`]
    }),
  ]
}

function flagWords({ flags, value, isOptional }: OptionNode): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`))
  if (value === undefined || isOptional) return names.join(' ')
  return [...names, valueWords(value) || '-x'].join(' ')
}

function valueWords(value: ValueKind): string {
  if (value.kind === 'choices') return `-x -a ${fishQuoted(value.choices.join(' '))}`
  return { file: '-r -F', folder: `-x -a ${fishQuoted('(__fish_complete_directories)')}`, other: '' }[value.kind]
}

const scripts: Readonly<Record<Shell, (program: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}
