import { type Diagnostic, nearest, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { Rule } from './context.js'
import {
  descriptionRepeatsName,
  longDescription,
  missingDescription,
  missingExample,
  overlappingDescriptions,
  overlappingNames,
  textWithPlaceholder,
  undescribedEnum,
  unfinishedText,
} from './rules-descriptions.js'
import { ambiguousField, booleanTrap, unclearUnit } from './rules-names.js'
import {
  deepPayload,
  idMissingInResult,
  tooManyFields,
  tooManyTools,
  unboundedList,
  unplumbedId,
  untypedField,
} from './rules-payloads.js'
import { contradictoryAnnotations, slowPattern, unconfirmedMutation } from './rules-safety.js'
import { hiddenCharacters, instructionToModel } from './rules-texts.js'
import { anthropicForm, geminiForm, mcpForm, openAiStrict } from './rules-vendors.js'

/** Every rule of `toolgen lint`, in the order of their codes, which is that of the docs. */
export const rules: readonly Rule[] = [
  missingDescription,
  descriptionRepeatsName,
  longDescription,
  unfinishedText,
  overlappingDescriptions,
  overlappingNames,
  unplumbedId,
  idMissingInResult,
  unboundedList,
  unconfirmedMutation,
  contradictoryAnnotations,
  tooManyTools,
  tooManyFields,
  deepPayload,
  untypedField,
  ambiguousField,
  booleanTrap,
  undescribedEnum,
  unclearUnit,
  missingExample,
  textWithPlaceholder,
  slowPattern,
  hiddenCharacters,
  instructionToModel,
  openAiStrict,
  anthropicForm,
  geminiForm,
  mcpForm,
]

/** The ids of all rules, in the order of the docs. */
export const ruleIds: readonly string[] = rules.map(({ id }) => id)

/** What a finding about an id that no rule has says beside its message. */
interface NearRules {
  readonly next: string
  /** Nearest first; absent where none is. */
  readonly near?: readonly string[]
  /** All rules, in one line. */
  readonly related: readonly { readonly message: string }[]
}

/**
 * The rules that may have been meant, and all that there are.
 *
 * @param otherwise what to do where none is near
 */
export function nearRules(id: string, otherwise: string): NearRules {
  const near = nearest(id, ruleIds)
  return {
    next: near[0] === undefined ? otherwise : `Did you mean \`${near[0]}\`?`,
    ...(near.length > 0 && { near }),
    related: [{ message: `The rules are ${ruleIds.join(', ')}; \`toolgen explain RULE\` tells more.` }],
  }
}

/** Errors for rules that are named and do not exist. */
export function unknownRules(named: {
  /** On the command line. */
  readonly asked: readonly string[]
  /** In the configuration. */
  readonly configured: readonly string[]
  /** Where the configuration names a rule. */
  readonly locationOf: (id: string) => SourceLocation
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
      location: named.locationOf(id),
    })),
  ]
}
