import type { Installed } from '../../installed/load-installed.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { sameSchema } from '../inclusion/same-schema.js'
import { type Defs, sidesOf } from '../inclusion/spot.js'
import { type Comparisons, comparisonsOf } from './comparison.js'
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
  const sides = sidesOf(was, is)
  return {
    payload: comparisonsOf(was, is, 'known', codecs?.payload),
    result: comparisonsOf(was, is, 'any', codecs?.result),
    notes: noteChangesOf(was, is),
    isSame: (before, now) => sameSchema(before, now, sides),
  }
}
