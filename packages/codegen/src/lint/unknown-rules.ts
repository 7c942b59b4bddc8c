import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near.js'
import { rules } from './rules/rules.js'

/** Errors for rules that are named and do not exist. */
export function unknownRules(named: {
  /** On the command line. */
  readonly asked: readonly string[]
  /** In the configuration. */
  readonly configured: readonly string[]
  /** The file of the configuration, relative to the root. */
  readonly file: string
}): readonly Diagnostic[] {
  const ids = rules.map(({ id }) => id)
  const isUnknown = (id: string): boolean => !ids.includes(id)
  const fault = (code: string, message: string, id: string): Diagnostic => {
    const near = nearest(id, ids)
    const next = near[0] === undefined ? 'Take one of those in docs/lint.md.' : `Did you mean \`${near[0]}\`?`
    return { code, severity: 'error', message, next, ...(near.length > 0 && { near }) }
  }
  return [
    ...named.asked.filter(isUnknown).map((id) => fault('TG0003', `There is no rule \`${id}\`.`, id)),
    ...named.configured.filter(isUnknown).map((id) => ({
      ...fault('TG1013', `\`lint.rules\` names \`${id}\`, which is no rule.`, id),
      place: { file: named.file, line: 1, column: 1 },
    })),
  ]
}
