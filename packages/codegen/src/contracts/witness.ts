import { parsePointer } from '@toolgen/runtime/schema'
import type { Json, Schema } from '../schema/json-schema.js'
import { type InTime, inTime } from '../timers.js'
import type { Prover } from './prover.js'
import type { Aspect, Refusal } from './schema-view.js'
import type { Fault, Judges, ValueJudge } from './value-judge.js'
import { type Step, stepsOf, ValueMaker } from './witness-values.js'

/** A refusal with what shows it. */
export interface Shown extends Refusal {
  /**
   * A value that the one schema takes and the other does not, by the codecs of both, or whose field the other one does not
   * hand on; absent where none was found.
   */
  readonly witness?: Json
}

/** What one schema refuses of another's values. */
export interface Refused {
  readonly taken: Schema
  readonly taker: Schema
  /** Everything that is refused: what shows one thing must not be about another. */
  readonly all: readonly Refusal[]
  /** What of it is told. */
  readonly told: readonly Refusal[]
}

/** Looks for witnesses of what is told, among guesses of which the codecs of both sides say what they are. */
export function withWitnesses({ taken, taker, all, told }: Refused, options: SearchOptions): readonly Shown[] {
  if (told.length === 0) return told
  const search = new PairSearch(taken, taker, options)
  let isStopped = false
  return told.map((refusal) => {
    // After patterns that take too long nobody knows what state the codecs are in.
    const tried = isStopped ? undefined : tryIn(search, () => search.witnessOf(refusal, all))
    isStopped ||= tried?.isDone === false
    const witness = tried?.isDone === true ? tried.value : undefined
    return witness === undefined ? refusal : { ...refusal, witness }
  })
}

/** To limit the time takes longer than most searches. */
function tryIn<T>({ mayBeSlow }: PairSearch, work: () => T): InTime<T> {
  return mayBeSlow ? inTime(work) : { isDone: true, value: work() }
}

/** How many values are tried for one refusal. */
const mostTried = 150

/** Who judges values of both sides. */
interface SearchOptions {
  readonly taken: Judges
  readonly taker: Judges
  readonly fields: Prover['fields']
}

/** Looks for values that a schema takes and another one does not. */
class PairSearch {
  readonly #taken: Schema
  readonly #taker: Schema
  readonly #options: SearchOptions
  /** Takes what the contract has, and no fields beside it. */
  readonly #takes: ValueJudge
  /** Reads it: results lose the fields that nobody declares. */
  readonly #reads: ValueJudge
  readonly #wants: ValueJudge

  constructor(taken: Schema, taker: Schema, options: SearchOptions) {
    this.#taken = taken
    this.#taker = taker
    this.#options = options
    // Codecs of payloads refuse them anyway.
    this.#reads = options.taken.of(taken)
    this.#takes = options.fields === 'known' ? this.#reads : options.taken.of(taken, 'reject')
    this.#wants = options.taker.of(taker)
  }

  /** Whether a search may take without end. */
  get mayBeSlow(): boolean {
    return this.#takes.mayBeSlow || this.#wants.mayBeSlow
  }

  /** A value that shows one of the refusals; `undefined` where none is found. */
  witnessOf(refusal: Refusal, all: readonly Refusal[]): Json | undefined {
    const steps = stepsOf(refusal.pointer)
    const found = firstOf(this.#values(steps), (value) => this.#isRefused(value, refusal, all))
    // Null is a value, too.
    if (found !== undefined || this.#options.fields === 'known' || refusal.aspect !== 'field') return found
    return this.#gone(steps, locationOf(refusal))
  }

  #values(steps: readonly Step[]): Iterable<Json> {
    const { taken, taker } = this.#options
    return new ValueMaker(taken.defs, taken.samples, taker.defs).values([this.#taken], [this.#taker], steps)
  }

  #isRefused(value: Json, refusal: Refusal, all: readonly Refusal[]): boolean {
    const wanted = this.#wants.judge(value)
    if (wanted.kind !== 'refused') return false
    // Who reads a result does not mind further fields.
    const isMinded = (constraint: string): boolean => this.#options.fields === 'known' || constraint !== 'unknown_field'
    const isShown = wanted.faults.some((fault) => isMinded(fault.constraint) && shows(fault, refusal, all))
    return isShown && this.#takes.judge(value).kind === 'taken'
  }

  /** A value with a field that readers found in it, and that does not reach them any more where it is given. */
  #gone(steps: readonly Step[], location: Location): Json | undefined {
    const { taken, taker } = this.#options
    const isLost = firstOf(this.#values(steps), (value) => {
      const read = this.#reads.judge(value)
      return hasAt(value, location) && read.kind === 'taken' && !hasAt(read.value, location)
    })
    if (isLost === undefined) return undefined
    // The variants to which the pointer leads are those of the other schema.
    const inner = steps.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf')
    return firstOf(
      new ValueMaker(taker.defs, taker.samples, taken.defs).values([this.#taker], [this.#taken], inner),
      (value) => {
        const wanted = this.#wants.judge(value)
        return wanted.kind === 'taken' && hasAt(wanted.value, location)
      },
    )
  }
}

function hasAt(value: unknown, [step, ...rest]: Location): boolean {
  if (typeof value !== 'object' || value === null) return false
  const inner = step === undefined ? Object.values(value) : Object.hasOwn(value, step) ? [Reflect.get(value, step)] : []
  return inner.some((part) => rest.length === 0 || hasAt(part, rest))
}

/** The first of some guesses that is what is looked for. */
function firstOf(values: Iterable<Json>, isFound: (value: Json) => boolean): Json | undefined {
  let left = mostTried
  for (const value of values) {
    if (isFound(value)) return value
    left -= 1
    if (left === 0) return undefined
  }
  return undefined
}

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
function shows(fault: Fault, refusal: Refusal, all: readonly Refusal[]): boolean {
  const at = parsePointer(fault.pointer) ?? []
  const location = locationOf(refusal)
  if (ofUnions.includes(fault.constraint) && at.length < location.length) return leads(at, location)
  return (
    isTold(fault, at, refusal) &&
    // It belongs to what is told closest to it.
    all.every((other) => locationOf(other).length <= location.length || !isTold(fault, at, other))
  )
}

/** The steps from a value down to a part of it; `undefined` for any item, or any field. */
type Location = readonly (string | undefined)[]

function isTold({ constraint }: Fault, at: Location, refusal: Refusal): boolean {
  const { aspect } = refusal
  const location = locationOf(refusal)
  if (!leads(location, at)) return false
  // Unknown fields are told of their object.
  if (aspect === 'unknown-fields') return constraint === 'unknown_field' && at.length === location.length + 1
  const only = aspect === 'rule' ? ofRules.get(stepsOf(refusal.pointer).at(-1)?.keyword ?? '') : undefined
  if (only !== undefined) return constraint === only
  return aspect === 'rule' || aspect === 'variant' || (toldAs.get(constraint)?.includes(aspect) ?? true)
}

/** Whether one place is another, or around it. */
function leads(outer: Location, inner: Location): boolean {
  return (
    outer.length <= inner.length &&
    outer.every((step, index) => step === undefined || inner[index] === undefined || step === inner[index])
  )
}

/** Where the values are of which something is told. */
function locationOf({ pointer }: Refusal): Location {
  return stepsOf(pointer).flatMap(({ keyword, name }) => {
    if (keyword === 'properties' || keyword === 'prefixItems') return [name]
    return ['items', 'additionalProperties', 'patternProperties'].includes(keyword) ? [undefined] : []
  })
}
