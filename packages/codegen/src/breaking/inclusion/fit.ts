import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { refusedArrays } from './arrays.js'
import { conditionalParts } from './cases.js'
import { everythingIn } from './declared-fields.js'
import { finiteValues, firstList } from './finite-values.js'
import type { Flat } from './flatten.js'
import { type JsonType, typeNames, typesOf } from './json-types.js'
import { numberParts, refusedNumbers } from './numbers.js'
import { refusedObjects } from './objects.js'
import { possibleTypes } from './possible.js'
import type { Fit, Prover } from './prover.js'
import { type Refusal, tooMuch, whole } from './refusal.js'
import type { Taken } from './taken.js'
import { takesValue } from './takes-value.js'
import { lengthParts, refusedTexts } from './texts.js'
import { fitUnion } from './unions.js'
import { brokenValueRules } from './value-rules.js'

/** What of some values does not fit schemas that apply together; see `Prover.fit`. */
export function fitOf(taken: Taken, to: Flat, maybe: readonly Schema[] | undefined, prover: Prover): Fit {
  if (!prover.spend(1 + taken.instead.length)) return { refusals: [tooMuch], applying: [] }
  const types = possibleTypes(taken.plain, prover.sides.taken)
  const values = finiteValues(taken.plain, types)
  if (values !== undefined) return { refusals: refusedValues({ taken, values }, types, to, prover), applying: to.plain }
  const unions = to.unions.map((union) => fitUnion(taken, union, prover))
  const applying = [...to.plain, ...unions.flatMap((fit) => fit.applying)]
  const ofKinds = refusedKinds({ taken, types }, to, { applying, maybe }, prover)
  const refusals = [...unions.flatMap((fit) => fit.refusals), ...ofKinds]
  if (refusals.length > 0 && partsFit({ taken, types }, to, maybe, prover)) return { applying, refusals: [] }
  return { applying, refusals }
}

/** Values are not divided into more parts. */
const mostParts = 100

/** Whether values fit that are divided into parts, each of which may fit another variant or be listed. */
function partsFit(
  { taken, types }: { readonly taken: Taken; readonly types: readonly JsonType[] },
  to: Flat,
  maybe: readonly Schema[] | undefined,
  prover: Prover,
): boolean {
  const near = everythingIn(to.plain, prover.sides.taker)
  if (to.unions.length === 0 && firstList(near) === undefined) return false
  const parts = partsOf(taken.plain, types, near)
  return (
    parts.length > 0 &&
    parts.length <= mostParts &&
    parts.every((part) => prover.fit({ ...taken, plain: [...taken.plain, part] }, to, maybe).refusals.length === 0)
  )
}

function partsOf(
  plain: readonly SchemaObject[],
  types: readonly JsonType[],
  near: readonly SchemaObject[],
): readonly SchemaObject[] {
  if (types.every((type) => type === 'integer' || type === 'fraction')) return numberParts(plain, types, near)
  const names = typeNames(types)
  if (names.length > 1) return names.map((type) => ({ type }))
  if (names[0] === 'string') return lengthParts(plain, near, ['minLength', 'maxLength'])
  return names[0] === 'array' ? lengthParts(plain, near, ['minItems', 'maxItems']) : []
}

/** Listed values that are refused. */
function refusedValues(
  { taken, values }: { readonly taken: Taken; readonly values: readonly Json[] },
  types: readonly JsonType[],
  { plain }: Flat,
  { sides }: Prover,
): readonly Refusal[] {
  // What is listed may be ruled out by another keyword.
  const isTaken = (value: Json): boolean =>
    takesValue(taken.plain, value, sides.taken) !== false &&
    !taken.excluded.some((schema) => takesValue([schema], value, sides.taken) === true)
  if (values.every((value) => takesValue(plain, value, sides.taker) === true || !isTaken(value))) return []
  const others = typesOf(plain)
  const isOtherType = !types.some((type) => others.includes(type))
  if (isOtherType) return [whole('type', typeNames(types), typeNames(others))]
  return [{ ...whole('enum', values, firstList(plain) ?? typeNames(others)), pointer: '/enum' }]
}

/** What is refused of each kind of values: nobody lists all of them. */
function refusedKinds(
  { taken, types }: { readonly taken: Taken; readonly types: readonly JsonType[] },
  { plain }: Flat,
  { applying, maybe }: Pick<Fit, 'applying'> & { readonly maybe: readonly Schema[] | undefined },
  prover: Prover,
): readonly Refusal[] {
  const others = typesOf(plain)
  const common = types.filter((type) => others.includes(type))
  const list = firstList(plain)
  const ofTypes = common.length === types.length ? [] : [whole('type', typeNames(types), typeNames(others))]
  if (common.length === 0) return ofTypes
  if (list !== undefined) return [{ ...whole('enum', typeNames(types), list), pointer: '/enum' }]
  const closers = [...(maybe ?? []), ...conditionalParts(plain)]
  const objects = { plain, applying: maybe === undefined ? undefined : applying, maybe: closers }
  const hasNumbers = common.includes('integer') || common.includes('fraction')
  return [
    ...ofTypes,
    ...(hasNumbers ? refusedNumbers(taken.plain, common, plain) : []),
    ...(common.includes('string') ? refusedTexts(taken.plain, plain) : []),
    ...(common.includes('array') ? refusedArrays(taken, { plain, maybe: closers }, prover) : []),
    ...(common.includes('object') ? refusedObjects(taken, objects, prover) : []),
    ...plain.flatMap((schema) => brokenValueRules(taken, schema, prover)),
  ]
}
