import type { SchemaObject } from '../../schema/json/json-schema.js'
import { pointerStep } from '../../schema/json/pointer.js'
import type { KnownFields } from './known-fields.js'
import type { PossibleFields } from './object-fields.js'
import type { Prover } from './prover.js'
import type { Taken } from './taken.js'

/** Objects that are taken, and the schemas that are to take them. */
export interface ComparedObjects {
  readonly possible: PossibleFields
  readonly required: ReadonlySet<string>
  readonly taken: Taken
  readonly taker: readonly SchemaObject[]
  /** The schemas that apply to some values, which may declare which fields there are. */
  readonly closers: readonly SchemaObject[]
  readonly knows: KnownFields
  readonly prover: Prover
}

/** Where a field is, seen from its object. */
export function pointerAt(name: string): string {
  return `/properties${pointerStep(name)}`
}
