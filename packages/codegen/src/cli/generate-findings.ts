import { errorCount } from '../diagnostics/sort-diagnostics.js'
import type { GenerateResult } from '../run/generate-result.js'
import { lockPath } from '../write/lock-text.js'
import type { CommandContext } from './command-context.js'
import type { CommonOptions } from './common-options.js'
import { count } from './count.js'
import type { Findings } from './report.js'
import { scriptCodecsNote } from './script-codecs-note.js'
import { shownPath } from './shown-path.js'

/** What one run is reported as. */
export function generateFindings(
  result: GenerateResult,
  run: {
    readonly milliseconds: number
    readonly options: CommonOptions
    readonly context: CommandContext
  },
): Findings & Required<Pick<Findings, 'facts' | 'summary'>> {
  const { milliseconds, options, context } = run
  const { ok, diagnostics, root, written, removed, unchanged, counts, upToDate } = result
  const news = ok && !upToDate
  const note = ok ? scriptCodecsNote(result) : undefined
  return {
    command: 'generate',
    root,
    diagnostics: note === undefined ? diagnostics : [...diagnostics, note],
    notes: news || options.verbose === true ? 'full' : 'counted',
    facts: { upToDate, written, removed, unchanged: unchanged.length, ...counts, milliseconds },
    summary: ok ? summaryOf(result, milliseconds, context) : failureOf(result, context),
  }
}

function summaryOf(result: GenerateResult, milliseconds: number, { terminal }: CommandContext): string {
  const style = terminal.noteStyle
  const { written, removed, unchanged, counts, upToDate } = result
  const time = style('dim', `(${milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`})`)
  const design = `${count(counts.tools, 'tool')} in ${count(counts.toolsets, 'toolset')}, ${count(counts.agents, 'agent')}`
  const output = shownPath(result.root, result.output)
  if (upToDate) return `${style('green', 'up to date')}: ${output}, ${design} ${time}`
  const changes =
    written.length + removed.length === 0
      ? [`${lockPath} written`, `${unchanged.length} unchanged`]
      : [`${written.length} written`, `${unchanged.length} unchanged`, `${removed.length} removed`]
  return `${style('green', 'generated')}: ${output}, ${changes.join(', ')}; ${design} ${time}`
}

function failureOf({ diagnostics }: GenerateResult, { terminal }: CommandContext): string {
  const half = diagnostics.some(({ code }) => code === 'TG5010')
  const outcome = half ? 'the output is half written' : 'nothing was written'
  return `${terminal.noteStyle('red', count(errorCount(diagnostics), 'error'))}; ${outcome}`
}
