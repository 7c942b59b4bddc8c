import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { nearest } from '../diagnostics/near-names.js'
import { byCodePoint } from '../text.js'
import type { Rule } from './context.js'
import { descriptionRules } from './rules-descriptions.js'
import { idRules } from './rules-ids.js'
import { nameRules } from './rules-names.js'
import { payloadRules } from './rules-payloads.js'
import { safetyRules } from './rules-safety.js'
import { textRules } from './rules-texts.js'
import { vendorRules } from './rules-vendors.js'

/** All rules of `toolgen lint`, sorted by code. */
export const rules: readonly Rule[] = [
  ...descriptionRules,
  ...idRules,
  ...nameRules,
  ...payloadRules,
  ...safetyRules,
  ...textRules,
  ...vendorRules,
].sort((a, b) => byCodePoint(a.code, b.code))

export const ruleIds: readonly string[] = rules.map(({ id }) => id)

/**
 * Returns the parts of a diagnostic about an unknown rule.
 *
 * @param otherwise fix if no id is similar
 */
export function unknownRuleHelp(id: string, otherwise: string): Pick<Diagnostic, 'next' | 'near' | 'related'> {
  const near = nearest(id, ruleIds)
  return {
    next: near[0] === undefined ? otherwise : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
    related: [{ message: `The rules are ${ruleIds.join(', ')}; \`toolgen explain RULE\` tells more.` }],
  }
}

/**
 * Returns an error for each unknown rule.
 *
 * @param requested ids on the command line
 * @param configured ids in the configuration
 * @param locationOf returns the location of an id in the configuration
 */
export function unknownRules(
  requested: readonly string[],
  configured: readonly string[],
  locationOf: (id: string) => SourceLocation,
): readonly Diagnostic[] {
  const named = [
    ...requested.map((id) => ({ id, code: 'TG0003', message: `There is no rule \`${id}\`.` })),
    ...configured.map((id) => ({ id, code: 'TG1013', message: `\`lint.rules\` names \`${id}\`, which is no rule.` })),
  ]
  return named
    .filter(({ id }) => !ruleIds.includes(id))
    .map(({ id, ...problem }) => ({
      ...problem,
      severity: 'error',
      ...unknownRuleHelp(id, 'Take one of the rules that there are.'),
      ...(problem.code === 'TG1013' && { location: locationOf(id) }),
    }))
}
