import { check } from '../check.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import type { ExitCode } from './exit-code.js'
import { projectChoice } from './project-choice.js'
import { report } from './report.js'
import { printable, type Style } from './terminal.js'

/** Fails when the generated code on disk is not what the design gives, and shows the difference on standard output. */
export async function runCheck(options: CommonOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context
  const { root, diagnostics, drift, ok, output } = await check(projectChoice(options, context))
  const kind = reporterOf(options)
  const exitCode = report(kind, terminal, {
    command: 'check',
    root,
    diagnostics,
    facts: { drift: drift.map(({ kind: what, path, diff }) => ({ kind: what, path, diff })) },
    ...(ok && { summary: `${terminal.noteStyle('green', 'in sync')}: ${output} is what the design gives` }),
  })
  if (kind !== 'json')
    for (const { diff } of drift) terminal.out(terminal.outIsTerminal ? forTerminal(diff, terminal.outStyle) : diff)
  return exitCode
}

const colours = { '+': 'green', '-': 'red', '@': 'cyan' } as const

/** A diff as people read it; to a file or another program it goes byte for byte, so that `patch` can read it. */
function forTerminal(diff: string, style: Style): string {
  const lines = diff.split('\n').map((line) => {
    const sign = line.charAt(0)
    return sign === '+' || sign === '-' || sign === '@' ? style(colours[sign], printable(line)) : printable(line)
  })
  return lines.join('\n')
}
