import { deepEqual, parsePointer, patternExamples } from '@toolgen/runtime/schema'
import {
  type Defs,
  isObject,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaObject,
  stringsOf,
} from '../schema/json-schema.js'
import { inTime } from '../timers.js'
import type { DecoderPool, Issue, Samples, ValueDecoder } from './decoder.js'
import { type JsonType, listedBy, typesOf } from './json-types.js'
import { largest } from './lengths.js'
import type { Aspect, Mismatch } from './mismatch.js'
import type { Prover } from './prove-parts.js'
import { combinationsOf, everythingIn, flatten, type Step } from './schema-cases.js'
import {
  fieldPatterns,
  knownNames,
  matches,
  namesOf,
  numbersOf,
  schemasAt,
  schemasOf,
  schemasOfField,
  schemasOfItem,
  textsOf,
} from './schema-parts.js'
import { acceptsValue } from './schema-relations.js'

export interface WitnessedMismatch extends Mismatch {
  /** The codec of the source schema accepts this value. The codec of the target schema rejects the value or removes a field. */
  readonly witness?: Json
}

export interface SchemaMismatches {
  readonly source: Schema
  readonly target: Schema
  /** All mismatches of the two schemas, because an example value for one mismatch can also prove a second mismatch. */
  readonly all: readonly Mismatch[]
  readonly reported: readonly Mismatch[]
}

interface SearchOptions {
  readonly source: DecoderPool
  readonly target: DecoderPool
  readonly fields: Prover['fields']
}

export function withWitnesses(
  { source, target, all, reported }: SchemaMismatches,
  options: SearchOptions,
): readonly WitnessedMismatch[] {
  if (reported.length === 0) return reported
  const search = new WitnessSearch(source, target, options)
  let isStopped = false
  return reported.map((mismatch) => {
    // A pattern that was interrupted leaves the codecs in an unknown state.
    if (isStopped) return mismatch
    const find = (): Json | undefined => search.witnessOf(mismatch, all)
    // Sets a time limit only if needed, because setting it takes longer than most searches.
    const found = search.mayBeSlow ? inTime(find) : { isDone: true as const, value: find() }
    isStopped = !found.isDone
    const witness = found.isDone ? found.value : undefined
    return witness === undefined ? mismatch : { ...mismatch, witness }
  })
}

const maxTried = 150

/** `undefined` stands for any item or field. */
type Path = readonly (string | undefined)[]

class WitnessSearch {
  readonly mayBeSlow: boolean
  readonly #source: Schema
  readonly #target: Schema
  readonly #options: SearchOptions
  readonly #strict: ValueDecoder
  /** Rejects undeclared fields in payloads, and removes undeclared fields in results. */
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

  #droppedField(steps: readonly Step[], path: Path): Json | undefined {
    const { source, target } = this.#options
    const dropped = firstOf(this.#values(steps), (value) => {
      const read = this.#reader.decode(value)
      return hasAt(value, path) && read.kind === 'accepted' && !hasAt(read.value, path)
    })
    if (dropped === undefined) return undefined
    // Variants in the pointer belong to the source schema only.
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

function firstOf(values: Iterable<Json>, isFound: (value: Json) => boolean): Json | undefined {
  let left = maxTried
  for (const value of values) {
    if (isFound(value)) return value
    left -= 1
    if (left === 0) return undefined
  }
  return undefined
}

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

const ruleConstraints: ReadonlyMap<string, string> = new Map([
  ['uniqueItems', 'not_unique'],
  ['contains', 'invalid_contains'],
  ['dependentRequired', 'missing_dependency'],
])

/** Issues with these constraints point to a union, even if the invalid value is inside a variant of the union. */
const unionConstraints: readonly string[] = ['no_variant_matches', 'several_variants_match', 'not_allowed']

function showsMismatch(issue: Issue, mismatch: Mismatch, all: readonly Mismatch[]): boolean {
  const at = parsePointer(issue.pointer) ?? []
  const path = pathOf(mismatch)
  if (unionConstraints.includes(issue.constraint) && at.length < path.length) return isPrefix(at, path)
  return (
    mayShow(issue, at, mismatch) &&
    // If mismatches are nested, an issue proves only the innermost one.
    all.every((other) => pathOf(other).length <= path.length || !mayShow(issue, at, other))
  )
}

