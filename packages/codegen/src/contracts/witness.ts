import { parsePointer } from '@toolgen/runtime/schema'
import type { Installed } from '../dev/installed-runtime.js'
import { closedSchema } from '../schema/definitions.js'
import type { Json, Schema } from '../schema/json-schema.js'
import { inTime } from '../timers.js'
import { type Decoded, decoderOf, type Issue } from './decoder.js'
import type { Prover } from './prove-objects.js'
import type { Aspect, Defs, Mismatch, Step } from './schema-view.js'
import { type Samples, stepsOf, ValueMaker } from './witness-values.js'

/** A mismatch with a value that proves it. */
export interface WitnessedMismatch extends Mismatch {
  /**
   * Value that the codec of the source schema accepts and that of the target schema rejects, or of which the target drops the
   * field; absent if none was found.
   */
  readonly witness?: Json
}

interface ValueDecoder {
  /** True if some value may take very long, because of a pattern. */
  readonly mayBeSlow: boolean
  readonly decode: (value: Json) => Decoded
}

function valueDecoder(makeCodec: Installed, schema: Schema, unknown: 'reject' | undefined): ValueDecoder {
  const decode = decoderOf(makeCodec, { schema, ...(unknown !== undefined && { unknown }) })
  const known = new Map<string, Decoded>()
  return {
    mayBeSlow: JSON.stringify(schema).includes('"pattern'),
    decode(value) {
      const text = JSON.stringify(value)
      const decoded = known.get(text) ?? decode(text)
      known.set(text, decoded)
      return decoded
    },
  }
}

/** Limit for the decoders of one kind: the two directions of a tool are compared one after the other. */
const maxDecoders = 8

/** The decoders of schemas with the same definitions: making one costs more than most decoding. */
export class DecoderPool {
  readonly defs: Defs
  /** Values that searches have made of the schemas. */
  readonly samples: Samples = new WeakMap()
  readonly #makeCodec: Installed
  readonly #kept = new Map<string, Map<Schema, ValueDecoder>>()

  /** @param makeCodec `payloadCodec` or `resultCodec` of the installed runtime */
  constructor(defs: Defs, makeCodec: Installed) {
    this.defs = defs
    this.#makeCodec = makeCodec
  }

  /** Returns the decoder of a schema. `unknown` says what happens to undeclared fields; default: as the codec does. */
  of(schema: Schema, unknown?: 'reject'): ValueDecoder {
    const kept = this.#kept.get(unknown ?? '') ?? new Map<Schema, ValueDecoder>()
    this.#kept.set(unknown ?? '', kept)
    const known = kept.get(schema)
    if (known !== undefined) return known
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= maxDecoders) kept.delete(oldest)
    const decoder = valueDecoder(this.#makeCodec, closedSchema(schema, this.defs), unknown)
    kept.set(schema, decoder)
    return decoder
  }
}

export interface SchemaMismatches {
  readonly source: Schema
  readonly target: Schema
  /** All mismatches: a witness of one must not be about another. */
  readonly all: readonly Mismatch[]
  readonly reported: readonly Mismatch[]
}

/** Decoders of both sides, and the treatment of undeclared fields. */
interface SearchOptions {
  readonly source: DecoderPool
  readonly target: DecoderPool
  readonly fields: Prover['fields']
}

/** Adds witnesses to mismatches: made values, which the codecs of both sides decide. */
export function withWitnesses(
  { source, target, all, reported }: SchemaMismatches,
  options: SearchOptions,
): readonly WitnessedMismatch[] {
  if (reported.length === 0) return reported
  const search = new WitnessSearch(source, target, options)
  let isStopped = false
  return reported.map((mismatch) => {
    // A pattern that was stopped leaves the codecs in an unknown state.
    if (isStopped) return mismatch
    const find = (): Json | undefined => search.witnessOf(mismatch, all)
    // Limiting the time takes longer than most searches.
    const found = search.mayBeSlow ? inTime(find) : { isDone: true as const, value: find() }
    isStopped = !found.isDone
    const witness = found.isDone ? found.value : undefined
    return witness === undefined ? mismatch : { ...mismatch, witness }
  })
}

const maxTried = 150

/** Keys of a pointer into a value; `undefined` for any item or any field. */
type Path = readonly (string | undefined)[]

/** Searches for values that the source schema accepts and the target schema rejects. */
class WitnessSearch {
  readonly mayBeSlow: boolean
  readonly #source: Schema
  readonly #target: Schema
  readonly #options: SearchOptions
  /** Accepts declared fields only. */
  readonly #strict: ValueDecoder
  /** Drops undeclared fields of results. */
  readonly #reader: ValueDecoder
  readonly #targetDecoder: ValueDecoder

  constructor(source: Schema, target: Schema, options: SearchOptions) {
    this.#source = source
    this.#target = target
    this.#options = options
    this.#reader = options.source.of(source)
    this.#strict = options.fields === 'known' ? this.#reader : options.source.of(source, 'reject')
    this.#targetDecoder = options.target.of(target)
    this.mayBeSlow = this.#strict.mayBeSlow || this.#targetDecoder.mayBeSlow
  }

