import { byCodePoint } from '../text.js'

/** A location in a file of the user. Lines and columns begin with 1. */
export interface SourceLocation {
  /** Path relative to the project folder, with `/` as separator. */
  readonly file: string
  readonly line: number
  readonly column: number
  /** Number of marked characters, beginning at `column`. Default: 1. */
  readonly length?: number
}

/** Severity of a diagnostic. An `error` stops the generation of code. A `warning` or `note` does not stop the generation. */
export type Severity = 'error' | 'warning' | 'note'

/** A message about the user's design, configuration or files, with a fix. */
export interface Diagnostic {
  /** Code of the diagnostic, for example `TG2001`. */
  readonly code: string
  readonly severity: Severity
  /** Description of the problem, with names and values. */
  readonly message: string
  readonly location?: SourceLocation
  /** Instruction for fixing the problem. */
  readonly next: string
  /** Suggestions of similar names, with the nearest name first. Omitted if no name is similar. */
  readonly near?: readonly string[]
  /**
   * Path of the registration option that sets the missing mapper, such as `toolsets.orders.mappers.getOrder.result`. A mapper is a function of the
   * application that converts values. Absent if the problem is not a missing mapper.
   */
  readonly mapper?: string
  /** Additional messages about the problem, with their locations. */
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

export function warning(code: string, message: string, next: string): Diagnostic {
  return { code, severity: 'warning', message, next }
}

export function note(code: string, message: string, next: string): Diagnostic {
  return { ...warning(code, message, next), severity: 'note' }
}

export function startOf(file: string): SourceLocation {
  return { file, line: 1, column: 1 }
}

/** `value` is absent if an error prevented a result. */
export interface Checked<T> {
  readonly value?: T
  readonly diagnostics: readonly Diagnostic[]
}

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 }

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

export function errorCount(diagnostics: readonly Diagnostic[]): number {
  return sortDiagnostics(diagnostics).filter(({ severity }) => severity === 'error').length
}

export function internalErrorText(thrown: unknown): string {
  const [what = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n')
  return what
}

export function internalError(thrown: unknown): Diagnostic {
  return {
    code: 'TG9000',
    severity: 'error',
    message: `This is a bug in toolgen: ${internalErrorText(thrown)}`,
    next: 'Report the bug with its stack trace, which TOOLGEN_DEBUG=1 prints.',
  }
}

/** A run with a bug of toolgen is not cached, because the next run can succeed. */
export function isInternalError({ code }: Diagnostic): boolean {
  return code === 'TG4303' || code === 'TG9000'
}
