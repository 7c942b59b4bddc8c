import { type Diagnostic, errorAt, errorCount } from '../../diagnostics/diagnostic.js'
import { isDiskError, relativePath } from '../../files.js'
import { generate } from '../../generate.js'
import { lockPath } from '../../output/lock.js'
import type { GenerateResult } from '../../plan-output.js'
import { type CommandContext, type CommonOptions, wrongUsage } from '../context.js'
import { count, type ExitCode, exitCodes, shownPath } from '../format.js'
import type { Report } from '../report.js'
import { nextSignal, progressLine, type Style } from '../terminal.js'

export interface GenerateCommandOptions extends CommonOptions {
  readonly force?: boolean
  readonly cache: boolean
  readonly watch?: boolean
  readonly timeLimit?: string
}

export async function run(options: GenerateCommandOptions, context: CommandContext): Promise<ExitCode> {
  if (options.watch === true || options.timeLimit !== undefined) return watch(options, context)
  const { terminal, project, reporter } = context
  const started = performance.now()
  const elapsed = (): number => Math.round(performance.now() - started)
  const { clear, onStage } = progressLine(terminal, elapsed)
  const choice = { ...project, force: options.force === true, cache: options.cache }
  const result = await generate({ ...choice, ...(reporter === 'pretty' && { onStage }) }).finally(clear)
  const { diagnostics, ...report } = reportOf(result, elapsed(), options, terminal.noteStyle)
  return context.report(diagnostics, report)
}

const defaultTimeLimit = 60

/** After a signal, the exit code is 0, even if the last generation failed. */
async function watch(options: GenerateCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd, reporter, report } = context
  const fail = (diagnostic: Diagnostic): ExitCode => report([diagnostic], { oneLine: true, notes: 'full' })
  const { timeLimit, force = false, config } = options
  const seconds = timeLimit === undefined ? defaultTimeLimit : Number(timeLimit)
  if (options.watch !== true)
    return fail(wrongUsage('--time-limit requires --watch.', 'Add --watch, or remove --time-limit.'))
  if (!(seconds > 0 && seconds <= 86_400)) {
    const message = `--time-limit must be a number of seconds, not \`${timeLimit}\`.`
    return fail(wrongUsage(message, 'Use a number of seconds, e.g. 60.'))
  }
  const ending = new AbortController()
  nextSignal(['SIGINT', 'SIGTERM', 'SIGHUP']).then(() => ending.abort())
  let isFirst = true
  const { watchProject } = await import('../../watch/watch-project.js')
  try {
    await watchProject({
      cwd,
      ...(config !== undefined && { config }),
      force,
      timeLimit: seconds * 1000,
      signal: ending.signal,
      onRun: ({ result, changed, milliseconds }) => {
        const { diagnostics, facts, summary, ...rest } = reportOf(result, milliseconds, options, terminal.noteStyle)
        const clock = terminal.noteStyle('dim', new Date().toTimeString().slice(0, 8))
        report(diagnostics, {
          ...rest,
          facts: { ...facts, changed: changed.map((path) => relativePath(result.root, path)) },
          summary: `${clock} ${summary}`,
          oneLine: true,
        })
        if (isFirst && reporter !== 'json') terminal.note('watching for changes; press Ctrl+C to stop\n')
        isFirst = false
      },
    })
    return exitCodes.ok
  } catch (error) {
    if (!isDiskError(error)) throw error
    return fail(notWatched(error))
  }
}

export function notWatched({ message }: Error): Diagnostic {
  const next =
    'Increase the limit of watched folders (on Linux: fs.inotify.max_user_watches), or run `toolgen generate` by hand.'
  return errorAt(undefined, 'TG0018', `Cannot watch the folders of the project: ${message}.`, next)
}

export function reportOf(
  result: GenerateResult,
  milliseconds: number,
  { verbose }: CommonOptions,
  style: Style,
): Pick<Report, 'root' | 'diagnostics' | 'notes' | 'facts' | 'summary'> {
  const { ok, diagnostics, root, written, removed, unchanged, counts, upToDate } = result
  const note = ok ? scriptCodecsNote(result) : undefined
  return {
    root,
    diagnostics: note === undefined ? diagnostics : [...diagnostics, note],
    notes: (ok && !upToDate) || verbose === true ? 'full' : 'counted',
    facts: { upToDate, written, removed, unchanged: unchanged.length, ...counts, milliseconds },
    summary: ok ? successText(result, milliseconds, style) : failureText(diagnostics, style),
  }
}

function successText(result: GenerateResult, milliseconds: number, style: Style): string {
  const { written, removed, unchanged, counts, upToDate } = result
  const time = style('dim', `(${milliseconds < 1000 ? `${milliseconds} ms` : `${(milliseconds / 1000).toFixed(1)} s`})`)
  const design = `${count(counts.tools, 'tool')} in ${count(counts.toolsets, 'toolset')}, ${count(counts.agents, 'agent')}`
  const output = shownPath(result.root, result.output)
  const mappers = mapperLine(result.diagnostics, style)
  if (upToDate) return `${style('green', 'up to date')}: ${output}, ${design} ${time}${mappers}`
  const changes =
    written.length + removed.length === 0
      ? [`${lockPath} written`, `${unchanged.length} unchanged`]
      : [`${written.length} written`, `${unchanged.length} unchanged`, `${removed.length} removed`]
  return `${style('green', 'generated')}: ${output}, ${changes.join(', ')}; ${design} ${time}${mappers}`
}

const mostMappers = 5

/** Mappers are functions that convert values. The application must provide them, and TypeScript reports an error for a missing mapper. */
function mapperLine(diagnostics: readonly Diagnostic[], style: Style): string {
  const paths = [...new Set(diagnostics.flatMap(({ mapper }) => (mapper === undefined ? [] : [`\`${mapper}\``])))]
  if (paths.length === 0) return ''
  const more = paths.length > mostMappers ? ` and ${paths.length - mostMappers} more` : ''
  const shown = `${paths.slice(0, mostMappers).join(', ')}${more}`
  return `\n${style('yellow', 'required in your program')}: ${count(paths.length, 'mapper')}, ${shown}`
}

function failureText(diagnostics: readonly Diagnostic[], style: Style): string {
  const isHalfWritten = diagnostics.some(({ code }) => code === 'TG5010')
  const outcome = isHalfWritten ? 'only some files were written' : 'nothing was written'
  return `${style('red', count(errorCount(diagnostics), 'error'))}; ${outcome}`
}

/** A run that left a `codecs.js` unchanged is a later run, which does not repeat the note. */
export function scriptCodecsNote({
  output,
  written,
  unchanged,
}: Pick<GenerateResult, 'output' | 'written' | 'unchanged'>): Diagnostic | undefined {
  const isScript = (path: string): boolean => path.endsWith('/codecs.js')
  if (!written.some(isScript) || unchanged.some(isScript)) return undefined
  const [from, to] = [output, `dist/${output.replace(/^src\//, '')}`].map((path) => JSON.stringify(path).slice(1, -1))
  const filter = "filter: (path) => path.endsWith('.ts') === path.endsWith('.d.ts')"
  const message = '`tsc` does not copy the generated `codecs.js` to its `outDir`.'
  const next = `If your \`outDir\` is \`dist\`, run this after \`tsc\`: node -e "require('node:fs').cpSync('${from}', '${to}', { recursive: true, ${filter} })"`
  return { ...errorAt(undefined, 'TG5013', message, next), severity: 'note' }
}
