import type { Command } from 'commander'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { commandTree } from './completions/command-tree.js'
import { completionScript } from './completions/completion-script.js'
import type { Shell } from './completions/shells.js'
import { type ExitCode, exitCodes } from './exit-code.js'
import { report } from './report.js'

/** Prints the script by which a shell completes the words of the program. */
export function runCompletions(
  program: Command,
  { shell, ...options }: CommonOptions & { readonly shell: Shell },
  { terminal, cwd }: CommandContext,
): ExitCode {
  const script = completionScript(commandTree(program), shell)
  if (reporterOf(options) === 'json') {
    const findings = { command: 'completions', root: cwd, diagnostics: [], facts: { shell, script } }
    return report('json', terminal, findings)
  }
  terminal.out(script)
  return exitCodes.ok
}
