import { keysOf } from '../../schema/json/pointer.js'
import type { Aspect, Refusal } from '../inclusion/refusal.js'
import { stepsOf } from './pointer-steps.js'
import type { Fault } from './value-judge.js'

/** What each constraint is told as, where that is one of few things. */
const toldAs: ReadonlyMap<string, readonly Aspect[]> = new Map([
  ['invalid_range', ['range']],
  ['invalid_length', ['length']],
  ['invalid_pattern', ['pattern']],
  ['invalid_format', ['format']],
  ['missing_field', ['required', 'field']],
  ['unknown_field', ['field', 'unknown-fields']],
  ['invalid_enum_value', ['enum', 'type']],
  ['invalid_type', ['type', 'enum']],
  ['not_unique', []],
  ['invalid_contains', []],
  ['missing_dependency', []],
])

/** The one constraint of some rules. */
const ofRules: ReadonlyMap<string, string> = new Map([
  ['uniqueItems', 'not_unique'],
  ['contains', 'invalid_contains'],
  ['dependentRequired', 'missing_dependency'],
])

/** Faults of unions are told where the union is, whatever in it differs. */
const ofUnions: readonly string[] = ['no_variant_matches', 'several_variants_match', 'not_allowed']

/** Whether a fault of a value shows what one of several refusals tells, and not what another one does. */
export function shows(fault: Fault, refusal: Refusal, all: readonly Refusal[]): boolean {
  const at = keysOf(fault.pointer) ?? []
  const place = placeOf(refusal)
  if (ofUnions.includes(fault.constraint) && at.length < place.length) return leads(at, place)
  return (
    isTold(fault, at, refusal) &&
    // It belongs to what is told closest to it.
    all.every((other) => placeOf(other).length <= place.length || !isTold(fault, at, other))
  )
}

/** The steps from a value down to a part of it; `undefined` for any item, or any field. */
export type Place = readonly (string | undefined)[]

function isTold({ constraint }: Fault, at: Place, refusal: Refusal): boolean {
  const { aspect } = refusal
  const place = placeOf(refusal)
  if (!leads(place, at)) return false
  // Unknown fields are told of their object.
  if (aspect === 'unknown-fields') return constraint === 'unknown_field' && at.length === place.length + 1
  const only = aspect === 'rule' ? ofRules.get(stepsOf(refusal.pointer).at(-1)?.keyword ?? '') : undefined
  if (only !== undefined) return constraint === only
  return aspect === 'rule' || aspect === 'variant' || (toldAs.get(constraint)?.includes(aspect) ?? true)
}

/** Whether one place is another, or around it. */
function leads(outer: Place, inner: Place): boolean {
  return (
    outer.length <= inner.length &&
    outer.every((step, index) => step === undefined || inner[index] === undefined || step === inner[index])
  )
}

/** Where the values are of which something is told. */
export function placeOf({ pointer }: Refusal): Place {
  return stepsOf(pointer).flatMap(({ keyword, name }) => {
    if (keyword === 'properties' || keyword === 'prefixItems') return [name]
    return ['items', 'additionalProperties', 'patternProperties'].includes(keyword) ? [undefined] : []
  })
}
