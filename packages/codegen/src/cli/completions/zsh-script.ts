import { allCommands, type CommandNode, type OptionNode, type ValueKind } from './command-tree.js'
import { quoted } from './shell-text.js'

/** The completion script for zsh: as a file `_toolgen` in `$fpath`, or evaluated after `compinit`. */
export function zshScript(program: CommandNode): string {
  const name = program.path.join(' ')
  return `#compdef ${name}
# Completions of ${name} for zsh. In ~/.zshrc, after compinit: eval "$(${name} completions zsh)"

${allCommands(program).map(functionText).join('\n\n')}

_${name}_npx() {
  if (( CURRENT > 2 )) && [[ $words[2] == ${name} ]]; then shift words; (( CURRENT -= 1 )); _${name}; else _default; fi
}

if [[ \${funcstack[1]} == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
# npx ${name} as well, unless something completes npx already.
(( \${+_comps[npx]} )) || compdef _${name}_npx npx
`
}

function functionText(command: CommandNode): string {
  const { options, commands } = command
  const own = options.map(optionSpec)
  if (commands.length > 0) {
    const described = commands.map((each) => quoted(`${colonFree(lastWord(each))}:${each.description}`))
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
  const values = command.arguments.map((value, index) => quoted(`${index + 1}: :${action(value)}`))
  const others = command.takesMore ? [quoted('*: :_default')] : []
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
  // Short options have their value behind a space.
  const names = flags.map((flag) => quoted(`${others}${flag}${flag.startsWith('--') ? sign : ''}[${text}]${rest}`))
  return names.join(' ')
}

function action(value: ValueKind): string {
  switch (value.kind) {
    case 'choices':
      return `(${value.choices.join(' ')})`
    case 'file':
      return '_files'
    case 'folder':
      return '_files -/'
    case 'other':
      return ' '
  }
}

function functionName({ path }: CommandNode): string {
  return `_${path.join('_')}`
}

function lastWord({ path }: CommandNode): string {
  return path.at(-1) ?? ''
}

function colonFree(text: string): string {
  return text.replaceAll(':', '\\:')
}
