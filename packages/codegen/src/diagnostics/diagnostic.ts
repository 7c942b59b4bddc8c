import { byCodePoint } from '../text.js'

/** A location in a file of the user, 1-based, as editors count. */
export interface SourceLocation {
  /** Path relative to the project's root, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Number of characters on the line. Default: 1. */
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
  /** Further information or locations, one line each. */
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

/** Returns a warning without a location. */
export function warning(code: string, message: string, next: string): Diagnostic {
  return { code, severity: 'warning', message, next }
}

/** Returns a note without a location. */
export function note(code: string, message: string, next: string): Diagnostic {
  return { ...warning(code, message, next), severity: 'note' }
}

/** Returns the beginning of a file. */
export function startOf(file: string): SourceLocation {
  return { file, line: 1, column: 1 }
}

/** A value with its diagnostics. `value` is absent if an error makes it meaningless. */
export interface Checked<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 }

/** Diagnostics in the order in which people read them: by severity, then by location, then by code; each once. */
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

/** Returns `true` for an internal error, which may not recur for the same input. */
export function isInternalError({ code }: Diagnostic): boolean {
  return code === 'TG4303' || code === 'TG9000'
}
