import { check } from '../check.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { errorCount } from '../diagnostics/sort-diagnostics.js'
import type { LiveToolset } from '../live/check-live.js'
import { printable } from '../text/printable.js'
import type { Drift } from '../write/drift.js'
import { lockPath } from '../write/lock-text.js'
import type { CommandContext } from './command-context.js'
import { type CommonOptions, reporterOf } from './common-options.js'
import { count } from './count.js'
import { cutDiffs, wholeDiffs } from './cut-diffs.js'
import type { ExitCode } from './exit-code.js'
import { grouped } from './finding-groups.js'
import { type LiveOptions, liveChoice } from './live-choice.js'
import { printDiffs } from './print-diffs.js'
import { projectChoice } from './project-choice.js'
import { report } from './report.js'
import { shownPath } from './shown-path.js'
import type { Style } from './terminal.js'

/**
 * Fails when the generated code on disk is not what the design gives, and shows the difference on standard output; fails too
 * when MCP servers that are to be asked list other tools than were imported.
 */
export async function runCheck(options: CommonOptions & LiveOptions, context: CommandContext): Promise<ExitCode> {
  const { terminal } = context
  const kind = reporterOf(options)
  const asked = liveChoice(options)
  if (asked.diagnostics.length > 0) {
    return report(kind, terminal, { command: 'check', root: context.cwd, diagnostics: asked.diagnostics })
  }
  const live = asked.value
  const { root, diagnostics, drift, inSync, output, ...found } = await check({
    ...projectChoice(options, context),
    ...(live !== undefined && { live }),
  })
  const shown = options.verbose === true ? wholeDiffs : cutDiffs
  const exitCode = report(kind, terminal, {
    command: 'check',
    root,
    diagnostics: kind === 'pretty' ? grouped(diagnostics) : diagnostics,
    notes: options.verbose === true ? 'full' : 'counted',
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

/** The lock differs whenever another file does, and its lines tell people nothing more. */
function worthShowing(drift: readonly Drift[]): { readonly telling: readonly Drift[]; readonly leftOut?: Drift } {
  const others = drift.filter(({ path }) => !path.endsWith(`/${lockPath}`))
  const lock = drift.find((file) => !others.includes(file))
  return others.length === 0 || lock === undefined ? { telling: drift } : { telling: others, leftOut: lock }
}

const liveWords = { same: 'as imported', drifted: 'changed', silent: 'silent', unasked: 'not asked' } as const

/** How the servers stand to what was imported. */
function liveSummary(live: readonly LiveToolset[], style: Style): string {
  const states = (['same', 'drifted', 'silent', 'unasked'] as const).flatMap((state) => {
    const names = live.filter((each) => each.state === state).map(({ toolset }) => printable(toolset))
    return names.length === 0 ? [] : [`${names.join(', ')} ${liveWords[state]}`]
  })
  const fails = live.some(({ state }) => state === 'drifted' || state === 'silent')
  return `${style(fails ? 'red' : 'green', 'live')}: ${states.join('; ') || 'no server was asked'}`
}

function failureOf(diagnostics: readonly Diagnostic[], drift: readonly Drift[]): string {
  if (drift.length > 0) return drift.length === 1 ? '1 file differs' : `${drift.length} files differ`
  return `${count(errorCount(diagnostics), 'error')}; the generated files were not compared`
}
