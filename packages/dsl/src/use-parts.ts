import { isDictionaryOf, isListOf, isName } from './check/checks.js'
import { type FieldCheck, frozenDictionary } from './check/fields.js'
import type { UseValue } from './values.js'

/** The options that every use has, whoever serves it. */
type UseParts = Pick<UseValue, 'as' | 'only' | 'rename'>

/** The checks of {@link UseParts}. */
export const usePartChecks: Readonly<Record<keyof UseParts, FieldCheck>> = {
  as: isName,
  only: isListOf(isName),
  rename: isDictionaryOf(isName),
}

/** Frozen copies of those that are given. */
export function frozenUseParts({ as, only, rename }: UseParts, where: string): UseParts {
  return {
    ...(as !== undefined && { as }),
    ...(only && { only: Object.freeze([...only]) }),
    ...(rename && { rename: frozenDictionary(rename, `${where}: rename`) }),
  }
}
