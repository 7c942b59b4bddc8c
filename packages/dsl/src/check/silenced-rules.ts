import { isDictionaryOf, isText } from './checks.js'
import { fault } from './fault.js'
import type { FieldCheck } from './fields.js'

const isReason: FieldCheck = (value, where) => {
  isText(value, where)
  if (String(value).trim() === '') throw fault(where, 'is empty', 'Say why the rule does not count here')
}

/** Rules of `toolgen lint` that do not count for a definition, each with the reason. Which rules there are, lint knows. */
export const isSilencedRules: FieldCheck = isDictionaryOf(isReason)
