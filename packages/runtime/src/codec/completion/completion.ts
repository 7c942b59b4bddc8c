import type { SchemaDocument } from '../evaluate/prepare.js'
import { CompletionBuilder } from './completion-builder.js'
import { NotStatic } from './not-static.js'
import { typeNamed } from './type-named.js'

/** Makes the decoded value of a valid one; a new value where it has objects. */
export type Complete = (value: unknown) => unknown

/** What remains to be done with a value that a compiled check accepted. */
export interface Completion {
  /** Whether values that are valid as they stand change: defaults are filled in, wire forms become what they stand for. */
  readonly changesValid: boolean
  /** Leaves out what is undeclared and fills in defaults; `undefined` where the schema does not tell without a trace. */
  readonly complete: Complete | undefined
}

/** Prepares the completion of a document's values. */
export function prepareCompletion(document: SchemaDocument, keepsUnknown: boolean): Completion {
  const changesValid = document.index.schemas.some(
    (located) => document.facts.fallback(located) !== undefined || typeNamed(located) !== undefined,
  )
  try {
    const complete = new CompletionBuilder(document, keepsUnknown).of(document.index.root)
    return { changesValid, complete: complete ?? ((value) => value) }
  } catch (error) {
    if (!(error instanceof NotStatic)) throw error
    return { changesValid, complete: undefined }
  }
}
