import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { flatten, type Union } from '../inclusion/flatten.js'
import type { Defs } from '../inclusion/spot.js'
import type { Step } from './pointer-steps.js'

/** Schemas that values of one combination of variants all fit, and the steps that are left from there. */
export interface ChosenCase {
  readonly plain: readonly SchemaObject[]
  readonly steps: readonly Step[]
}

/** The combinations of variants to which steps lead; all of them, one after the other, where the steps choose none. */
export function* chosenCases(schemas: readonly Schema[], steps: readonly Step[], defs: Defs): Generator<ChosenCase> {
  const flat = flatten(schemas, defs)
  if (flat !== undefined) yield* expanded({ plain: flat.plain, steps }, flat.unions, defs)
}

function* expanded(base: ChosenCase, unions: readonly Union[], defs: Defs): Generator<ChosenCase> {
  const [union, ...rest] = unions
  if (union === undefined) {
    yield base
    return
  }
  const [step, ...left] = base.steps
  const isChosen = step?.keyword === union.keyword
  const variants = isChosen ? [union.variants[Number(step.name)] ?? false] : union.variants
  for (const variant of variants) {
    const flat = flatten([variant], defs)
    if (flat === undefined) continue
    const plain = [...base.plain, ...flat.plain.filter((schema) => !base.plain.includes(schema))]
    yield* expanded({ plain, steps: isChosen ? left : base.steps }, [...flat.unions, ...rest], defs)
  }
}