  witnessOf(mismatch: Mismatch, all: readonly Mismatch[]): Json | undefined {
    const steps = stepsOf(mismatch.pointer)
    const found = firstOf(this.#values(steps), (value) => this.#isWitness(value, mismatch, all))
    const mayBeDropped = this.#options.fields === 'any' && mismatch.aspect === 'field'
    return found === undefined && mayBeDropped ? this.#droppedField(steps, pathOf(mismatch)) : found
  }

  #values(steps: readonly Step[]): Iterable<Json> {
    const { source, target } = this.#options
    return new ValueMaker(source.defs, source.samples, target.defs).values([this.#source], [this.#target], steps)
  }

  #isWitness(value: Json, mismatch: Mismatch, all: readonly Mismatch[]): boolean {
    const decoded = this.#targetDecoder.decode(value)
    if (decoded.kind !== 'rejected') return false
    const issues =
      this.#options.fields === 'known'
        ? decoded.issues
        : decoded.issues.filter(({ constraint }) => constraint !== 'unknown_field')
    return issues.some((issue) => showsMismatch(issue, mismatch, all)) && this.#strict.decode(value).kind === 'accepted'
  }

  /** Returns a value with a field that the target has, and that readers of the source do not get. */
  #droppedField(steps: readonly Step[], path: Path): Json | undefined {
    const { source, target } = this.#options
    const dropped = firstOf(this.#values(steps), (value) => {
      const read = this.#reader.decode(value)
      return hasAt(value, path) && read.kind === 'accepted' && !hasAt(read.value, path)
    })
    if (dropped === undefined) return undefined
    // The pointer leads to variants of the source schema.
    const inner = steps.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf')
    const maker = new ValueMaker(target.defs, target.samples, source.defs)
    return firstOf(maker.values([this.#target], [this.#target], inner), (value) => {
      const decoded = this.#targetDecoder.decode(value)
      return decoded.kind === 'accepted' && hasAt(decoded.value, path)
    })
  }
}

function hasAt(value: unknown, [key, ...rest]: Path): boolean {
  if (typeof value !== 'object' || value === null) return false
  const inner = key === undefined ? Object.values(value) : Object.hasOwn(value, key) ? [Reflect.get(value, key)] : []
  return inner.some((part) => rest.length === 0 || hasAt(part, rest))
}

/** Returns the first value that meets a condition. */
function firstOf(values: Iterable<Json>, isFound: (value: Json) => boolean): Json | undefined {
  let left = maxTried
  for (const value of values) {
    if (isFound(value)) return value
    left -= 1
    if (left === 0) return undefined
  }
  return undefined
}

/** Aspects that an issue of a constraint can show. Issues of other constraints can show any aspect. */
const aspectsByConstraint: ReadonlyMap<string, readonly Aspect[]> = new Map([
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

/** The constraint of keywords with the aspect `rule`. */
const ruleConstraints: ReadonlyMap<string, string> = new Map([
  ['uniqueItems', 'not_unique'],
  ['contains', 'invalid_contains'],
  ['dependentRequired', 'missing_dependency'],
])

/** Constraints whose issues are reported at a union, whichever part of it differs. */
const unionConstraints: readonly string[] = ['no_variant_matches', 'several_variants_match', 'not_allowed']

/** Returns `true` if an issue shows one mismatch and no other one. */
function showsMismatch(issue: Issue, mismatch: Mismatch, all: readonly Mismatch[]): boolean {
  const at = parsePointer(issue.pointer) ?? []
  const path = pathOf(mismatch)
  if (unionConstraints.includes(issue.constraint) && at.length < path.length) return isPrefix(at, path)
  return (
    mayShow(issue, at, mismatch) &&
    // An issue belongs to the innermost mismatch.
    all.every((other) => pathOf(other).length <= path.length || !mayShow(issue, at, other))
  )
}

function mayShow({ constraint }: Issue, at: Path, mismatch: Mismatch): boolean {
  const { aspect } = mismatch
  const path = pathOf(mismatch)
  if (!isPrefix(path, at)) return false
  // Unknown fields are a mismatch of their object.
  if (aspect === 'unknown-fields') return constraint === 'unknown_field' && at.length === path.length + 1
  const only = aspect === 'rule' ? ruleConstraints.get(stepsOf(mismatch.pointer).at(-1)?.keyword ?? '') : undefined
  if (only !== undefined) return constraint === only
  return aspect === 'rule' || aspect === 'variant' || (aspectsByConstraint.get(constraint)?.includes(aspect) ?? true)
}

function isPrefix(outer: Path, inner: Path): boolean {
  return (
    outer.length <= inner.length &&
    outer.every((key, index) => key === undefined || inner[index] === undefined || key === inner[index])
  )
}

/** Returns the path of the values that a mismatch is about. */
function pathOf({ pointer }: Mismatch): Path {
  return stepsOf(pointer).flatMap(({ keyword, name }) => {
    if (keyword === 'properties' || keyword === 'prefixItems') return [name]
    return ['items', 'additionalProperties', 'patternProperties'].includes(keyword) ? [undefined] : []
  })
}
