import { own, stringsOf } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import type { ComparedObjects } from './compared-objects.js'
import { everythingIn } from './declared-fields.js'
import { knownBy } from './known-fields.js'
import { missingFields } from './missing-fields.js'
import { brokenObjectRules } from './object-rules.js'
import type { Prover } from './prover.js'
import type { Refusal } from './refusal.js'
import { refusedFields, refusedOthers } from './refused-fields.js'
import type { Taken } from './taken.js'
import { largest, refusedLengths, smallest } from './texts.js'

/** The schemas that are to take objects. */
export interface TakerObjects {
  readonly plain: readonly SchemaObject[]
  /** All schemas that apply for certain, where it counts which fields they declare. */
  readonly applying: readonly SchemaObject[] | undefined
  readonly maybe: readonly Schema[]
}

/** Objects that are taken and refused: by their fields, and by rules for all of their fields. */
export function refusedObjects(taken: Taken, taker: TakerObjects, prover: Prover): readonly Refusal[] {
  const possible = prover.fieldsOf(taken)
  const required = new Set(taken.plain.flatMap((schema) => stringsOf(schema, 'required')))
  if ([...required].some((name) => possible.at(name) === undefined)) return []
  const closers = everythingIn(taker.maybe, prover.sides.taker)
  const objects: ComparedObjects = {
    possible,
    required,
    taken,
    taker: prover.fields === 'known' ? taker.plain : taker.plain.map(withoutEnd),
    closers,
    knows: knownBy(taker.applying, closers, prover),
    prover,
  }
  return [
    ...missingFields(objects),
    ...refusedLengths(
      {
        least: Math.max(required.size, largest(taken.plain, 'minProperties')),
        most: Math.min(possible.most, smallest(taken.plain, 'maxProperties')),
      },
      { least: largest(taker.plain, 'minProperties'), most: smallest(taker.plain, 'maxProperties') },
    ),
    ...refusedFields(objects),
    ...refusedOthers(objects),
    ...taker.plain.flatMap((schema) => brokenObjectRules({ possible, required, taken }, schema, prover)),
  ]
}

/** Who reads a result does not mind fields that his schema excludes. */
function withoutEnd(schema: SchemaObject): SchemaObject {
  if (own(schema, 'additionalProperties') !== false) return schema
  const { additionalProperties: _, ...rest } = schema
  return rest
}
