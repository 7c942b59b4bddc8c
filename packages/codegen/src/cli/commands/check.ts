import { check } from '../../check.js'
import { defined } from '../../defined.js'
import { type Checked, type Diagnostic, errorCount } from '../../diagnostics/diagnostic.js'
import { contentHash } from '../../files.js'
import type { LiveSelection, LiveToolset } from '../../imports/check-live.js'
import { readHeaders } from '../../imports/origin.js'
import type { Drift } from '../../output/drift.js'
import { lockPath } from '../../output/lock.js'
import { printable, printableLine, shellWord } from '../../text.js'
import { type CommandContext, type CommonOptions, urlIn, wrongUsage } from '../context.js'
import { count, type ExitCode, shownPath } from '../format.js'
import { grouped } from '../report.js'
import type { Style, Terminal } from '../terminal.js'

export async function run(options: CommonOptions & LiveOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal, project, reporter, report } = context
  const { value: live, diagnostics: wrong } = liveChoice(options)
  if (wrong.length > 0) return report(wrong)
  const result = await check({ ...project, ...(live !== undefined && { live }) })
  const { root, diagnostics, drift, inSync, output } = result
  const shown = options.verbose === true ? wholeDiffs : cutDiffs
  const drifted = result.live.filter(({ state }) => state === 'drifted')
  // Changes of a server are listed in the field `live`.
  const servers = drifted.map(({ snapshot }) => ({ kind: 'server', path: snapshot, diff: '', omitted: 0 }))
  const exitCode = report(reporter === 'pretty' ? grouped(diagnostics) : diagnostics, {
    root,
    facts: { drift: [...shown(drift), ...servers], ...(live !== undefined && { live: result.live }) },
  })
  if (reporter === 'json') return exitCode
  const { telling, leftOut } = worthShowing(drift)
  printDiffs(shown(telling), reporter, terminal)
  if (leftOut !== undefined) terminal.note(`${shownPath(root, leftOut.path)} differs too; its diff is not shown.\n`)
  const style = terminal.noteStyle
  if (inSync) terminal.note(`${style('green', 'in sync')}: ${shownPath(root, output)} matches the design\n`)
  else terminal.note(`${style('red', failureOf(diagnostics, drift))}\n`)
  if (live !== undefined) terminal.note(`${liveSummary(result.live, style)}\n`)
  return exitCode
}

/** Omits the diff of the lock file if other files differ too, because their diffs show the change. */
function worthShowing(drift: readonly Drift[]): { readonly telling: readonly Drift[]; readonly leftOut?: Drift } {
  const others = drift.filter(({ path }) => !path.endsWith(`/${lockPath}`))
  const lock = drift.find((file) => !others.includes(file))
  return others.length === 0 || lock === undefined ? { telling: drift } : { telling: others, leftOut: lock }
}

const liveWords = { same: 'as imported', drifted: 'changed', unreachable: 'unreachable', skipped: 'skipped' } as const

function liveSummary(live: readonly LiveToolset[], style: Style): string {
  const states = (['same', 'drifted', 'unreachable', 'skipped'] as const).flatMap((state) => {
    const names = live.filter((each) => each.state === state).map(({ toolset }) => printable(toolset))
    return names.length === 0 ? [] : [`${names.join(', ')} ${liveWords[state]}`]
  })
  const fails = live.some(({ state }) => state === 'drifted' || state === 'unreachable')
  return `${style(fails ? 'red' : 'green', 'live')}: ${states.join('; ') || 'no server was checked'}`
}

function failureOf(diagnostics: readonly Diagnostic[], drift: readonly Drift[]): string {
  if (drift.length > 0) return drift.length === 1 ? '1 file differs' : `${drift.length} files differ`
  return `${count(errorCount(diagnostics), 'error')}; generated files were not compared`
}

export interface LiveOptions {
  readonly live?: true | string
  readonly url?: string
  readonly header?: readonly string[]
  /** Command line that starts an MCP server, or the URL of a server. Empty if the user typed none. */
  readonly server: readonly string[]
}

