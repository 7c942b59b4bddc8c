import { type Diagnostic, errorCount } from '../../diagnostics/diagnostic.js'
import { lockPath } from '../../output/lock.js'
import type { GenerateResult } from '../../plan-output.js'
import type { CommandContext, CommonOptions } from '../context.js'
import { count, shownPath } from '../format.js'
import type { Report } from '../report.js'

/** Returns the report of one run. */
export function generateReport(
  result: GenerateResult,
  run: {
    readonly milliseconds: number
    readonly options: CommonOptions
    readonly context: CommandContext
  },
): Report & Required<Pick<Report, 'facts' | 'summary'>> {
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

/** A note, with the first codecs that are written as JavaScript, that `tsc` leaves them where they are. */
export function scriptCodecsNote({
  output,
  written,
  unchanged,
}: Pick<GenerateResult, 'output' | 'written' | 'unchanged'>): Diagnostic | undefined {
  if (!written.some(isScript) || unchanged.some(isScript)) return undefined
  const [from, to] = [output, `dist/${output.replace(/^src\//, '')}`].map((path) => JSON.stringify(path).slice(1, -1))
  const filter = "filter: (path) => path.endsWith('.ts') === path.endsWith('.d.ts')"
  return {
    code: 'TG5013',
    severity: 'note',
    message: 'Codecs are written as `codecs.js`, which `tsc` does not copy to its `outDir`.',
    next: `If \`tsc\` compiles to \`dist\`, run after it: node -e "require('node:fs').cpSync('${from}', '${to}', { recursive: true, ${filter} })"`,
  }
}

function isScript(path: string): boolean {
  return path.endsWith('/codecs.js')
}
