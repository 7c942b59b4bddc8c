import { either, kindInWords, quotedList } from '../issues/words.js'
import type { Admitted } from './schema-facts.js'

/** What a field must hold, in a few words: `a string`, `one of "a", "b"`; `undefined` where nothing short is true. */
export function expectedWords({ literals, kinds }: Admitted): string | undefined {
  if (literals !== undefined) return literals.length === 1 ? quotedList(literals) : `one of ${quotedList(literals)}`
  return kinds === undefined || kinds.length === 0 ? undefined : either(kinds.map(kindInWords))
}
