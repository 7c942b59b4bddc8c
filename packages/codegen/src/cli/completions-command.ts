import type { Command } from 'commander'
import { rules } from '../breaking/rules/rules.js'
import { catalogue } from '../diagnostics/catalogue/catalogue.js'
import { ruleIds } from '../lint/rule-ids.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { commandTree } from './completions/command-tree.js'
import { completionScript } from './completions/completion-script.js'
import type { Shell } from './completions/shells.js'
import { type ExitCode, exitCodes } from './exit-code.js'
import { report } from './report.js'

/** What `toolgen explain` can be asked for. */
const explained: readonly string[] = [...Object.keys(catalogue), ...ruleIds, ...rules.map(({ id }) => id)]

/** Prints the script by which a shell completes the words of the program. */
export function runCompletions(
  program: Command,
  { shell, ...options }: CommonOptions & { readonly shell: Shell },
  { terminal, cwd }: CommandContext,
): ExitCode {
  const script = completionScript(commandTree(program, { rules: ruleIds, code: explained }), shell)
  if (reporterOf(options) === 'json') {
    const findings = { command: 'completions', root: cwd, diagnostics: [], facts: { shell, script } }
    return report('json', terminal, findings)
  }
  terminal.out(script)
  return exitCodes.ok
}
