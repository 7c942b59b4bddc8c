import { byCodePoint } from '../text/by-code-point.js'
import type { Diagnostic, Severity } from './diagnostic.js'

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 }

/** Diagnostics in the order in which people read them: by severity, then by place, then by code; each once. */
export function sortDiagnostics(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  const distinct = new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic]))
  return [...distinct.values()].sort(
    (a, b) =>
      ranks[a.severity] - ranks[b.severity] ||
      byCodePoint(a.place?.file ?? '', b.place?.file ?? '') ||
      (a.place?.line ?? 0) - (b.place?.line ?? 0) ||
      (a.place?.column ?? 0) - (b.place?.column ?? 0) ||
      byCodePoint(a.code, b.code) ||
      byCodePoint(a.message, b.message),
  )
}

/** The number of errors that people read: one that two definitions share is shown once. */
export function errorCount(diagnostics: readonly Diagnostic[]): number {
  return sortDiagnostics(diagnostics).filter(({ severity }) => severity === 'error').length
}
