import { byCodePoint } from '../text.js'

/** A location in a file of the user, 1-based, as editors count. */
export interface SourceLocation {
  /** Path relative to the project's root, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Number of characters the place spans on its line; absent: one. */
  readonly length?: number
}

/** Severity of a diagnostic: an error stops the generation. */
export type Severity = 'error' | 'warning' | 'note'

/** A message about the user's design, configuration or files. */
export interface Diagnostic {
  /** A code of the catalogue, e.g. `TG2001`. */
  readonly code: string
  readonly severity: Severity
  /** The problem, in one sentence. */
  readonly message: string
  readonly location?: SourceLocation
  /** The next step, in one sentence. */
  readonly next: string
  /** Names that may have been meant, nearest first. */
  readonly near?: readonly string[]
  /** Further facts or places, one line each. */
  readonly related?: readonly { readonly message: string; readonly location?: SourceLocation }[]
}

/** Returns an error, at a location if there is one. */
export function errorAt(
  location: SourceLocation | undefined,
  code: string,
  message: string,
  next: string,
  more: Pick<Diagnostic, 'near' | 'related'> = {},
): Diagnostic {
  return { code, severity: 'error', message, ...(location !== undefined && { location }), next, ...more }
}

/** Returns an error about a name that is none of the known ones, with the nearest of those as the next step. */
export function unknownNameAt(
  location: SourceLocation | undefined,
  code: string,
  message: string,
  name: string,
  known: readonly string[],
  otherwise: string,
): Diagnostic {
  const near = nearest(name, known)
  const next = near[0] === undefined ? otherwise : `Did you mean \`${near[0]}\`?`
  return errorAt(location, code, message, next, near.length === 0 ? {} : { near })
}

/** Returns the beginning of a file. */
export function startOf(file: string): SourceLocation {
  return { file, line: 1, column: 1 }
}

/** A value together with what was found on the way. `value` is absent when an error makes it meaningless. */
export interface Checked<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}

/** Names longer than this are compared by their beginnings alone. */
const longestCompared = 64

/**
 * Returns the names that may have been meant, nearest first, three at most: names that differ in case or separators alone, and
 * names within an edit distance of a third of the length.
 */
export function nearest(name: string, candidates: Iterable<string>): readonly string[] {
  const wanted = plain(name)
  const limit = Math.max(1, Math.floor(wanted.length / 3))
  return [...new Set(candidates)]
    .map((candidate) => ({ candidate, distance: distanceOf(wanted, plain(candidate)) }))
    .filter(({ candidate, distance }) => distance <= limit && candidate !== name)
    .sort((a, b) => a.distance - b.distance || byCodePoint(a.candidate, b.candidate))
    .slice(0, 3)
    .map(({ candidate }) => candidate)
}

function plain(name: string): string {
  return name
    .toLowerCase()
    .replace(/[-_. ]/g, '')
    .slice(0, longestCompared)
}

/** Returns the number of insertions, removals, replacements or swaps of neighbours lead from one text to the other. */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      let best = Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1)
      row.push(best)
    }
    before = last
    last = row
  }
  return last[b.length] ?? 0
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 }

/** Diagnostics in the order in which people read them: by severity, then by place, then by code; each once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const distinct = new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic]))
  return [...distinct.values()].sort(
    (a, b) =>
      ranks[a.severity] - ranks[b.severity] ||
      byCodePoint(a.location?.file ?? '', b.location?.file ?? '') ||
      (a.location?.line ?? 0) - (b.location?.line ?? 0) ||
      (a.location?.column ?? 0) - (b.location?.column ?? 0) ||
      byCodePoint(a.code, b.code) ||
      byCodePoint(a.message, b.message),
  )
}

/** Returns the number of errors that people read: one that two definitions share is shown once. */
export function errorCount(diagnostics: readonly Diagnostic[]): number {
  return sortDiagnostics(diagnostics).filter(({ severity }) => severity === 'error').length
}

/** Returns the first line of an internal error, without its stack. */
export function internalErrorText(thrown: unknown): string {
  const [what = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n')
  return what
}

/** Returns the diagnostic of an error that should not be possible: one line, never a stack. */
export function internalError(thrown: unknown): Diagnostic {
  return {
    code: 'TG9000',
    severity: 'error',
    message: `This is a bug in toolgen: ${internalErrorText(thrown)}`,
    next: 'Please report it; TOOLGEN_DEBUG=1 adds the stack.',
  }
}

/** True for a diagnostic of an internal error, which need not come again on the same input. */
export function isInternalError({ code }: Diagnostic): boolean {
  return code === 'TG4303' || code === 'TG9000'
}

/** The long form of a diagnostic, printed by `toolgen explain` and listed in the docs. */
export interface CatalogueEntry {
  /** A short heading. */
  readonly title: string
  /** The cause, in a few sentences. */
  readonly cause: string
  /** The fix, in a few sentences; code is indented by four spaces. */
  readonly fix: string
}

/** The entries of one subsystem, by code. */
export type Catalogue = Readonly<Record<`TG${number}`, CatalogueEntry>>
