import type { JsonValue } from '../../contract/json.js'
import { either, kindInWords, quotedList } from '../issues/words.js'
import { literalChoices } from './literals.js'
import type { Admitted } from './schema-facts.js'

/** What a field must hold, as far as anything short is true. */
export interface ExpectedFacts {
  /** In a few words: `a string`, `one of "a", "b"`. */
  readonly expected?: string
  readonly allowed?: readonly JsonValue[]
  readonly more?: number
}

/** Says what a field must hold that is not there; its `format`, where texts of it have one. */
export function expectedFacts({ literals, kinds }: Admitted, format?: string): ExpectedFacts {
  const choices = literals && literalChoices(literals)
  if (choices !== undefined && choices.all.length > 0) {
    const words = quotedList(choices.all)
    return { expected: choices.all.length === 1 ? words : `one of ${words}`, ...choices.listed() }
  }
  return kinds === undefined || kinds.length === 0
    ? {}
    : { expected: either(kinds.map((kind) => kindInWords(kind, format))) }
}
