import type { Rule } from '../scene/rule.js'
import { ambiguousField } from './ambiguous-field.js'
import { anthropicForm } from './anthropic-form.js'
import { booleanTrap } from './boolean-trap.js'
import { contradictoryAnnotations } from './contradictory-annotations.js'
import { deepPayload } from './deep-payload.js'
import { descriptionRepeatsName } from './description-repeats-name.js'
import { geminiForm } from './gemini-form.js'
import { hiddenCharacters } from './hidden-characters.js'
import { idMissingInResult } from './id-missing-in-result.js'
import { instructionToModel } from './instruction-to-model.js'
import { longDescription } from './long-description.js'
import { mcpForm } from './mcp-form.js'
import { missingDescription } from './missing-description.js'
import { missingExample } from './missing-example.js'
import { openAiStrict } from './openai-strict.js'
import { overlappingDescriptions } from './overlapping-descriptions.js'
import { overlappingNames } from './overlapping-names.js'
import { slowPattern } from './slow-pattern.js'
import { textWithPlaceholder } from './text-with-placeholder.js'
import { tooManyFields } from './too-many-fields.js'
import { tooManyTools } from './too-many-tools.js'
import { unboundedList } from './unbounded-list.js'
import { unclearUnit } from './unclear-unit.js'
import { unconfirmedMutation } from './unconfirmed-mutation.js'
import { undescribedEnum } from './undescribed-enum.js'
import { unfinishedText } from './unfinished-text.js'
import { unplumbedId } from './unplumbed-id.js'
import { untypedField } from './untyped-field.js'

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
