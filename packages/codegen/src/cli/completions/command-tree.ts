import type { Argument, Command, Option } from 'commander'
import { own } from '../../schema/json/json.js'

/** What may stand in the place of a value. */
export type ValueKind =
  | { readonly kind: 'choices'; readonly choices: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'folder' }
  | { readonly kind: 'other' }

/** An option as it is written: `-c`, `--config`. */
export interface OptionNode {
  readonly flags: readonly string[]
  readonly description: string
  /** Absent: it takes none. */
  readonly value?: ValueKind
  /** Whether the value may be left away. */
  readonly isOptional: boolean
}

/** A command as completions see it. */
export interface CommandNode {
  /** The words that lead to it, `toolgen` first. */
  readonly path: readonly string[]
  readonly description: string
  readonly options: readonly OptionNode[]
  readonly arguments: readonly ValueKind[]
  /** Whether the last argument may be several words. */
  readonly takesMore: boolean
  readonly commands: readonly CommandNode[]
}

/** What may stand for a value, by the name that the help gives it: `rules` for `--rule <rules>`. */
export type KnownValues = Readonly<Record<string, readonly string[]>>

/** The commands, options and choices of a program, as the program itself has them. */
export function commandTree(command: Command, known: KnownValues, above: readonly string[] = []): CommandNode {
  const path = [...above, command.name()]
  const help = command.createHelp()
  return {
    path,
    description: command.description(),
    options: help.visibleOptions(command).map((option) => optionNode(option, known)),
    arguments: command.registeredArguments.map((argument) => valueKind(argument, known)),
    takesMore: command.registeredArguments.some(({ variadic }) => variadic),
    commands: help.visibleCommands(command).map((each) => commandTree(each, known, path)),
  }
}

/** A command and all below it, each once. */
export function allCommands(node: CommandNode): readonly CommandNode[] {
  return [node, ...node.commands.flatMap(allCommands)]
}

function optionNode(option: Option, known: KnownValues): OptionNode {
  return {
    flags: [option.short, option.long].flatMap((flag) => flag ?? []),
    description: option.description,
    ...((option.required || option.optional) && { value: valueKind(option, known) }),
    isOptional: option.optional,
  }
}

/** What a value is, by its choices, else by the name that the help gives it: `<file>`, `<folder>`, `<module>`. */
function valueKind(holder: Argument | Option, known: KnownValues): ValueKind {
  if (holder.argChoices !== undefined) return { kind: 'choices', choices: holder.argChoices }
  const name = 'flags' in holder ? (/[<[]([^>\].]+)/.exec(holder.flags)?.[1] ?? '') : holder.name()
  const choices = own(known, name)
  if (choices !== undefined) return { kind: 'choices', choices }
  if (name === 'file' || name === 'module') return { kind: 'file' }
  return { kind: name === 'folder' ? 'folder' : 'other' }
}
