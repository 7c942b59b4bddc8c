import type { Fields } from '../json/kind.js'
import type { Gate } from './gates.js'
import type { Run } from './run.js'
import type { ArrayTrace, ObjectTrace, Trace } from './trace.js'

/**
 * Says whether a value satisfies a schema. Reports issues to the run (all of them; the first suffices where the run is
 * quiet) and writes to the trace, where one is wanted, which parts it evaluated. After `false` the trace of a quiet run
 * means nothing.
 */
export type Check = (value: unknown, run: Run, trace: Trace | undefined) => boolean

/** A check of what is in a text. */
export type StringCheck = (value: string, run: Run) => boolean
/** A check of a number. */
export type NumberCheck = (value: number, run: Run) => boolean
/** A check of an array's items. */
export type ArrayCheck = (value: readonly unknown[], run: Run, trace: ArrayTrace | undefined) => boolean
/** A check of an object's fields. */
export type ObjectCheck = (value: Fields, run: Run, trace: ObjectTrace | undefined) => boolean

/** A schema, prepared once. References lead back to nodes, so that nodes form a graph. */
export interface Node {
  /** Where the schema stands. */
  readonly pointer: string
  readonly check: Check
  /** Whether it, or a schema that applies with it, may name a JavaScript type (`x-js`) for the value. */
  readonly typed: boolean
  /** A generated check: what it accepts need not be looked into for faults. */
  readonly gate: Gate | undefined
  /** Whether several schemas may apply to the value. */
  readonly isJoint: boolean
  /** Whether it applies further schemas to the value, or to parts that it does not name. */
  readonly joins: boolean
  /** What the author says about the value, also by way of a reference. */
  readonly description: string | undefined
}
