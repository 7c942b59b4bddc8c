import { own, type Schema } from '../schema/json-schema.js'
import { annotations } from '../schema/keywords.js'
import { refName } from '../schema/references.js'
import { fitOf } from './prove.js'
import { type Fit, PossibleFields, type Prover } from './prove-objects.js'
import { type DefinitionPair, excludesAll, isDisjoint, possibleTypes, sameSchema } from './schema-facts.js'
import {
  type Constraints,
  casesOf,
  conditionalParts,
  type Defs,
  type FlatSchema,
  flatten,
  type Mismatch,
  prefixed,
  type SourceValues,
  schemasAt,
  tooComplex,
  typeNames,
  typesOf,
  wholeMismatch,
} from './schema-view.js'

interface InclusionOptions {
  readonly source: Defs
  readonly target: Defs
  readonly fields: Prover['fields']
}

/** Returns the reasons why a target schema may reject values of a source schema. No reason is a proof that it accepts all. */
export type Inclusion = (source: Schema, target: Schema) => readonly Mismatch[]

/** Returns a function that compares schemas. It keeps results for definitions, which several schemas share. */
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

  /** Returns a key for a pair, which is the same for references to the same definitions. */
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
    // Several variants can have the same part.
    const distinct = found.length < 2 ? found : new Map(found.map((each) => [JSON.stringify(each), each])).values()
    return [...distinct].slice(0, maxMismatches)
  }

  #caseMismatches(source: SourceValues, target: FlatSchema, conditional: readonly Schema[]): readonly Mismatch[] {
    const names = typeNames(possibleTypes(source.plain, this.pair.source))
    if (target.unions.length === 0 || names.length < 2) return this.fit(source, target, conditional).mismatches
    // Each type may fit another variant.
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

/** Limits after which a comparison is given up. */
const limits: Effort = { depth: 150, steps: 50_000 }

/** The result for a pair that depends on nothing but the pair. */
interface Outcome {
  readonly key: string
  readonly found: readonly Mismatch[]
  /** Results that depend on this one alone. Absent if no definition contains itself. */
  readonly learned?: readonly (Outcome | Learned)[]
  /** Effort before and for the comparison, if it was given up: with less effort before, it may succeed. */
  readonly givenUp?: { readonly before: Effort; readonly steps: number }
}

/** The result for a pair that depends on a pair around it; `undefined` if it was withdrawn. */
interface Learned {
  readonly key: string
  readonly found: readonly Mismatch[] | undefined
}

/** A pair that the current comparison has reached. */
interface Reached {
  readonly found: readonly Mismatch[]
  /** Time at which the comparison reached it; 0 if it was given up. */
  readonly at: number
  /** Absent if the result depends on a pair around it. */
  readonly outcome?: Outcome
}

/** A pair that is being compared. */
interface Frame {
  readonly key: string
  readonly at: number
  readonly before: Effort
  /** Lengths of the lists when it began. */
  readonly proven: number
  readonly learned: number
  /** Time of the earliest pair on which the result depends. */
  dependsOn: number
  isGivenUp: boolean
}

/**
 * Results for pairs of constraints. A pair that is being compared counts as proven, because a definition that contains itself
 * reaches it again. Results that depend on such a pair hold for one comparison only. All other results are kept for every
 * comparison with the same definitions, in a way that each comparison gives the same result as if it were the first.
 */
class ProofMemory {
  readonly #outcomes = new Map<string, Outcome>()
  #reached = new Map<string, Reached>()
  /** Keys of the pairs that count as proven, in the order in which they were reached. */
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

  /** Counts steps. Returns `false` if there were too many. */
  spend(steps: number): boolean {
    this.#steps += steps
    if (this.#steps > limits.steps) this.giveUp()
    return this.#steps <= limits.steps
  }

  giveUp(): void {
    const frame = this.#frames.at(-1)
    if (frame !== undefined) frame.isGivenUp = true
  }

  /** Returns the known result for a pair; `undefined` if it must be compared. */
  recall(key: string): readonly Mismatch[] | undefined {
    const reached = this.#reached.get(key)
    if (reached !== undefined) {
      if (reached.outcome === undefined || reached.at === 0) this.#dependOn(reached.at)
      else this.#learned.push(reached.outcome)
      return reached.found
    }
    const outcome = this.#outcomes.get(key)
    if (outcome === undefined || this.#maySucceed(outcome)) return undefined
    // The result would differ because a part of it is known here, or counts as proven.
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
    if (frame === undefined) throw new RangeError('no pair is being compared')
    const { key, isGivenUp, dependsOn } = frame
    if (isGivenUp) this.giveUp()
    // What was proven since may depend on this pair.
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

  /** Returns `true` for a comparison that was given up with more effort before it than now. */
  #maySucceed({ givenUp }: Outcome): boolean {
    if (givenUp === undefined) return false
    return this.#frames.length < givenUp.before.depth || this.#steps < givenUp.before.steps
  }

  /** Takes over what was learned when an outcome was found. */
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

/** Returns an outcome with everything that was learned on the way, each once. */
function partsOf(outcome: Outcome): readonly (Outcome | Learned)[] {
  const parts = new Set<Outcome | Learned>([outcome])
  for (const part of parts) if (isOutcome(part)) for (const inner of part.learned ?? []) parts.add(inner)
  return [...parts]
}
