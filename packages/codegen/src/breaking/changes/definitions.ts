import type { Installed } from '../../installed/load-installed.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { type InclusionOptions, inclusionOf } from '../inclusion/inclusion.js'
import { sameSchema } from '../inclusion/same-schema.js'
import { type Defs, sidesOf } from '../inclusion/spot.js'
import { type Shown, witnessesOf } from '../witness/witness.js'
import { type NoteChanges, noteChangesOf } from './note-changes.js'

/** The definitions of a toolset before and now: what is found of them is found once for all of its tools. */
export interface Definitions {
  readonly payload: Comparisons
  /** Of results and updates. */
  readonly result: Comparisons
  readonly notes: NoteChanges
  /** Whether a schema of before and one of now have the same rules. */
  readonly isSame: (was: Schema, is: Schema) => boolean
}

/** How schemas that refer to the definitions are compared. */
export interface Comparisons {
  /** Why values of before, the first schema, are not taken now. */
  readonly narrowed: Comparison
  /** Why values of now, the first schema, were not taken before. */
  readonly widened: Comparison
}

/** Why a schema does not take every value that another one takes, with values that show it. */
export type Comparison = (taken: Schema, taker: Schema) => readonly Shown[]

/** What makes the codecs of payloads and of results: the functions of the installed runtime that generated code uses. */
export interface Codecs {
  readonly payload: Installed
  readonly result: Installed
}

/**
 * Schemas are compared when they are asked for, with the definitions to which they refer.
 *
 * @param codecs judge the values that show differences; absent: there are none
 */
export function definitionsOf(was: Defs, is: Defs, codecs: Codecs | undefined): Definitions {
  const comparisons = (fields: 'known' | 'any', codec: Installed | undefined): Comparisons => ({
    narrowed: comparisonOf({ taken: was, taker: is, fields }, codec),
    widened: comparisonOf({ taken: is, taker: was, fields }, codec),
  })
  const sides = sidesOf(was, is)
  return {
    payload: comparisons('known', codecs?.payload),
    result: comparisons('any', codecs?.result),
    notes: noteChangesOf(was, is),
    isSame: (before, now) => sameSchema(before, now, sides),
  }
}

function comparisonOf(options: InclusionOptions, codec: Installed | undefined): Comparison {
  const inclusion = inclusionOf(options)
  if (codec === undefined) return inclusion
  const witnesses = witnessesOf(options, codec)
  return (taken, taker) => witnesses(taken, taker, inclusion(taken, taker))
}
