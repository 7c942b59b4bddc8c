import { type GenerateResult, generate } from '../generate.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import type { ExitCode } from './exit-code.js'
import { projectChoice } from './project-choice.js'
import { report } from './report.js'

/** Writes the generated code and says in a few words what changed. */
export async function runGenerate(
  options: CommonOptions & { readonly force?: boolean; readonly cache: boolean },
  context: CommandContext,
): Promise<ExitCode> {
  const started = performance.now()
  const result = await generate({
    ...projectChoice(options, context),
    force: options.force === true,
    cache: options.cache,
  })
  const milliseconds = Math.round(performance.now() - started)
  const { diagnostics, root, written, removed, unchanged, counts, upToDate } = result
  const summary = result.ok ? summaryOf(result, milliseconds, context) : undefined
  return report(reporterOf(options), context.terminal, {
    command: 'generate',
    root,
    diagnostics,
    facts: { upToDate, written, removed, unchanged: unchanged.length, ...counts, milliseconds },
    ...(summary !== undefined && { summary }),
  })
}

function summaryOf(result: GenerateResult, milliseconds: number, { terminal }: CommandContext): string {
  const style = terminal.noteStyle
  const { written, removed, unchanged, counts, upToDate, output } = result
  const time = style('dim', `(${milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`})`)
  const design = `${count(counts.tools, 'tool')} in ${count(counts.toolsets, 'toolset')}, ${count(counts.agents, 'agent')}`
  if (upToDate || written.length + removed.length === 0) {
    return `${style('green', 'up to date')}: ${output}, ${design} ${time}`
  }
  const changes = [`${written.length} written`, `${unchanged.length} unchanged`, `${removed.length} removed`]
  return `${style('green', 'generated')}: ${output}, ${changes.join(', ')}; ${design} ${time}`
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`
}
