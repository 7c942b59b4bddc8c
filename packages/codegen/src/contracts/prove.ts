import { type Json, objectFrom, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'
import { everythingIn, knownNames } from './declared-fields.js'
import {
  type Flat,
  flatten,
  numbersOf,
  type Spot,
  schemaAt,
  schemaMap,
  schemasIn,
  textsOf,
  type Union,
} from './flatten.js'
import { refusedObjects } from './prove-objects.js'
import type { Fit, Prover } from './prover.js'
import { sameSchema } from './same-schema.js'
import { isDisjoint, possibleTypes } from './schema-facts.js'
import {
  below,
  conditionalParts,
  finiteValues,
  firstList,
  type JsonType,
  type Refusal,
  type Taken,
  tooMuch,
  typeNames,
  typesOf,
  whole,
} from './schema-view.js'
import { takesValue } from './takes-value.js'
import {
  type Lengths,
  largest,
  lengthParts,
  numberParts,
  refusedLengths,
  refusedNumbers,
  refusedTexts,
  smallest,
} from './value-ranges.js'

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

/** The rules of a schema for values of any kind of which it cannot be told that all of the values keep them. */
function brokenValueRules(taken: Taken, taker: SchemaObject, prover: Prover): readonly Refusal[] {
  const excluded = schemaAt(taker, 'not')
  const broken = [
    ...(excluded === undefined || isDisjoint(taken, excluded, prover.sides) ? [] : ['not']),
    ...(keepsCondition(taken, taker, prover) ? [] : ['if']),
  ]
  return broken.map((keyword) => ({
    aspect: 'rule',
    pointer: `/${keyword}`,
    taken: taken.plain.map((schema) => own(schema, keyword)).find((value) => value !== undefined),
    taker: own(taker, keyword),
  }))
}

function keepsCondition(taken: Taken, taker: SchemaObject, prover: Prover): boolean {
  const condition = schemaAt(taker, 'if')
  if (condition === undefined) return true
  const { sides } = prover
  const [met, unmet] = [schemaAt(taker, 'then') ?? true, schemaAt(taker, 'else') ?? true]
  const isSame = taken.plain.some(
    (schema) =>
      sameSchema(schemaAt(schema, 'if') ?? false, condition, sides) &&
      sameSchema(schemaAt(schema, 'then') ?? true, met, sides) &&
      sameSchema(schemaAt(schema, 'else') ?? true, unmet, sides),
  )
  return isSame || (prover.fits(taken, met) && prover.fits(taken, unmet))
}

/** What of some values fits no variant of a union, or too many. */
function fitUnion(taken: Taken, { keyword, variants }: Union, prover: Prover): Fit {
  const fits = variants.map((variant): Fit => {
    const flat = flatten([variant], prover.sides.taker)
    return flat === undefined ? { refusals: [tooMuch], applying: [] } : prover.fit(taken, flat)
  })
  const fitting = fits.filter((fit) => fit.refusals.length === 0)
  if (fitting.length === 0) return { refusals: nearest(taken, variants, fits, prover), applying: [] }
  if (keyword === 'anyOf') return { refusals: [], applying: fitting.flatMap((fit) => fit.applying) }
  const chosen = fits.findIndex((fit) => fit.refusals.length === 0)
  const isOnly = variants.every((variant, index) => index === chosen || isDisjoint(taken, variant, prover.sides))
  if (isOnly) return { refusals: [], applying: fits[chosen]?.applying ?? [] }
  return { refusals: [whole('variant', shown(taken.plain), 'exactly one of several')], applying: [] }
}

/** What the variant that was meant says, as far as one can tell which it was. */
function nearest(taken: Taken, variants: readonly Schema[], fits: readonly Fit[], prover: Prover): readonly Refusal[] {
  if (!prover.spend(variants.length)) return [tooMuch]
  const names = new Set(taken.plain.flatMap(knownNames))
  const meant = fits
    .filter((_, index) => !isDisjoint(taken, variants[index] ?? false, prover.sides))
    .map(({ refusals, applying }) => ({
      refusals,
      shared: applying.flatMap(knownNames).filter((name) => names.has(name)).length,
    }))
    .sort((a, b) => b.shared - a.shared || a.refusals.length - b.refusals.length)
  const [first] = meant
  // What one variant refuses another may take, so that each value fits one of them: no witness is found then.
  if (first !== undefined) return first.refusals
  return [whole('variant', shown(taken.plain), variants.map(briefly))]
}

/** What tells a variant from others: its tags, else its kinds. */
function briefly(schema: Schema): Json {
  return typeof schema === 'boolean' ? schema : shown([schema])
}

function shown(plain: readonly SchemaObject[]): Json {
  const tags = plain.flatMap((schema) =>
    schemaMap(schema, 'properties').flatMap(([name, part]) => {
      const value = typeof part === 'boolean' ? undefined : own(part, 'const')
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  if (tags.length > 0) return objectFrom(tags)
  const names = textsOf(plain, '$ref').map((reference) => refName(reference) ?? reference)
  return names[0] ?? firstList(plain) ?? typeNames(typesOf(plain))
}

/** The schemas of an array that is to take others. */
interface TakerArrays {
  readonly plain: readonly SchemaObject[]
  readonly maybe: readonly Schema[]
}

/** Arrays that are taken and refused: by their lengths, by their items, and by rules for all of their items. */
function refusedArrays(taken: Taken, taker: TakerArrays, prover: Prover): readonly Refusal[] {
  const [lengths, others] = [lengthsOf(taken.plain), lengthsOf(taker.plain)]
  if (lengths.least > lengths.most) return []
  return [
    ...refusedLengths(lengths, others),
    ...taker.plain.flatMap((schema) => brokenRules(taken.plain, lengths, schema, prover)),
    // Items that there are on one side alone are a matter of the length.
    ...refusedItems(taken, Math.min(lengths.most, others.most), taker, prover),
  ]
}

function lengthsOf(plain: readonly SchemaObject[]): Lengths {
  const tuples = plain.flatMap((schema) =>
    own(schema, 'items') === false ? [(schemasIn(own(schema, 'prefixItems')) ?? []).length] : [],
  )
  return { least: largest(plain, 'minItems'), most: Math.min(smallest(plain, 'maxItems'), ...tuples) }
}

function brokenRules(
  taken: readonly SchemaObject[],
  { most }: Lengths,
  taker: SchemaObject,
  { sides }: Prover,
): readonly Refusal[] {
  const rule = (keyword: string): Refusal => ({
    aspect: 'rule',
    pointer: `/${keyword}`,
    taken: taken.map((schema) => own(schema, keyword)).find((value) => value !== undefined),
    taker: own(taker, keyword),
  })
  const isUnique = taken.some((schema) => own(schema, 'uniqueItems') === true) || most <= 1
  const wanted = schemaAt(taker, 'contains')
  const hasWanted =
    wanted === undefined ||
    taken.some((schema) => {
      const known = schemaAt(schema, 'contains')
      if (known === undefined || !sameSchema(known, wanted, sides)) return false
      const [has, wants] = [counts(schema), counts(taker)]
      return has.least >= wants.least && has.most <= wants.most
    })
  const isSame = taken.some((schema) => sameSchema(schema, taker, sides))
  return [
    ...(own(taker, 'uniqueItems') === true && !isUnique ? [rule('uniqueItems')] : []),
    ...(hasWanted ? [] : [rule('contains')]),
    ...(Object.hasOwn(taker, 'unevaluatedItems') && !isSame ? [rule('unevaluatedItems')] : []),
  ]
}

function counts(schema: SchemaObject): Lengths {
  return {
    least: numbersOf([schema], 'minContains')[0] ?? 1,
    most: numbersOf([schema], 'maxContains')[0] ?? Number.POSITIVE_INFINITY,
  }
}

function refusedItems(taken: Taken, most: number, taker: TakerArrays, prover: Prover): readonly Refusal[] {
  const { sides } = prover
  const first = Math.max(...[...taken.plain, ...taker.plain].map(prefixOf))
  const [maybe, instead] = [everythingIn(taken.maybe, sides.taken), everythingIn(taken.instead, sides.taken)]
  const closers = everythingIn(taker.maybe, sides.taker)
  return Array.from({ length: first + 1 }, (_, index) => index)
    .filter((index) => index < most)
    .flatMap((index) => {
      const from: Spot = {
        all: itemAt(taken.plain, index),
        maybe: [...itemAt(maybe, index), ...sometimes([...taken.plain, ...maybe, ...instead])],
        instead: itemAt(instead, index),
      }
      const to: Spot = {
        all: itemAt(taker.plain, index),
        maybe: [...itemAt(closers, index), ...sometimes([...taker.plain, ...closers])],
        instead: [],
      }
      if (to.all.length === 0 && to.maybe.length === 0) return []
      return below(index < first ? `/prefixItems/${index}` : '/items', prover.refusals(from, to))
    })
}

function prefixOf(schema: SchemaObject): number {
  return (schemasIn(own(schema, 'prefixItems')) ?? []).length
}

function itemAt(plain: readonly SchemaObject[], index: number): readonly Schema[] {
  return plain.flatMap((schema) => {
    const item = (schemasIn(own(schema, 'prefixItems')) ?? [])[index] ?? schemaAt(schema, 'items')
    return item === undefined ? [] : [item]
  })
}

/** The schemas that apply to some items. */
function sometimes(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) =>
    ['contains', 'unevaluatedItems'].flatMap((keyword) => {
      const part = schemaAt(schema, keyword)
      return part === undefined ? [] : [part]
    }),
  )
}
