import { type Diagnostic, errorCount } from '../../diagnostics/diagnostic.js'
import { isDiskError } from '../../files.js'
import { generate } from '../../generate.js'
import { relativePath } from '../../load/evaluation-errors.js'
import { lockPath } from '../../output/lock-text.js'
import type { GenerateResult } from '../../plan-output.js'
import { type WatchRun, watchProject } from '../../watch/watch-project.js'
import { type CommandContext, type CommonOptions, projectChoice, reporterOf } from '../context.js'
import { count, type ExitCode, exitCodes, shownPath } from '../format.js'
import { type Findings, report } from '../report.js'
import { nextSignal, progressLine } from '../terminal.js'

/** What `toolgen generate` can be told. */
export interface GenerateCommandOptions extends CommonOptions {
  readonly force?: boolean
  readonly cache: boolean
  readonly watch?: boolean
  /** In seconds. */
  readonly timeLimit?: string
}

/** Writes the generated code and says in a few words what changed. */
export async function runGenerate(options: GenerateCommandOptions, context: CommandContext): Promise<ExitCode> {
  if (options.watch === true || options.timeLimit !== undefined) {
    const { runWatch } = await import('./generate.js')
    return runWatch(options, context)
  }
  const started = performance.now()
  const elapsed = (): number => Math.round(performance.now() - started)
  const kind = reporterOf(options)
  const { clear, onStage } = progressLine(context.terminal, elapsed)
  const choice = { ...projectChoice(options, context), force: options.force === true, cache: options.cache }
  const result = await generate({ ...choice, ...(kind === 'pretty' && { onStage }) }).finally(clear)
  return report(kind, context.terminal, generateFindings(result, { milliseconds: elapsed(), options, context }))
}

/** How long a design may take to evaluate where nothing is said, in seconds. */
const defaultTimeLimit = 60

/**
 * Writes the generated code, and again after each change, until SIGINT, SIGTERM or SIGHUP comes; then all is well, whatever
 * the last run found. As JSON each run is one object on a line of its own.
 */
export async function runWatch(options: GenerateCommandOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, cwd } = context
  const kind = reporterOf(options)
  const fail = (diagnostic: Diagnostic): ExitCode =>
    report(kind, terminal, { command: 'generate', root: cwd, diagnostics: [diagnostic], oneLine: true })
  const seconds = options.timeLimit === undefined ? defaultTimeLimit : Number(options.timeLimit)
  const wrong = misusedLimit(options, seconds)
  if (wrong !== undefined) return fail(wrong)
  const ending = new AbortController()
  nextSignal(['SIGINT', 'SIGTERM', 'SIGHUP']).then(() => ending.abort())
  let runs = 0
  const onRun = ({ result, changed, milliseconds }: WatchRun): void => {
    const findings = generateFindings(result, { milliseconds, options, context })
    const facts = { ...findings.facts, changed: changed.map((path) => relativePath(result.root, path)) }
    const summary = `${terminal.noteStyle('dim', clock(new Date()))} ${findings.summary}`
    report(kind, terminal, { ...findings, facts, summary, oneLine: true })
    runs += 1
    if (runs === 1 && kind !== 'json') terminal.note('watching for changes; Ctrl+C ends it\n')
  }
  const project = { cwd, ...(options.config !== undefined && { config: options.config }) }
  try {
    const force = options.force === true
    await watchProject({ ...project, force, timeLimit: seconds * 1000, signal: ending.signal, onRun })
    return exitCodes.ok
  } catch (error) {
    if (!isDiskError(error)) throw error
    return fail(notWatched(error.message))
  }
}

/** The time of day in this place, e.g. `09:05:12`. */
function clock(time: Date): string {
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

function misusedLimit({ watch, timeLimit }: GenerateCommandOptions, seconds: number): Diagnostic | undefined {
  const wrong = (message: string, next: string): Diagnostic => ({ code: 'TG0001', severity: 'error', message, next })
  if (watch !== true) return wrong('--time-limit is for --watch.', 'Add --watch, or leave it away.')
  if (seconds > 0 && seconds <= 86_400) return undefined
  return wrong(`--time-limit is \`${timeLimit}\`, which is no number of seconds.`, 'Give a number, e.g. 60.')
}

function notWatched(reason: string): Diagnostic {
  return {
    code: 'TG0018',
    severity: 'error',
    message: `The operating system does not watch the project's folders: ${reason}.`,
    next: 'Let it watch more folders (on Linux: fs.inotify.max_user_watches), or run `toolgen generate` by hand.',
  }
}

/** What one run is reported as. */
function generateFindings(
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
