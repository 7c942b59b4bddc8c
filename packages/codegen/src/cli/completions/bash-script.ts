import { allCommands, type CommandNode, type OptionNode, type ValueKind } from './command-tree.js'
import { quoted } from './shell-text.js'

/** The completion script for bash, 3.2 (which macOS has) and later. */
export function bashScript(program: CommandNode): string {
  const commands = allCommands(program)
  const name = program.path.join(' ')
  return `# Completions of ${name} for bash. In ~/.bashrc: eval "$(${name} completions bash)"

_${name}() {
  local word current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} path=${quoted(name)} candidates='' kind='' index
  COMPREPLY=()
  # bash takes the = of --option=value for a word of its own.
  if [[ $current == '=' ]]; then current=''
  elif [[ $previous == '=' ]]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    if [[ $word == '--' ]]; then path='--'; break; fi
    case "$path $word" in
${commands
  .slice(1)
  .map(({ path }) => `      ${quoted(path.join(' '))}) path="$path $word" ;;`)
  .join('\n')}
    esac
  done
  case "$path|$previous" in
    '--|'*) kind=file ;;
${commands.flatMap((command) => command.options.flatMap((option) => valueCase(command, option))).join('\n')}
    *)
      case "$path" in
${commands.map(pathCase).join('\n')}
      esac ;;
  esac
  if [[ $kind == file || $kind == folder ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen "$([[ $kind == file ]] && echo -f || echo -d)" -- "$current")
  fi
  while IFS= read -r word; do [[ -n $word ]] && COMPREPLY+=("$word"); done < <(compgen -W "$candidates" -- "$current")
}

_${name}_npx() {
  [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[1]} == ${name} ]] || return
  COMP_WORDS=("\${COMP_WORDS[@]:1}")
  COMP_CWORD=$((COMP_CWORD - 1))
  _${name}
}

complete -F _${name} ${name}
# npx ${name} as well, unless something completes npx already; any other word behind npx is left to bash.
complete -p npx >/dev/null 2>&1 || complete -o bashdefault -o default -F _${name}_npx npx
`
}

/** What follows an option. Where its value may be left away, all else may follow as well. */
function valueCase({ path }: CommandNode, { flags, value, isOptional }: OptionNode): readonly string[] {
  if (value === undefined || isOptional) return []
  const patterns = flags.map((flag) => quoted(`${path.join(' ')}|${flag}`)).join('|')
  return [`    ${patterns}) ${assignment(value, [])} ;;`]
}

function pathCase({ path, options, commands, arguments: values }: CommandNode): string {
  const flags = options.flatMap((option) => option.flags)
  const names = commands.map((command) => command.path.at(-1) ?? '')
  const [first = { kind: 'other' as const }] = values
  return `        ${quoted(path.join(' '))})
          if [[ $current == -* ]]; then candidates=${quoted(flags.join(' '))}
          else ${assignment(first, names)}
          fi ;;`
}

function assignment(value: ValueKind, names: readonly string[]): string {
  if (value.kind === 'file' || value.kind === 'folder') return `kind=${value.kind}`
  const words = value.kind === 'choices' ? [...names, ...value.choices] : names
  return `candidates=${quoted(words.join(' '))}`
}
