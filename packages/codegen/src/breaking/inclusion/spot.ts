import type { Schema } from '../../schema/json/json-schema.js'

/** The definitions to which the schemas of one side refer. */
export type Defs = Readonly<Record<string, Schema>>

/** Two sides with the definitions of each: the schemas whose values are taken, and those that are to take them. */
export interface Sides {
  readonly taken: Defs
  readonly taker: Defs
  /** Of which pairs of definitions it is known whether they have the same rules. */
  readonly same: Map<string, boolean>
}

/**
 * What is said of one part of a value. A codec that refuses unknown fields takes those that any schema declares that
 * applies, and so it counts which others may apply.
 */
export interface Spot {
  /** The schemas that apply, all of them. */
  readonly all: readonly Schema[]
  /** Schemas that apply to some values besides: those of conditions and the like. */
  readonly maybe: readonly Schema[]
  /** Schemas that some values fit as well, where one of several suffices: other variants of a union. */
  readonly instead: readonly Schema[]
}

/** The spot of which one schema says everything. */
export function spotOf(schema: Schema): Spot {
  return { all: [schema], maybe: [], instead: [] }
}

/** Two sides of which nothing is known yet. */
export function sidesOf(taken: Defs, taker: Defs): Sides {
  return { taken, taker, same: new Map() }
}
