import type { Diagnostic, Severity } from '../diagnostics/diagnostic.js'
import type { ContractChange } from './changes/change.js'
import type { Impact } from './rules/rule.js'
import { ruleOf } from './rules/rules.js'

const codes: Readonly<Record<Impact, { readonly code: string; readonly severity: Severity }>> = {
  breaking: { code: 'TG8101', severity: 'error' },
  visible: { code: 'TG8102', severity: 'warning' },
  safe: { code: 'TG8103', severity: 'note' },
}

/** A change as a finding. */
export function changeDiagnostic({ rule, severity, message, place }: ContractChange): Diagnostic {
  return {
    ...codes[severity],
    message: `${message} (${rule})`,
    next: ruleOf(rule).next,
    ...(place !== undefined && { place }),
  }
}
