import type { Diagnostic } from './diagnostic.js'

/** What people see of an error that should not be possible: one line, never a stack. */
export function internalError(thrown: unknown): Diagnostic {
  const [what = ''] = (thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)).split('\n')
  return {
    code: 'TG9000',
    severity: 'error',
    message: `This is a bug in toolgen: ${what}`,
    next: 'Please report it; TOOLGEN_DEBUG=1 adds the stack.',
  }
}
