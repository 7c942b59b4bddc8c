import { allCommands, type CommandNode, type OptionNode, type ValueKind } from './command-tree.js'
import { fishQuoted } from './shell-text.js'

/** The completion script for fish. */
export function fishScript(program: CommandNode): string {
  const name = program.path.join(' ')
  const commands = allCommands(program)
  return `# Completions of ${name} for fish: ${name} completions fish > ~/.config/fish/completions/${name}.fish

# Whether the words so far lead to this command and to none below it.
function __${name}_at
    set -l path ${name}
    for word in (commandline -opc)[2..-1]
        switch "$path $word"
            case ${commands
              .slice(1)
              .map(({ path }) => fishQuoted(path.join(' ')))
              .join(' ')}
                set path "$path $word"
        end
    end
    test "$path" = "$argv"
end

complete -c ${name} -f
${commands.flatMap((command) => commandLines(command, name)).join('\n')}

# npx ${name} as well.
function __${name}_npx
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = ${name}
end

complete -c npx -n __${name}_npx -f -a '(complete -C (string join " " (string escape -- (commandline -opc)[2..-1]) (commandline -ct)))'
`
}

function commandLines({ path, options, commands, arguments: values }: CommandNode, name: string): readonly string[] {
  const start = `complete -c ${name} -n ${fishQuoted(`__${name}_at ${path.join(' ')}`)}`
  return [
    ...commands.map((each) => `${start} -a ${fishQuoted(each.path.at(-1) ?? '')} -d ${fishQuoted(each.description)}`),
    ...options.map((option) => `${start} ${flagWords(option)} -d ${fishQuoted(option.description)}`),
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
  switch (value.kind) {
    case 'choices':
      return `-x -a ${fishQuoted(value.choices.join(' '))}`
    case 'file':
      return '-r -F'
    case 'folder':
      return `-x -a ${fishQuoted('(__fish_complete_directories)')}`
    case 'other':
      return ''
  }
}
