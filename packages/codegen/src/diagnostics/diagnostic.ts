import { byCodePoint } from '../text.js'

/** A location in a file of the user; lines and columns begin with 1. */
export interface SourceLocation {
  /** Path relative to the project's root, with `/`. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Number of characters from `column` to mark. Default: 1. */
  readonly length?: number
}

/** Severity of a diagnostic. An `error` stops the generation; a `warning` or `note` does not. */
export type Severity = 'error' | 'warning' | 'note'

/** A message about the user's design, configuration or files. */
export interface Diagnostic {
  /** Code of the diagnostic, e.g. `TG2001`. */
  readonly code: string
  readonly severity: Severity
  /** Sentence that says what is wrong, with names and values. */
  readonly message: string
  readonly location?: SourceLocation
  /** Sentence that says what to change. */
  readonly next: string
  /** Similar names as suggestions, nearest first. Absent without suggestions. */
  readonly near?: readonly string[]
  /**
   * Property of the registration options in which the application must pass a mapper (a function that converts values), such as
   * `mappers.getOrder.result`. Absent if the diagnostic is not about a mapper.
   */
  readonly mapper?: string
  /** Further messages about the same problem, each with its location if there is one. */
  readonly related?: readonly { readonly message: string; readonly location?: SourceLocation }[]
}

export function errorAt(
  location: SourceLocation | undefined,
  code: string,
  message: string,
  next: string,
  more: Pick<Diagnostic, 'near' | 'related'> = {},
): Diagnostic {
  return { code, severity: 'error', message, ...(location !== undefined && { location }), next, ...more }
}

/** Creates a warning without a location. */
export function warning(code: string, message: string, next: string): Diagnostic {
  return { code, severity: 'warning', message, next }
}

/** Creates a note without a location. */
export function note(code: string, message: string, next: string): Diagnostic {
  return { ...warning(code, message, next), severity: 'note' }
}

/** Returns the location of the beginning of a file. */
export function startOf(file: string): SourceLocation {
  return { file, line: 1, column: 1 }
}

/** A value with its diagnostics. `value` is absent after an error without a usable result. */
export interface Checked<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 }

/** Sorts diagnostics by severity, location and code, without duplicates. */
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

/** Returns the number of errors without duplicates. */
export function errorCount(diagnostics: readonly Diagnostic[]): number {
  return sortDiagnostics(diagnostics).filter(({ severity }) => severity === 'error').length
}

export function internalErrorText(thrown: unknown): string {
  const [what = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n')
  return what
}

/** Creates the diagnostic of a bug in toolgen, on one line without a stack. */
export function internalError(thrown: unknown): Diagnostic {
  return {
    code: 'TG9000',
    severity: 'error',
    message: `This is a bug in toolgen: ${internalErrorText(thrown)}`,
    next: 'Report the bug with its stack trace, which TOOLGEN_DEBUG=1 prints.',
  }
}

/** Checks whether a diagnostic is an internal error. Such an error may not recur for the same input. */
export function isInternalError({ code }: Diagnostic): boolean {
  return code === 'TG4303' || code === 'TG9000'
}
