import type { Installed } from '../../installed/load-installed.js'
import type { Schema } from '../../schema/json/json-schema.js'
import { sameSchema } from '../inclusion/same-schema.js'
import { type Defs, sidesOf } from '../inclusion/spot.js'
import { type Comparisons, comparisonsOf } from './comparison.js'
import { type DefinitionPlace, definitionAt } from './definition-at.js'
import { type NoteChanges, noteChangesOf } from './note-changes.js'

/** The definitions of a toolset before and now: what is found of them is found once for all of its tools. */
export interface Definitions {
  readonly payload: Comparisons
  /** Of results and updates. */
  readonly result: Comparisons
  readonly notes: NoteChanges
  /** The definition to which a pointer leads in schemas of before and of now; `undefined` where it leads to none, or to two. */
  readonly at: (was: Schema, is: Schema, pointer: string) => DefinitionPlace | undefined
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
    at: (before, now, pointer) => {
      const [from, to] = [definitionAt(before, pointer, was), definitionAt(now, pointer, is)]
      return from?.name === to?.name && from?.pointer === to?.pointer ? from : undefined
    },
    isSame: (before, now) => sameSchema(before, now, sides),
  }
}
