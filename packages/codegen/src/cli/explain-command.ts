import { catalogue } from '../diagnostics/catalogue/catalogue.js'
import { nearest } from '../diagnostics/near.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { type ExitCode, exitCodes } from './exit-code.js'
import { report } from './report.js'

/** Prints the long form of a diagnostic: what it means, why it happens, what to do. */
export function runExplain(code: string, options: CommonOptions, { terminal, cwd }: CommandContext): ExitCode {
  const wanted = fullCode(code)
  const entry = new Map(Object.entries(catalogue)).get(wanted)
  if (entry === undefined) return unknownCode(code, options, { terminal, cwd })
  if (reporterOf(options) === 'json') {
    const facts = { code: wanted, ...entry }
    return report('json', terminal, { command: 'explain', root: cwd, diagnostics: [], facts })
  }
  const style = terminal.outStyle
  terminal.out(
    `${style('bold', `${wanted}: ${entry.title}`)}\n\n${entry.cause}\n\n${style('green', 'What to do')}\n${entry.fix}\n`,
  )
  return exitCodes.ok
}

/** `tg5001` and `5001` mean `TG5001`. */
function fullCode(code: string): string {
  return /^\d+$/.test(code) ? `TG${code}` : code.toUpperCase()
}

function unknownCode(
  code: string,
  options: CommonOptions,
  { terminal, cwd }: Pick<CommandContext, 'terminal' | 'cwd'>,
): ExitCode {
  const near = nearest(fullCode(code), Object.keys(catalogue))
  const next = near[0] === undefined ? 'Codes are written like TG5001.' : `Did you mean \`${near[0]}\`?`
  const message = `There is no diagnostic '${code}'.`
  const diagnostics = [{ code: 'TG0003', severity: 'error' as const, message, next, ...(near.length > 0 && { near }) }]
  return report(reporterOf(options), terminal, { command: 'explain', root: cwd, diagnostics })
}
