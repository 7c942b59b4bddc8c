import type { Schema } from '../../schema/json/json-schema.js'
import { type Inclusion, inclusionOf } from '../inclusion/inclusion.js'
import { sameSchema } from '../inclusion/same-schema.js'
import { type Defs, sidesOf } from '../inclusion/spot.js'
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
  readonly narrowed: Inclusion
  /** Why values of now, the first schema, were not taken before. */
  readonly widened: Inclusion
}

/** Schemas are compared when they are asked for, with the definitions to which they refer. */
export function definitionsOf(was: Defs, is: Defs): Definitions {
  const comparisons = (fields: 'known' | 'any'): Comparisons => ({
    narrowed: inclusionOf({ taken: was, taker: is, fields }),
    widened: inclusionOf({ taken: is, taker: was, fields }),
  })
  const sides = sidesOf(was, is)
  return {
    payload: comparisons('known'),
    result: comparisons('any'),
    notes: noteChangesOf(was, is),
    isSame: (before, now) => sameSchema(before, now, sides),
  }
}