function mayShow({ constraint }: Issue, at: Path, mismatch: Mismatch): boolean {
  const { aspect } = mismatch
  const path = pathOf(mismatch)
  if (!isPrefix(path, at)) return false
  // The mismatch is reported for the object, but the issue for the unknown field inside the object.
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

function pathOf({ pointer }: Mismatch): Path {
  return stepsOf(pointer).flatMap(({ keyword, name }) => {
    if (keyword === 'properties' || keyword === 'prefixItems') return [name]
    return ['items', 'additionalProperties', 'patternProperties'].includes(keyword) ? [undefined] : []
  })
}

const maxSteps = 3000

const maxDepth = 12

const maxSize = 300

const maxTextLength = 20_000

type Fields = ReadonlyMap<string, Json>

const namedKeywords: readonly string[] = ['properties', 'patternProperties', 'prefixItems', 'anyOf', 'oneOf']

function stepsOf(pointer: string): readonly Step[] {
  const keys = parsePointer(pointer) ?? []
  const steps: Step[] = []
  for (let index = 0; index < keys.length; index++) {
    const [keyword = '', name] = keys.slice(index, index + 2)
    const hasName = namedKeywords.includes(keyword) && name !== undefined
    steps.push({ keyword, ...(hasName && { name }) })
    if (hasName) index += 1
  }
  return steps
}

/**
 * Generates values on both sides of each bound such as `minimum`, because often only one of the two schemas accepts such a value. Codecs check the
 * values later.
 */
class ValueMaker {
  readonly #defs: Defs
  readonly #otherDefs: Defs
  readonly #samples: Samples
  #left = maxSteps

  constructor(defs: Defs, samples: Samples, otherDefs: Defs) {
    this.#defs = defs
    this.#samples = samples
    this.#otherDefs = otherDefs
  }

  *values(schemas: readonly Schema[], others: readonly Schema[], steps: readonly Step[]): Generator<Json> {
    const near = everythingIn(others, this.#otherDefs)
    for (const chosen of variantCases(schemas, steps, this.#defs)) {
      if (this.#left-- < 0) return
      const { plain } = chosen
      const [step, ...inner] = chosen.steps
      switch (step?.keyword) {
        case 'properties':
          if (step.name === undefined) yield* this.#near(plain, near)
          else yield* this.#withField(plain, inner, near, step.name)
          break
        case 'additionalProperties':
        case 'patternProperties':
          for (const name of this.#otherNames([...plain, ...near], step.name)) {
            yield* this.#withField(plain, inner, near, name)
          }
          break
        case 'items':
        case 'prefixItems':
          yield* this.#withItem(
            plain,
            inner,
            near,
            Number(step.name ?? Math.max(0, ...prefixLengths([...plain, ...near]))),
          )
          break
        default:
          // The remaining keywords restrict the same value.
          yield* this.#near(plain, near)
      }
    }
  }

  #one(schemas: readonly Schema[], depth: number): Json | undefined {
    const [schema = true, ...more] = schemas
    if (typeof schema === 'boolean' || more.length > 0) return this.#made(schemas, depth)
    const known = this.#samples.get(schema) ?? this.#made(schemas, depth)
    if (known !== undefined) this.#samples.set(schema, known)
    return known
  }

  #made(schemas: readonly Schema[], depth: number): Json | undefined {
    for (const { plain } of variantCases(schemas, [], this.#defs)) {
      if (depth > maxDepth || this.#left-- < 0) return undefined
      const named = plain.flatMap(valuesIn).find((value) => this.#mayFit(schemas, value))
      if (named !== undefined) return named
      for (const type of typesOf(plain)) {
        const value = this.#oneOf(type, plain, depth)
        if (value !== undefined && this.#mayFit(schemas, value)) return value
      }
    }
    return undefined
  }

  #oneOf(type: JsonType, plain: readonly SchemaObject[], depth: number): Json | undefined {
    if (type === 'object') return objectOf(this.#fields(plain, [], depth))
    if (type === 'array') return this.#items(plain, largest(plain, 'minItems'), depth)
    return scalars(type, plain).find((value) => this.#mayFit(plain, value))
  }

  *#near(plain: readonly SchemaObject[], near: readonly SchemaObject[]): Generator<Json> {
    const both = [...plain, ...near]
    yield* both.flatMap(valuesIn).filter((value) => this.#mayFit(plain, value))
    for (const type of typesOf(plain)) {
      if (type === 'object') yield* this.#nearObjects(plain, both)
      else if (type === 'array') yield* this.#nearArrays(plain, near)
      else yield* scalars(type, both).filter((value) => this.#mayFit(plain, value))
    }
  }

  *#nearObjects(plain: readonly SchemaObject[], both: readonly SchemaObject[]): Generator<Json> {
    const names = [...new Set(both.flatMap(knownNames))].slice(0, maxSize)
    const others = this.#otherNames(both)
    const required = namesOf(plain, 'required')
    const lists = [
      [],
      ...[...names, ...others].map((name) => [name]),
      names,
      ...others.map((name) => [...names, name]),
      ...nearLengths(both, ['minProperties', 'maxProperties'], maxSize).map((length) =>
        [...new Set([...required, ...names, ...spareNames(length)])].slice(0, Math.max(length, required.length)),
      ),
    ]
    for (const list of lists) {
      const object = objectOf(this.#fields(plain, list, 0))
      if (object !== undefined) yield object
    }
  }

  *#nearArrays(plain: readonly SchemaObject[], near: readonly SchemaObject[]): Generator<Json> {
    const both = [...plain, ...near]
    const lengths = [
      ...nearLengths(both, ['minItems', 'maxItems', 'minContains', 'maxContains'], maxSize),
      ...prefixLengths(both).flatMap((length) => [length, length + 1]),
    ]
    for (const length of new Set([0, 1, 2, ...lengths])) {
      const items = this.#items(plain, length, 0)
      if (items === undefined) continue
      yield items
      if (items.length === 0) continue
      for (const other of this.#itemsNear(plain, near)) yield [...items.slice(0, -1), other]
    }
  }

  *#itemsNear(plain: readonly SchemaObject[], near: readonly SchemaObject[]): Generator<Json> {
    const [wanted, all] = [schemasOf(near, 'contains'), schemasOf(plain, 'items')]
    for (const part of [true, ...wanted]) {
      const item = this.#one([...all, part], 1)
      if (item !== undefined) yield item
    }
    let left = 6
    for (const value of this.values(all, wanted, [])) {
      if (left-- === 0) return
      yield value
    }
  }

  *#withField(
    plain: readonly SchemaObject[],
    steps: readonly Step[],
    near: readonly SchemaObject[],
    name: string,
  ): Generator<Json> {
    if (!typesOf(plain).includes('object')) return
    const without = this.#fields(plain, [], 0)
    if (without !== undefined && !without.has(name)) yield objectFrom(without)
    const fields = this.#fields(plain, [name], 0)
    if (fields === undefined) return
    for (const value of this.values(schemasOfField(plain, name), schemasOfField(near, name), steps)) {
      yield objectFrom(new Map([...fields, [name, value]]))
    }
  }

  *#withItem(
    plain: readonly SchemaObject[],
    steps: readonly Step[],
    near: readonly SchemaObject[],
    index: number,
  ): Generator<Json> {
    if (!typesOf(plain).includes('array') || index > maxSize) return
    const items = this.#items(plain, Math.max(index + 1, largest(plain, 'minItems')), 0)
    if (items === undefined) return
    for (const value of this.values(schemasOfItem(plain, index), schemasOfItem(near, index), steps)) {
      yield items.with(index, value)
    }
  }

  #fields(plain: readonly SchemaObject[], more: readonly string[], depth: number): Fields | undefined {
    if (!typesOf(plain).includes('object')) return undefined
    const least = largest(plain, 'minProperties')
    const names = new Set([...namesOf(plain, 'required'), ...more])
    for (const name of names) for (const other of dependentsOf(plain, name)) names.add(other)
    if (least <= maxSize) {
      for (const name of [...plain.flatMap(knownNames), ...spareNames(least)]) if (names.size < least) names.add(name)
    }
    const fields = new Map<string, Json>()
    for (const name of names) {
      const value = this.#one(schemasOfField(plain, name), depth + 1)
      if (value === undefined) return undefined
      fields.set(name, value)
    }
    return fields
  }

  #items(plain: readonly SchemaObject[], length: number, depth: number): readonly Json[] | undefined {
    if (length > maxSize) return undefined
    const isUnique = plain.some((schema) => own(schema, 'uniqueItems') === true)
    const wanted = schemasOf(plain, 'contains')
    const items: Json[] = []
    const isNew = (value: Json): boolean => !items.some((item) => deepEqual(item, value))
    for (let index = 0; index < length; index++) {
      const schemas = schemasOfItem(plain, index)
      let item = this.#one([...schemas, ...wanted.slice(index, index + 1)], depth + 1)
      if (isUnique && !isNew(item ?? null)) item = this.#firstOf(schemas, isNew)
      if (item === undefined) return undefined
      items.push(item)
    }
    return items
  }

  #firstOf(schemas: readonly Schema[], isWanted: (value: Json) => boolean): Json | undefined {
    for (const value of this.values(schemas, [], [])) if (isWanted(value)) return value
    return undefined
  }

  #otherNames(plain: readonly SchemaObject[], pattern?: string): readonly string[] {
    const rules = everythingIn(schemasOf(plain, 'propertyNames'), this.#defs)
    const declared = new Set(plain.flatMap(knownNames))
    const patterns = fieldPatterns(plain)
    return ['other', ...rules.flatMap(listedBy).flat(), ...nearTexts(rules)]
      .filter((name): name is string => typeof name === 'string' && !declared.has(name))
      .filter((name) =>
        pattern === undefined ? !patterns.some((each) => matches(each, name)) : matches(pattern, name),
      )
      .slice(0, 6)
  }

  #mayFit(schemas: readonly Schema[], value: Json): boolean {
    return acceptsValue(schemas, value, this.#defs) !== false
  }
}

function objectOf(fields: Fields | undefined): Json | undefined {
  return fields === undefined ? undefined : objectFrom(fields)
}

function spareNames(length: number): readonly string[] {
  return Array.from({ length }, (_, index) => `key${index}`)
}

function* variantCases(schemas: readonly Schema[], steps: readonly Step[], defs: Defs) {
  const flat = flatten(schemas, defs)
  if (flat !== undefined) yield* combinationsOf({ plain: flat.plain, chosen: [], steps }, flat.unions, defs)
}

const commonNumbers: readonly number[] = [0, 1, 2, -1, 0.5, 1.5, 1e21, -1e21]

function nearNumbers(plain: readonly SchemaObject[]): readonly number[] {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap((keyword) =>
    numbersOf(plain, keyword),
  )
  const steps = numbersOf(plain, 'multipleOf')
  const neighbours = bounds.flatMap((bound) => [bound, bound + 1, bound - 1, bound + 0.5, bound - 0.5])
  const middles = bounds.flatMap((low) => bounds.filter((high) => high > low).map((high) => (low + high) / 2))
  const multiples = steps.flatMap((step) => [
    ...[1, 2, 3, -1].map((times) => times * step),
    // Multiples of several steps, and of only one of them.
    ...steps.flatMap((other) => [step * other, step * (other + 1)]),
    ...bounds.flatMap((bound) => [-1, 0, 1].map((more) => (Math.round(bound / step) + more) * step)),
  ])
  const all = [...bounds, ...steps, ...commonNumbers, ...neighbours, ...multiples, ...middles]
  return [...new Set([...all, ...middles.map(Math.round)])].filter(Number.isFinite)
}

/** Most patterns match at least one of these strings. */
const commonTexts: readonly string[] = [
  ...['sample', 'sample-0123456789abcdef-0123456789abcdef', 'a', '00000000-0000-4000-8000-000000000000'],
  ...['2024-01-01T00:00:00Z', '2024-01-01', 'sample@example.com', 'https://example.com/', '1', 'A1', 'AA=='],
  ...['', 'b', 'A', 'ab', 'A-1', 'a1', '0', '-', ' ', 'é'],
]

const formatTexts: ReadonlyMap<string, string> = new Map([
  ['date-time', '2024-01-01T00:00:00Z'],
  ['date', '2024-01-01'],
  ['time', '12:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'sample@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '10.0.0.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['uri-reference', '/a'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['regex', '^a$'],
])

function nearTexts(plain: readonly SchemaObject[]): readonly string[] {
  const lengths = nearLengths(plain, ['minLength', 'maxLength'], maxTextLength)
  const long = lengths.flatMap((length) => ['a', '0', 'A'].map((char) => char.repeat(length)))
  const matched = textsOf(plain, 'pattern').flatMap(patternExamples)
  const formatted = textsOf(plain, 'format').flatMap((format) => formatTexts.get(format) ?? [])
  return [...new Set([...formatted, ...matched, ...long.slice(0, 3), ...commonTexts, ...formatTexts.values(), ...long])]
}

function nearLengths(plain: readonly SchemaObject[], keywords: readonly string[], most: number): readonly number[] {
  const bounds = keywords.flatMap((keyword) => numbersOf(plain, keyword))
  const near = bounds.flatMap((bound) => [bound, bound + 1, bound - 1])
  return [...new Set(near)].filter((length) => length >= 0 && length <= most)
}

function valuesIn(schema: SchemaObject): readonly Json[] {
  const [examples, value] = [own(schema, 'examples'), own(schema, 'default')]
  return [
    ...listedBy(schema).flat(),
    ...(Array.isArray(examples) ? examples : []),
    ...(value === undefined ? [] : [value]),
  ]
}

function scalars(type: JsonType, plain: readonly SchemaObject[]): readonly Json[] {
  if (type === 'null') return [null]
  if (type === 'boolean') return [true, false]
  if (type === 'string') return nearTexts(plain)
  return nearNumbers(plain).filter((value) => Number.isInteger(value) === (type === 'integer'))
}

function dependentsOf(plain: readonly SchemaObject[], name: string): readonly string[] {
  return plain.flatMap((schema) => {
    const rules = own(schema, 'dependentRequired')
    return isObject(rules) ? stringsOf(rules, name) : []
  })
}

function prefixLengths(plain: readonly SchemaObject[]): readonly number[] {
  return plain.map((schema) => schemasAt(schema, 'prefixItems')?.length ?? 0)
}
