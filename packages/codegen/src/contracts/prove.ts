import { type Json, objectFrom, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { refName } from '../schema/references.js'
import { type Fit, objectMismatches, type Prover } from './prove-objects.js'
import { acceptsValue, isDisjoint, possibleTypes, sameSchema } from './schema-facts.js'
import {
  type Constraints,
  conditionalParts,
  everythingIn,
  type FlatSchema,
  finiteValues,
  firstList,
  flatten,
  type JsonType,
  keywordMismatch,
  knownNames,
  type Mismatch,
  numbersOf,
  prefixed,
  type SourceValues,
  schemaAt,
  schemaMap,
  schemasAt,
  schemasOf,
  schemasOfItem,
  textsOf,
  tooComplex,
  typeNames,
  typesOf,
  type Union,
  wholeMismatch,
} from './schema-view.js'
import {
  type Lengths,
  lengthMismatches,
  lengthParts,
  lengthsOf,
  numberMismatches,
  numberParts,
  stringMismatches,
} from './value-ranges.js'

/** Compares values with schemas that apply together; see {@link Prover.fit}. */
export function fitOf(
  source: SourceValues,
  target: FlatSchema,
  conditional: readonly Schema[] | undefined,
  prover: Prover,
): Fit {
  if (!prover.spend(1 + source.alternatives.length)) return { mismatches: [tooComplex], applying: [] }
  const types = possibleTypes(source.plain, prover.pair.source)
  const values = finiteValues(source.plain, types)
  if (values !== undefined) {
    return { mismatches: listedMismatches(source, values, types, target.plain, prover), applying: target.plain }
  }
  const unions = target.unions.map((union) => fitUnion(source, union, prover))
  const applying = [...target.plain, ...unions.flatMap((fit) => fit.applying)]
  const mismatches = [
    ...unions.flatMap((fit) => fit.mismatches),
    ...typeMismatches(source, types, target.plain, applying, conditional, prover),
  ]
  const isFitting = mismatches.length === 0 || partsFit(source, types, target, conditional, prover)
  return { applying, mismatches: isFitting ? [] : mismatches }
}

const maxParts = 100

/** Returns `true` if values fit in parts, each of which may fit another variant or be listed. */
function partsFit(
  source: SourceValues,
  types: readonly JsonType[],
  target: FlatSchema,
  conditional: readonly Schema[] | undefined,
  prover: Prover,
): boolean {
  const near = everythingIn(target.plain, prover.pair.target)
  if (target.unions.length === 0 && firstList(near) === undefined) return false
  const parts = partsOf(source.plain, types, near)
  return (
    parts.length > 0 &&
    parts.length <= maxParts &&
    parts.every((part) => {
      const values = { ...source, plain: [...source.plain, part] }
      return prover.fit(values, target, conditional).mismatches.length === 0
    })
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
  if (names[0] === 'string') return lengthParts(plain, near, 'minLength', 'maxLength')
  return names[0] === 'array' ? lengthParts(plain, near, 'minItems', 'maxItems') : []
}

function listedMismatches(
  source: SourceValues,
  values: readonly Json[],
  types: readonly JsonType[],
  plain: readonly SchemaObject[],
  { pair }: Prover,
): readonly Mismatch[] {
  // Another keyword may exclude a listed value.
  const isPossible = (value: Json): boolean =>
    acceptsValue(source.plain, value, pair.source) !== false &&
    !source.excluded.some((schema) => acceptsValue([schema], value, pair.source) === true)
  if (values.every((value) => acceptsValue(plain, value, pair.target) === true || !isPossible(value))) return []
  const others = typesOf(plain)
  if (!types.some((type) => others.includes(type))) {
    return [wholeMismatch('type', typeNames(types), typeNames(others))]
  }
  return [{ ...wholeMismatch('enum', values, firstList(plain) ?? typeNames(others)), pointer: '/enum' }]
}

function typeMismatches(
  source: SourceValues,
  types: readonly JsonType[],
  plain: readonly SchemaObject[],
  applying: readonly SchemaObject[],
  conditional: readonly Schema[] | undefined,
  prover: Prover,
): readonly Mismatch[] {
  const others = typesOf(plain)
  const common = types.filter((type) => others.includes(type))
  const ofTypes = common.length === types.length ? [] : [wholeMismatch('type', typeNames(types), typeNames(others))]
  if (common.length === 0) return ofTypes
  const list = firstList(plain)
  if (list !== undefined) return [{ ...wholeMismatch('enum', typeNames(types), list), pointer: '/enum' }]
  const target = {
    plain,
    applying: conditional === undefined ? undefined : applying,
    conditional: [...(conditional ?? []), ...conditionalParts(plain)],
  }
  const hasNumbers = common.includes('integer') || common.includes('fraction')
  return [
    ...ofTypes,
    ...(hasNumbers ? numberMismatches(source.plain, common, plain) : []),
    ...(common.includes('string') ? stringMismatches(source.plain, plain) : []),
    ...(common.includes('array') ? arrayMismatches(source, target, prover) : []),
    ...(common.includes('object') ? objectMismatches(source, target, prover) : []),
    ...plain.flatMap((schema) => {
      const excluded = schemaAt(schema, 'not')
      const isExcluding = excluded !== undefined && !isDisjoint(source, excluded, prover.pair)
      return [
        ...(isExcluding ? [keywordMismatch('not', source.plain, schema)] : []),
        ...(keepsCondition(source, schema, prover) ? [] : [keywordMismatch('if', source.plain, schema)]),
      ]
    }),
  ]
}

function keepsCondition(source: SourceValues, target: SchemaObject, prover: Prover): boolean {
  const condition = schemaAt(target, 'if')
  if (condition === undefined) return true
  const [met, unmet] = [schemaAt(target, 'then') ?? true, schemaAt(target, 'else') ?? true]
  const isSame = source.plain.some(
    (schema) =>
      sameSchema(schemaAt(schema, 'if') ?? false, condition, prover.pair) &&
      sameSchema(schemaAt(schema, 'then') ?? true, met, prover.pair) &&
      sameSchema(schemaAt(schema, 'else') ?? true, unmet, prover.pair),
  )
  return isSame || (prover.fits(source, met) && prover.fits(source, unmet))
}

function fitUnion(source: SourceValues, { keyword, variants }: Union, prover: Prover): Fit {
  const fits = variants.map((variant): Fit => {
    const flat = flatten([variant], prover.pair.target)
    return flat === undefined ? { mismatches: [tooComplex], applying: [] } : prover.fit(source, flat)
  })
  const fitting = fits.filter(({ mismatches }) => mismatches.length === 0)
  const [first] = fitting
  if (first === undefined) return { mismatches: nearestVariant(source, variants, fits, prover), applying: [] }
  if (keyword === 'anyOf') return { mismatches: [], applying: fitting.flatMap(({ applying }) => applying) }
  const isOnly = variants.every((variant, index) => fits[index] === first || isDisjoint(source, variant, prover.pair))
  if (isOnly) return { mismatches: [], applying: first.applying }
  return { mismatches: [wholeMismatch('variant', summary(source.plain), 'exactly one of several')], applying: [] }
}

/** Returns the mismatches of the variant that is most similar to the values. */
function nearestVariant(
  source: SourceValues,
  variants: readonly Schema[],
  fits: readonly Fit[],
  prover: Prover,
): readonly Mismatch[] {
  if (!prover.spend(variants.length)) return [tooComplex]
  const names = new Set(source.plain.flatMap(knownNames))
  const [nearest] = fits
    .filter((_, index) => !isDisjoint(source, variants[index] ?? false, prover.pair))
    .map(({ mismatches, applying }) => ({
      mismatches,
      shared: applying.flatMap(knownNames).filter((name) => names.has(name)).length,
    }))
    .sort((a, b) => b.shared - a.shared || a.mismatches.length - b.mismatches.length)
  // Another variant may accept what this one rejects. Then no witness is found.
  if (nearest !== undefined) return nearest.mismatches
  const target = variants.map((variant) => (typeof variant === 'boolean' ? variant : summary([variant])))
  return [wholeMismatch('variant', summary(source.plain), target)]
}

/** Returns what distinguishes a variant: its tags, else its definition, list of values or types. */
function summary(plain: readonly SchemaObject[]): Json {
  const tags = plain.flatMap((schema) =>
    schemaMap(schema, 'properties').flatMap(([name, part]) => {
      const value = typeof part === 'boolean' ? undefined : own(part, 'const')
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
  if (tags.length > 0) return objectFrom(tags)
  const [reference] = textsOf(plain, '$ref')
  if (reference !== undefined) return refName(reference) ?? reference
  return firstList(plain) ?? typeNames(typesOf(plain))
}

interface TargetArrays {
  readonly plain: readonly SchemaObject[]
  readonly conditional: readonly Schema[]
}

function arrayMismatches(source: SourceValues, target: TargetArrays, prover: Prover): readonly Mismatch[] {
  const [lengths, others] = [arrayLengths(source.plain), arrayLengths(target.plain)]
  if (lengths.least > lengths.most) return []
  return [
    ...lengthMismatches(lengths, others),
    ...target.plain.flatMap((schema) =>
      brokenArrayRules(source.plain, lengths, schema, prover).map((keyword) =>
        keywordMismatch(keyword, source.plain, schema),
      ),
    ),
    // Items that only one side has are a mismatch of the length.
    ...itemMismatches(source, target, Math.min(lengths.most, others.most), prover),
  ]
}

function arrayLengths(plain: readonly SchemaObject[]): Lengths {
  const { least, most } = lengthsOf(plain, 'minItems', 'maxItems')
  const tuples = plain.filter((schema) => own(schema, 'items') === false).map(prefixLength)
  return { least, most: Math.min(most, ...tuples) }
}

function prefixLength(schema: SchemaObject): number {
  return schemasAt(schema, 'prefixItems')?.length ?? 0
}

/** Returns the keywords of the target that some arrays may break. */
function brokenArrayRules(
  source: readonly SchemaObject[],
  { most }: Lengths,
  target: SchemaObject,
  { pair }: Prover,
): readonly string[] {
  const isUnique = most <= 1 || source.some((schema) => own(schema, 'uniqueItems') === true)
  const wanted = schemaAt(target, 'contains')
  const containsWanted =
    wanted === undefined ||
    source.some((schema) => {
      const known = schemaAt(schema, 'contains')
      if (known === undefined || !sameSchema(known, wanted, pair)) return false
      const [has, wants] = [containsCount(schema), containsCount(target)]
      return has.least >= wants.least && has.most <= wants.most
    })
  const isSame = source.some((schema) => sameSchema(schema, target, pair))
  return [
    ...(own(target, 'uniqueItems') === true && !isUnique ? ['uniqueItems'] : []),
    ...(containsWanted ? [] : ['contains']),
    ...(Object.hasOwn(target, 'unevaluatedItems') && !isSame ? ['unevaluatedItems'] : []),
  ]
}

function containsCount(schema: SchemaObject): Lengths {
  const [least = 1] = numbersOf([schema], 'minContains')
  const [most = Number.POSITIVE_INFINITY] = numbersOf([schema], 'maxContains')
  return { least, most }
}

function itemMismatches(source: SourceValues, target: TargetArrays, most: number, prover: Prover): readonly Mismatch[] {
  const conditional = everythingIn(source.conditional, prover.pair.source)
  const alternatives = everythingIn(source.alternatives, prover.pair.source)
  const targetConditional = everythingIn(target.conditional, prover.pair.target)
  const prefix = Math.max(...[...source.plain, ...target.plain].map(prefixLength))
  return Array.from({ length: Math.ceil(Math.min(prefix + 1, most)) }, (_, index) => {
    const from: Constraints = {
      all: schemasOfItem(source.plain, index),
      conditional: [
        ...schemasOfItem(conditional, index),
        ...itemConditions([...source.plain, ...conditional, ...alternatives]),
      ],
      alternatives: schemasOfItem(alternatives, index),
    }
    const to: Constraints = {
      all: schemasOfItem(target.plain, index),
      conditional: [
        ...schemasOfItem(targetConditional, index),
        ...itemConditions([...target.plain, ...targetConditional]),
      ],
      alternatives: [],
    }
    if (to.all.length === 0 && to.conditional.length === 0) return []
    return prefixed(index < prefix ? `/prefixItems/${index}` : '/items', prover.mismatches(from, to))
  }).flat()
}

/** Returns the schemas that apply to some items. */
function itemConditions(plain: readonly SchemaObject[]): readonly Schema[] {
  return plain.flatMap((schema) => [...schemasOf([schema], 'contains'), ...schemasOf([schema], 'unevaluatedItems')])
}
