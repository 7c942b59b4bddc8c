import { check } from '../../check.js'
import { type Checked, type Diagnostic, errorCount } from '../../diagnostics/diagnostic.js'
import type { LiveSelection, LiveToolset } from '../../imports/check-live.js'
import type { Drift } from '../../output/drift.js'
import { contentHash } from '../../output/files.js'
import { lockPath } from '../../output/lock.js'
import { printable, printableLine, shellWord } from '../../text.js'
import { type CommandContext, type CommonOptions, projectOptions, reporterOf, wrongUsage } from '../context.js'
import { count, type ExitCode, shownPath } from '../format.js'
import { grouped } from '../report.js'
import { reporter } from '../run-command.js'
import type { Style, Terminal } from '../terminal.js'

/**
 * Fails if the generated code on disk is out of date, and shows the difference on standard output; fails too if the selected
 * MCP servers list other tools than were imported.
 */
export async function runCheck(options: CommonOptions & LiveOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context
  const kind = reporterOf(options)
  const report = reporter('check', options, context)
  const { value: live, diagnostics: wrong } = liveChoice(options)
  if (wrong.length > 0) return report(wrong)
  const { root, diagnostics, drift, inSync, output, ...found } = await check({
    ...projectOptions(options, context),
    ...(live !== undefined && { live }),
  })
  const shown = options.verbose === true ? wholeDiffs : cutDiffs
  const exitCode = report(kind === 'pretty' ? grouped(diagnostics) : diagnostics, {
    root,
    facts: {
      drift: [
        ...shown(drift),
        // What changed of them is under `live`.
        ...found.live
          .filter(({ state }) => state === 'drifted')
          .map(({ snapshot }) => ({ kind: 'server', path: snapshot, diff: '', omitted: 0 })),
      ],
      ...(live !== undefined && { live: found.live }),
    },
  })
  if (kind === 'json') return exitCode
  const { telling, leftOut } = worthShowing(drift)
  printDiffs(shown(telling), kind, terminal)
  if (leftOut !== undefined) terminal.note(`${shownPath(root, leftOut.path)} differs as well; its diff is left out.\n`)
  const style = terminal.noteStyle
  if (inSync) terminal.note(`${style('green', 'in sync')}: ${shownPath(root, output)} is what the design gives\n`)
  else terminal.note(`${style('red', failureOf(diagnostics, drift))}\n`)
  if (live !== undefined) terminal.note(`${liveSummary(found.live, style)}\n`)
  return exitCode
}

/** Returns the lock differs whenever another file does, and its lines tell people nothing more. */
function worthShowing(drift: readonly Drift[]): { readonly telling: readonly Drift[]; readonly leftOut?: Drift } {
  const others = drift.filter(({ path }) => !path.endsWith(`/${lockPath}`))
  const lock = drift.find((file) => !others.includes(file))
  return others.length === 0 || lock === undefined ? { telling: drift } : { telling: others, leftOut: lock }
}

const liveWords = { same: 'as imported', drifted: 'changed', unreachable: 'silent', skipped: 'not asked' } as const

/** Returns the states of the servers. */
function liveSummary(live: readonly LiveToolset[], style: Style): string {
  const states = (['same', 'drifted', 'unreachable', 'skipped'] as const).flatMap((state) => {
    const names = live.filter((each) => each.state === state).map(({ toolset }) => printable(toolset))
    return names.length === 0 ? [] : [`${names.join(', ')} ${liveWords[state]}`]
  })
  const fails = live.some(({ state }) => state === 'drifted' || state === 'unreachable')
  return `${style(fails ? 'red' : 'green', 'live')}: ${states.join('; ') || 'no server was asked'}`
}

function failureOf(diagnostics: readonly Diagnostic[], drift: readonly Drift[]): string {
  if (drift.length > 0) return drift.length === 1 ? '1 file differs' : `${drift.length} files differ`
  return `${count(errorCount(diagnostics), 'error')}; the generated files were not compared`
}

