import { join } from 'node:path'
import process from 'node:process'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { sortDiagnostics } from '../diagnostics/sort-diagnostics.js'
import { relativePath } from '../evaluate/relative-path.js'
import { count } from './count.js'
import { type ExitCode, exitCodeOf } from './exit-code.js'
import { githubAnnotation } from './github-annotation.js'
import { prettyDiagnostic } from './pretty-diagnostic.js'
import { shownPath } from './shown-path.js'
import type { Terminal } from './terminal.js'

/** How findings are shown: for people, as one JSON object, or as annotations of GitHub Actions. */
export type ReporterKind = 'pretty' | 'json' | 'github'

/** What a command has to say. */
export interface Findings {
  readonly command: string
  /** What of the command line shows the notes that are counted, with `--verbose` behind it. Default: the command. */
  readonly again?: string
  /** The folder to which the diagnostics' places are relative: absolute. */
  readonly root: string
  readonly diagnostics: readonly Diagnostic[]
  /** Whether people, and GitHub, see every note or how many there are; JSON has them all. Default: `full`. */
  readonly notes?: 'full' | 'counted'
  /** One or more lines for people. */
  readonly summary?: string
  /** Whether the JSON object stands on one line, as one of several. Default: false. */
  readonly oneLine?: boolean
  /** How many warnings of lint are no finding yet. Default: any number. */
  readonly maxWarnings?: number
  /** Further fields of the JSON object. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Shows what a command found and returns its exit code. Only JSON goes to standard output. */
export function report(kind: ReporterKind, terminal: Terminal, findings: Findings): ExitCode {
  const { command, root, summary, facts } = findings
  const diagnostics = sortDiagnostics(findings.diagnostics)
  const exitCode = exitCodeOf(diagnostics, findings.maxWarnings)
  if (kind === 'json') {
    const indent = findings.oneLine === true ? undefined : 2
    terminal.out(`${JSON.stringify({ command, exitCode, diagnostics, ...facts }, null, indent)}\n`)
    return exitCode
  }
  const show = kind === 'github' ? githubAnnotation : prettyDiagnostic
  // GitHub wants paths from the repository's root, people want them from where they stand.
  const workspace = kind === 'github' ? process.env.GITHUB_WORKSPACE : undefined
  const pathOf = (file: string): string =>
    workspace === undefined ? shownPath(root, file) : relativePath(workspace, join(root, file))
  const counted = findings.notes === 'counted'
  const shown = diagnostics.filter(({ severity }) => !counted || severity !== 'note')
  for (const diagnostic of shown) terminal.note(show(diagnostic, { root, pathOf, style: terminal.noteStyle }))
  const left = diagnostics.length - shown.length
  if (left > 0) {
    terminal.note(
      `${count(left, 'note')} (toolgen ${findings.again ?? command} --verbose shows ${left === 1 ? 'it' : 'them'})\n`,
    )
  }
  if (summary !== undefined) terminal.note(`${summary}\n`)
  return exitCode
}

/** The reporter that a command line asks for, as far as one can tell before it is understood. */
export function reporterAsked(args: readonly string[]): ReporterKind {
  const named = args.flatMap((arg, index) =>
    arg === '--reporter' ? [args[index + 1]] : arg.startsWith('--reporter=') ? [arg.slice(11)] : [],
  )[0]
  if (named === 'json' || named === 'github') return named
  return args.includes('--json') ? 'json' : 'pretty'
}