export function liveChoice({ live, url, header, server }: LiveOptions): Checked<LiveSelection> {
  const wrong = (message: string): Checked<LiveSelection> => {
    const next = 'Name the toolset and one server: `toolgen check --live files -- COMMAND` or `--live files --url URL`.'
    return { diagnostics: [wrongUsage(message, next)] }
  }
  const { value: headers, diagnostics } = readHeaders(header)
  if (diagnostics.length > 0) return { diagnostics }
  if (url !== undefined && server.length > 0) return wrong('Use either --url or a command, not both.')
  const started = server.length > 0 ? { command: server } : undefined
  const address = url ?? urlIn(server)
  const origin = address === undefined ? started : { url: address }
  if (typeof live === 'string') {
    return { value: { toolset: live, ...defined({ origin, headers }) }, diagnostics: [] }
  }
  const [word, ...more] = server
  if (word !== undefined && more.length === 0) {
    // A single word is more likely a toolset without `--live` before it than the command of a server.
    const command = `toolgen check --live ${shellWord(word)}`
    const message = `\`${word}\` is an unexpected argument: --live must precede the name of the toolset.`
    return { diagnostics: [wrongUsage(message, `Did you mean \`${command}\`?`, [command])] }
  }
  if (origin !== undefined || headers !== undefined) return wrong('The name of the toolset of this server is missing.')
  return live === true ? { value: 'all', diagnostics: [] } : { diagnostics: [] }
}

export function printDiffs(drift: readonly ShownDrift[], reporter: 'pretty' | 'github', terminal: Terminal): void {
  for (const { path, diff, omitted } of drift) {
    if (diff === '') continue
    if (reporter === 'github') terminal.out(folded(path, diff))
    // Without a terminal, the program `patch` may read the diff, so it has no colours.
    else terminal.out(terminal.outIsTerminal ? forTerminal(diff, terminal.outStyle) : diff)
    if (omitted > 0) terminal.note(`${printableLine(path)}: ${count(omitted, 'more line')}\n`)
  }
  const cut = drift.filter(({ omitted }) => omitted > 0)
  if (cut.length === 0) return
  const lines = cut.reduce((all, { omitted }) => all + omitted, 0)
  const files = `${count(lines, 'line')} of the differences in ${count(cut.length, 'file')}`
  terminal.note(
    `${files} ${lines === 1 ? 'is' : 'are'} not shown (toolgen check --verbose shows ${lines === 1 ? 'it' : 'them'})\n`,
  )
}

const colours = { '+': 'green', '-': 'red', '@': 'cyan' } as const

function forTerminal(diff: string, style: Style): string {
  const lines = diff.split('\n').map((line) => {
    const sign = line.charAt(0)
    return sign === '+' || sign === '-' || sign === '@' ? style(colours[sign], printable(line)) : printable(line)
  })
  return lines.join('\n')
}

/** Between the stop markers (a hash), GitHub does not execute lines that look like workflow commands. */
function folded(path: string, diff: string): string {
  const stop = contentHash(diff)
  return `::group::${printableLine(path)}\n::stop-commands::${stop}\n${diff}::${stop}::\n::endgroup::\n`
}

export interface ShownDrift extends Pick<Drift, 'kind' | 'path' | 'diff'> {
  readonly omitted: number
}

const limits = { ofOne: 200, ofAll: 2000 }

export function cutDiffs(drift: readonly Drift[]): readonly ShownDrift[] {
  let left = limits.ofAll
  return drift.map(({ kind, path, diff }) => {
    const lines = diff.split(/(?<=\n)/)
    const shown = lines.slice(0, Math.min(limits.ofOne, left))
    left -= shown.length
    return { kind, path, diff: shown.join(''), omitted: diff === '' ? 0 : lines.length - shown.length }
  })
}

export function wholeDiffs(drift: readonly Drift[]): readonly ShownDrift[] {
  return drift.map(({ kind, path, diff }) => ({ kind, path, diff, omitted: 0 }))
}