/** Options that select the servers for `toolgen check`. */
export interface LiveOptions {
  /** All servers, or that of one toolset. */
  readonly live?: true | string
  /** The address of the server of the one toolset. */
  readonly url?: string
  /** The words that start it; empty where there is none to start. */
  readonly server: readonly string[]
}

/** Returns the selected servers; neither value nor diagnostics: none. */
export function liveChoice({ live, url, server }: LiveOptions): Checked<LiveSelection> {
  if (url !== undefined && server.length > 0) {
    return { diagnostics: [misunderstood('The server can be in one place alone.')] }
  }
  const origin = url !== undefined ? { url } : server.length > 0 ? { command: server } : undefined
  if (typeof live === 'string') {
    return { value: { toolset: live, ...(origin !== undefined && { origin }) }, diagnostics: [] }
  }
  const [word, ...more] = server
  if (word !== undefined && more.length === 0) return { diagnostics: [toolsetAlone(word)] }
  if (origin !== undefined)
    return { diagnostics: [misunderstood('A server is given, but not the toolset that it serves.')] }
  return live === true ? { value: 'all', diagnostics: [] } : { diagnostics: [] }
}

/** One word is more likely a toolset, named without the option, than what starts a server. */
function toolsetAlone(word: string): Diagnostic {
  const command = `toolgen check --live ${shellWord(word)}`
  const message = `\`${word}\` does not follow --live, which names the toolset whose server is asked.`
  return wrongUsage(message, `Did you mean \`${command}\`?`, [command])
}

function misunderstood(message: string): Diagnostic {
  const next = 'Name the toolset and one server: `toolgen check --live files -- COMMAND` or `--live files --url URL`.'
  return wrongUsage(message, next)
}

/** Prints diffs to standard output, and to standard error how much of them is left out. */
export function printDiffs(drift: readonly ShownDrift[], reporter: 'pretty' | 'github', terminal: Terminal): void {
  for (const { path, diff, omitted } of drift) {
    if (diff === '') continue
    if (reporter === 'github') terminal.out(folded(path, diff))
    else terminal.out(terminal.outIsTerminal ? forTerminal(diff, terminal.outStyle) : diff)
    if (omitted > 0) terminal.note(`${printableLine(path)}: ${count(omitted, 'more line')}\n`)
  }
  const cut = drift.filter(({ omitted }) => omitted > 0)
  if (cut.length === 0) return
  const lines = cut.reduce((all, { omitted }) => all + omitted, 0)
  const files = `${count(lines, 'line')} of the differences in ${count(cut.length, 'file')}`
  terminal.note(
    `${files} ${lines === 1 ? 'is' : 'are'} left out (toolgen check --verbose shows ${lines === 1 ? 'it' : 'them'})\n`,
  )
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

/** A diff that the log of GitHub Actions folds; no line of it is taken for a command, which nobody can know the end of. */
function folded(path: string, diff: string): string {
  const stop = contentHash(diff)
  return `::group::${printableLine(path)}\n::stop-commands::${stop}\n${diff}::${stop}::\n::endgroup::\n`
}

/** A file that differs, with as much of its diff as is shown. */
export interface ShownDrift extends Pick<Drift, 'kind' | 'path' | 'diff'> {
  /** Number of lines of the diff that are left out at its end. */
  readonly omitted: number
}

/** Maximum number of lines of one diff, and of all together. */
const limits = { ofOne: 200, ofAll: 2000 }

/** Returns the diffs, cut where they are longer than people read. */
export function cutDiffs(drift: readonly Drift[]): readonly ShownDrift[] {
  let left = limits.ofAll
  return drift.map(({ kind, path, diff }) => {
    const lines = diff.split(/(?<=\n)/)
    const shown = lines.slice(0, Math.min(limits.ofOne, left))
    left -= shown.length
    return { kind, path, diff: shown.join(''), omitted: diff === '' ? 0 : lines.length - shown.length }
  })
}

/** Returns the diffs as they are. */
export function wholeDiffs(drift: readonly Drift[]): readonly ShownDrift[] {
  return drift.map(({ kind, path, diff }) => ({ kind, path, diff, omitted: 0 }))
}
