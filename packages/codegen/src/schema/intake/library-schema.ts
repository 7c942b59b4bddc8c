import type { Schema } from '../json/json-schema.js'

/** Which side of a tool a schema describes: what is sent, or what comes back. */
export type Direction = 'input' | 'output'

/** What a schema library's schema became. */
export interface LibrarySchema {
  readonly schema: Schema
  /** The names of the fields where the schema refines more than JSON Schema says; the root is an empty list. */
  readonly refinements: readonly (readonly string[])[]
}
