import { bashScript } from './bash-script.js'
import type { CommandNode } from './command-tree.js'
import { fishScript } from './fish-script.js'
import { zshScript } from './zsh-script.js'

/** The shells that can be told what to complete. */
export const shells = ['bash', 'zsh', 'fish'] as const

/** One of {@link shells}. */
export type Shell = (typeof shells)[number]

const scripts: Readonly<Record<Shell, (program: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** The script that completes the words of a program in a shell. */
export function completionScript(program: CommandNode, shell: Shell): string {
  return scripts[shell](program)
}
