import type { Diagnostic, SourcePlace } from '../diagnostics/diagnostic.js'
import { nearRules, ruleIds } from './rule-ids.js'

/** Errors for rules that are named and do not exist. */
export function unknownRules(named: {
  /** On the command line. */
  readonly asked: readonly string[]
  /** In the configuration. */
  readonly configured: readonly string[]
  /** Where the configuration names a rule. */
  readonly placeOf: (id: string) => SourcePlace
}): readonly Diagnostic[] {
  const isUnknown = (id: string): boolean => !ruleIds.includes(id)
  const fault = (code: string, message: string, id: string): Diagnostic => ({
    code,
    severity: 'error',
    message,
    ...nearRules(id, 'Take one of the rules that there are.'),
  })
  return [
    ...named.asked.filter(isUnknown).map((id) => fault('TG0003', `There is no rule \`${id}\`.`, id)),
    ...named.configured.filter(isUnknown).map((id) => ({
      ...fault('TG1013', `\`lint.rules\` names \`${id}\`, which is no rule.`, id),
      place: named.placeOf(id),
    })),
  ]
}
