import { type Defs, type Json, objectFrom, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { annotations } from '../schema/keywords.js'
import { refName } from '../schema/references.js'
import { finiteValues, firstList, type JsonType, typeNames, typesOf } from './json-types.js'
import { lengthParts, stringMismatches } from './lengths.js'
import { keywordMismatch, type Mismatch, prefixed, tooComplex, wholeMismatch } from './mismatch.js'
import { numberMismatches, numberParts } from './number-ranges.js'
import { type Fit, PossibleFields } from './possible-fields.js'
import { arrayMismatches, objectMismatches, type Prover } from './prove-parts.js'
import { type DefinitionPair, sameSchema } from './same-schema.js'
import {
  type Constraints,
  casesOf,
  everythingIn,
  type FlatSchema,
  flatten,
  type SourceValues,
  type Union,
} from './schema-cases.js'
import { conditionalParts, knownNames, schemaAt, schemaMap, schemasAt, textsOf } from './schema-parts.js'
import { acceptsValue, excludesAll, isDisjoint, possibleTypes } from './schema-relations.js'

interface InclusionOptions {
  readonly source: Defs
  readonly target: Defs
  readonly fields: Prover['fields']
}

/** An empty result proves that the target schema accepts all values of the source schema. A mismatch only means that the target may reject values. */
export type Inclusion = (source: Schema, target: Schema) => readonly Mismatch[]

/** All comparisons share a cache, because several schemas use the same definition. */
export function inclusionOf({ source, target, fields }: InclusionOptions): Inclusion {
  const proof = new Proof({ source, target, same: new Map() }, fields)
  return (from, to) => proof.compare(from, to)
}

const maxMismatches = 100

class Proof implements Prover {
  readonly pair: DefinitionPair
  readonly fields: Prover['fields']
  readonly #sourcePair: DefinitionPair
  readonly #numbers = new Map<Schema, number>()
  readonly #memory = new ProofMemory()
  readonly #fields = new WeakMap<SourceValues, PossibleFields>()

  constructor(pair: DefinitionPair, fields: Prover['fields']) {
    this.pair = pair
    this.fields = fields
    this.#sourcePair = { source: pair.source, target: pair.source, same: new Map() }
  }

  compare(source: Schema, target: Schema): readonly Mismatch[] {
    this.#memory.start()
    const only = (schema: Schema): Constraints => ({ all: [schema], conditional: [], alternatives: [] })
    return this.mismatches(only(source), only(target))
  }

  mismatches(source: Constraints, target: Constraints): readonly Mismatch[] {
    const key = this.#keyOf(source, target)
    const known = this.#memory.recall(key)
    if (known !== undefined) return known
    if (this.#isSame(source, target)) return []
    if (this.#memory.isOverLimit) {
      this.#memory.giveUp()
      return [tooComplex]
    }
    this.#memory.begin(key)
    const found = this.#comparison(source, target)
    this.#memory.end(found)
    return found
  }

  spend(steps: number): boolean {
    return this.#memory.spend(steps)
  }

  fieldsOf(source: SourceValues): PossibleFields {
    const fields = this.#fields.get(source) ?? new PossibleFields(source, this.pair.source)
    this.#fields.set(source, fields)
    return fields
  }

  fit(source: SourceValues, target: FlatSchema, conditional?: readonly Schema[]): Fit {
    return fitOf(source, target, conditional, this)
  }

  fits(source: SourceValues, target: Schema): boolean {
    const flat = flatten([target], this.pair.target)
    return flat !== undefined && this.fit(source, flat).mismatches.length === 0
  }

  #keyOf(source: Constraints, target: Constraints): string {
    return [
      ...[source.all, source.conditional, source.alternatives].map((list) => this.#keyOfAll(list, this.pair.source)),
      ...[target.all, target.conditional].map((list) => this.#keyOfAll(list, this.pair.target)),
    ].join(';')
  }

  #keyOfAll(schemas: readonly Schema[], defs: Defs): string {
    return schemas.map((schema) => this.#keyOfSchema(schema, defs)).join(',')
  }

  #keyOfSchema(schema: Schema, defs: Defs): string {
    if (typeof schema !== 'boolean') {
      const [keyword = '', ...others] = Object.keys(schema).filter((key) => !annotations.includes(key))
      const target = keyword === '$ref' ? own(defs, refName(own(schema, keyword)) ?? '') : undefined
      const parts = keyword === 'anyOf' || keyword === 'allOf' ? schemasAt(schema, keyword) : undefined
      if (others.length === 0 && parts !== undefined) return `${keyword}(${this.#keyOfAll(parts, defs)})`
      if (others.length === 0 && target !== undefined) return this.#numberOf(target)
    }
    return this.#numberOf(schema)
  }

  #numberOf(schema: Schema): string {
    const number = this.#numbers.get(schema) ?? this.#numbers.size
    this.#numbers.set(schema, number)
    return String(number)
  }

  #isSame(source: Constraints, target: Constraints): boolean {
    return (
      source.all.length === target.all.length &&
      [...source.conditional, ...source.alternatives, ...target.conditional].length === 0 &&
      source.all.every((schema, index) => sameSchema(schema, target.all[index] ?? false, this.pair))
    )
  }

  #comparison(source: Constraints, target: Constraints): readonly Mismatch[] {
    const from = flatten(source.all, this.pair.source)
    if (from === undefined) return []
    const to = flatten(target.all, this.pair.target)
    if (to === undefined) return [wholeMismatch('type', typeNames(typesOf(from.plain)), [])]
    const found = casesOf(from, this.pair.source).flatMap(({ plain, excluded, others, pointer }) => {
      if (excluded.some(excludesAll) || possibleTypes(plain, this.pair.source).length === 0) return []
      if (!this.spend(others.length)) return [tooComplex]
      const overlapping = others.filter((other) => !isDisjoint({ plain, excluded }, other, this.#sourcePair))
      const values: SourceValues = {
        plain,
        excluded,
        conditional: [...source.conditional, ...conditionalParts(plain)],
        alternatives: [...source.alternatives, ...overlapping],
      }
      return prefixed(pointer, this.#caseMismatches(values, to, target.conditional))
    })
    // Removes duplicates, because several variants can share a part.
    const distinct = found.length < 2 ? found : new Map(found.map((each) => [JSON.stringify(each), each])).values()
    return [...distinct].slice(0, maxMismatches)
  }

  #caseMismatches(source: SourceValues, target: FlatSchema, conditional: readonly Schema[]): readonly Mismatch[] {
    const names = typeNames(possibleTypes(source.plain, this.pair.source))
    if (target.unions.length === 0 || names.length < 2) return this.fit(source, target, conditional).mismatches
    // Divides the values by type, because each type may match a different variant.
    return names.flatMap((type) => {
      const values = { ...source, plain: [...source.plain, { type }] }
      return this.fit(values, target, conditional).mismatches
    })
  }
}

interface Effort {
  readonly depth: number
  readonly steps: number
}

const limits: Effort = { depth: 150, steps: 50_000 }

/** Does not depend on comparisons that are still running, so later comparisons can reuse the result. */
interface Outcome {
  readonly key: string
  readonly found: readonly Mismatch[]
  /** Results of nested comparisons that depend on this result, such as a field of a recursive definition. Reused only together with this result. */
  readonly learned?: readonly (Outcome | Learned)[]
  /** Present only if the comparison stopped at a limit. A later comparison that starts at a lower depth or after fewer steps may succeed. */
  readonly givenUp?: { readonly before: Effort; readonly steps: number }
}

interface Learned {
  readonly key: string
  readonly found: readonly Mismatch[] | undefined
}

/** While the comparison of two constraints is running, `found` is empty, on the assumption that the constraints match. */
interface Reached {
  readonly found: readonly Mismatch[]
  /** Counted from 1 in the order of the starts. 0 if the comparison stopped at a limit. */
  readonly at: number
  readonly outcome?: Outcome
}

interface Frame {
  readonly key: string
  readonly at: number
  readonly before: Effort
  readonly proven: number
  readonly learned: number
  /** Number (`at`) of the earliest running comparison on which the result depends. */
  dependsOn: number
  isGivenUp: boolean
}

/**
 * If a recursive definition leads back to a running comparison, the algorithm assumes that this pair matches. Results that depend on the assumption
 * are valid only until the comparison of the two schemas ends. All other results are valid for later comparisons.
 */
class ProofMemory {
  readonly #outcomes = new Map<string, Outcome>()
  #reached = new Map<string, Reached>()
  /** Keys of the pairs that match or whose comparison is running, in the order of the starts. */
  #proven: string[] = []
  #learned: (Outcome | string)[] = []
  #frames: Frame[] = []
  #clock = 0
  #steps = 0

  start(): void {
    this.#reached = new Map()
    this.#proven = []
    this.#learned = []
    this.#frames = []
    this.#clock = 0
    this.#steps = 0
  }

  get #effort(): Effort {
    return { depth: this.#frames.length, steps: this.#steps }
  }

  get isOverLimit(): boolean {
    return this.#frames.length > limits.depth || this.#steps > limits.steps
  }

  spend(steps: number): boolean {
    this.#steps += steps
    if (this.#steps > limits.steps) this.giveUp()
    return this.#steps <= limits.steps
  }

  giveUp(): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined) frame.isGivenUp = true
  }

  recall(key: string): readonly Mismatch[] | undefined {
    const reached = this.#reached.get(key)
    if (reached !== undefined) {
      if (reached.outcome === undefined || reached.at === 0) this.#dependOn(reached.at)
      else this.#learned.push(reached.outcome)
      return reached.found
    }
    const outcome = this.#outcomes.get(key)
    if (outcome === undefined || this.#maySucceed(outcome)) return undefined
    // A cached result cannot be reused if this comparison already reached one of its parts, because the result could differ.
    if (partsOf(outcome).some((part) => this.#reached.has(part.key))) return undefined
    this.#take(outcome)
    return outcome.found
  }

  begin(key: string): void {
    this.#clock += 1
    const [proven, learned] = [this.#proven.length, this.#learned.length]
    const [at, before] = [this.#clock, this.#effort]
    this.#frames.push({ key, at, before, proven, learned, dependsOn: Number.POSITIVE_INFINITY, isGivenUp: false })
    this.#proven.push(key)
    this.#reached.set(key, { found: [], at })
  }

  end(found: readonly Mismatch[]): void {
    const frame = this.#frames.pop()
    if (frame === undefined) throw new RangeError('no comparison is in progress')
    const { key, isGivenUp, dependsOn } = frame
    if (isGivenUp) this.giveUp()
    // Removes the pairs that were proven during this comparison: they may depend on the wrong assumption that this pair matches.
    if (found.length > 0) for (const each of this.#proven.splice(frame.proven)) this.#reached.delete(each)
    if (dependsOn >= frame.at) this.#keep(frame, found)
    else {
      this.#dependOn(dependsOn)
      this.#reached.set(key, { found, at: isGivenUp ? 0 : frame.at })
      this.#learned.push(key)
    }
  }

  #keep({ key, at, before, isGivenUp, dependsOn, ...lengths }: Frame, found: readonly Mismatch[]): void {
    const inside = this.#learned.splice(lengths.learned)
    const isPlain = inside.length === 0 && dependsOn === Number.POSITIVE_INFINITY
    const learned = inside.map((each) =>
      typeof each === 'string' ? { key: each, found: this.#reached.get(each)?.found } : each,
    )
    const outcome: Outcome = {
      key,
      found,
      ...(!isPlain && { learned }),
      ...(isGivenUp && { givenUp: { before, steps: this.#steps - before.steps } }),
    }
    this.#outcomes.set(key, outcome)
    if (isPlain) {
      this.#proven.length = lengths.proven
      this.#reached.delete(key)
    } else {
      this.#learned.push(outcome)
      this.#reached.set(key, { found, at: isGivenUp ? 0 : at, outcome })
    }
  }

  #dependOn(at: number): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined) frame.dependsOn = Math.min(frame.dependsOn, at)
  }

  #maySucceed({ givenUp }: Outcome): boolean {
    if (givenUp === undefined) return false
    return this.#frames.length < givenUp.before.depth || this.#steps < givenUp.before.steps
  }

  #take(outcome: Outcome): void {
    const { givenUp, learned } = outcome
    if (givenUp !== undefined) {
      this.#steps += givenUp.steps
      this.giveUp()
    }
    if (learned === undefined) return
    this.#clock += 1
    const at = givenUp === undefined ? this.#clock : 0
    for (const part of partsOf(outcome)) {
      const { key, found } = part
      if (found === undefined) continue
      if (found.length === 0) this.#proven.push(key)
      this.#reached.set(key, { found, at, ...(isOutcome(part) && { outcome: part }) })
    }
    this.#learned.push(outcome)
  }
}

function isOutcome(part: Outcome | Learned): part is Outcome {
  return part.found !== undefined && 'learned' in part
}

function partsOf(outcome: Outcome): readonly (Outcome | Learned)[] {
  const parts = new Set<Outcome | Learned>([outcome])
  for (const part of parts) if (isOutcome(part)) for (const inner of part.learned ?? []) parts.add(inner)
  return [...parts]
}

function fitOf(
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

function partsFit(
  source: SourceValues,
  types: readonly JsonType[],
  target: FlatSchema,
  conditional: readonly Schema[] | undefined,
  prover: Prover,
): boolean {
  const near = everythingIn(target.plain, prover.pair.target)
  if (target.unions.length === 0 && firstList(near) === undefined) return false
  const parts = partsOfProve(source.plain, types, near)
  return (
    parts.length > 0 &&
    parts.length <= maxParts &&
    parts.every((part) => {
      const values = { ...source, plain: [...source.plain, part] }
      return prover.fit(values, target, conditional).mismatches.length === 0
    })
  )
}

function partsOfProve(
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
  const [then, otherwise] = [schemaAt(target, 'then') ?? true, schemaAt(target, 'else') ?? true]
  const isSame = source.plain.some(
    (schema) =>
      sameSchema(schemaAt(schema, 'if') ?? false, condition, prover.pair) &&
      sameSchema(schemaAt(schema, 'then') ?? true, then, prover.pair) &&
      sameSchema(schemaAt(schema, 'else') ?? true, otherwise, prover.pair),
  )
  return isSame || (prover.fits(source, then) && prover.fits(source, otherwise))
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
  // The nearest variant is only a guess. If another variant accepts the values, the later search for a witness finds none.
  if (nearest !== undefined) return nearest.mismatches
  const target = variants.map((variant) => (typeof variant === 'boolean' ? variant : summary([variant])))
  return [wholeMismatch('variant', summary(source.plain), target)]
}

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
