import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'

/** A value of the design that JSON cannot carry. */
export function notJson(field: string, message: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2005',
    severity: 'error',
    message: `\`${field}\` must be plain JSON: ${message}.`,
    place,
    next: 'Give values that JSON can carry.',
  }
}
