import type { Diagnostic } from './diagnostic.js'

/** Returns the first line of an internal error, without its stack. */
export function internalErrorText(thrown: unknown): string {
  const [what = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n')
  return what
}

/** What people see of an error that should not be possible: one line, never a stack. */
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
