/** JSON as the IR carries it. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** A JSON Schema (2020-12), normalised: see `canonical/normalise.ts`. */
export type Schema = boolean | SchemaObject

/** The object form of a {@link Schema}. */
export interface SchemaObject {
  readonly [keyword: string]: Json
}
