import { deepEqual, parsePointer, patternExamples } from '@toolgen/runtime/schema'
import {
  isObject,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaObject,
  stringsOf,
} from '../schema/json-schema.js'
import { everythingIn, knownNames, matches, schemasOfField } from './declared-fields.js'
import { type Defs, flatten, numbersOf, schemaAt, schemaMap, schemasIn, textsOf, type Union } from './flatten.js'
import { type JsonType, listedBy, typesOf } from './schema-view.js'
import { takesValue } from './takes-value.js'
import { largest } from './value-ranges.js'

/** How much is made and thrown away before there is no value. */
const mostSteps = 3000

/** How deep values are nested below the place that is looked at. */
const deepest = 12

/** Longer arrays and objects are not made. */
const maxNameCount = 300

type Fields = ReadonlyMap<string, Json>

/** Values that are likely to fit schemas, one of each. */
export type Samples = WeakMap<SchemaObject, Json>

/**
 * Makes values that are likely to fit schemas, and likely not to fit others: on both sides of every bound that either of
 * them sets. They are guesses, which codecs judge.
 */
export class ValueMaker {
  readonly #defs: Defs
  readonly #otherDefs: Defs
  readonly #samples: Samples
  #left = mostSteps

  /**
   * @param samples what was made of schemas over the same definitions
   * @param otherDefs the definitions to which the others refer
   */
  constructor(defs: Defs, samples: Samples, otherDefs: Defs) {
    this.#defs = defs
    this.#samples = samples
    this.#otherDefs = otherDefs
  }

  /** Values of schemas that all apply, each with something of interest to the others at the place to which the steps lead. */
  *values(schemas: readonly Schema[], others: readonly Schema[], steps: readonly Step[]): Generator<Json> {
    const near = everythingIn(others, this.#otherDefs)
    for (const chosen of chosenCases(schemas, steps, this.#defs)) {
      if (this.#left-- < 0) return
      const [step, ...rest] = chosen.steps
      const { plain } = chosen
      if (step?.name !== undefined && step.keyword === 'properties') {
        yield* this.#withField({ plain, steps: rest }, near, step.name)
      } else if (step?.keyword === 'additionalProperties' || step?.keyword === 'patternProperties') {
        for (const name of this.#otherNames([...plain, ...near], step.name)) {
          yield* this.#withField({ plain, steps: rest }, near, name)
        }
      } else if (step?.keyword === 'items' || step?.keyword === 'prefixItems') {
        const prefix = Math.max(0, ...[...plain, ...near].map((schema) => prefixIn(schema).length))
        const index = step.name === undefined ? prefix : Number(step.name)
        yield* this.#withItem({ plain, steps: rest }, near, index)
      } else {
        // Whatever else is named is a rule for the same value.
        yield* this.#near(plain, near)
      }
    }
  }

  /** A value that is likely to fit schemas; the same for the same schema. */
  #one(schemas: readonly Schema[], depth: number): Json | undefined {
    const [schema = true, ...more] = schemas
    if (typeof schema === 'boolean' || more.length > 0) return this.#made(schemas, depth)
    const known = this.#samples.get(schema) ?? this.#made(schemas, depth)
    if (known !== undefined) this.#samples.set(schema, known)
    return known
  }

  #made(schemas: readonly Schema[], depth: number): Json | undefined {
    for (const { plain } of chosenCases(schemas, [], this.#defs)) {
      if (depth > deepest || this.#left-- < 0) return undefined
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
      if (type === 'object') yield* this.#nearObjects(plain, near)
      else if (type === 'array') yield* this.#nearArrays(plain, near)
      else yield* scalars(type, both).filter((value) => this.#mayFit(plain, value))
    }
  }

  *#nearObjects(plain: readonly SchemaObject[], near: readonly SchemaObject[]): Generator<Json> {
    const both = [...plain, ...near]
    yield* given(objectOf(this.#fields(plain, [], 0)))
    const names = [...new Set(both.flatMap(knownNames))].slice(0, maxNameCount)
    const others = this.#otherNames(both)
    for (const name of [...names, ...others]) yield* given(objectOf(this.#fields(plain, [name], 0)))
    yield* given(objectOf(this.#fields(plain, names, 0)))
    for (const name of others) yield* given(objectOf(this.#fields(plain, [...names, name], 0)))
    for (const length of nearLengths(both, ['minProperties', 'maxProperties'], maxNameCount)) {
      const more = Array.from({ length }, (_, index) => `key${index}`)
      const required = requiredIn(plain)
      const wanted = [...new Set([...required, ...names, ...more])].slice(0, Math.max(length, required.length))
      yield* given(objectOf(this.#fields(plain, wanted, 0)))
    }
  }

  *#nearArrays(plain: readonly SchemaObject[], near: readonly SchemaObject[]): Generator<Json> {
    const both = [...plain, ...near]
    const prefixes = both.flatMap((schema) => [prefixIn(schema).length, prefixIn(schema).length + 1])
    const lengths = [
      ...nearLengths(both, ['minItems', 'maxItems', 'minContains', 'maxContains'], maxNameCount),
      ...prefixes,
    ]
    for (const length of new Set([0, 1, 2, ...lengths])) {
      const items = this.#items(plain, length, 0)
      if (items === undefined) continue
      yield items
      const [first] = items
      if (first === undefined) continue
      for (const other of this.#itemsNear(plain, near)) yield [...items.slice(0, -1), other]
    }
  }

  /** Items that some rule for all of them asks for. */
  *#itemsNear(plain: readonly SchemaObject[], near: readonly SchemaObject[]): Generator<Json> {
    const wanted = near.flatMap((schema) => given(schemaAt(schema, 'contains')))
    const at = plain.flatMap((schema) => given(schemaAt(schema, 'items')))
    for (const part of [true, ...wanted]) yield* given(this.#one([...at, part], 1))
    let left = 6
    for (const value of this.values(at, wanted, [])) {
      if (left-- === 0) return
      yield value
    }
  }

  *#withField({ plain, steps }: ChosenCase, near: readonly SchemaObject[], name: string): Generator<Json> {
    if (!typesOf(plain).includes('object')) return
    const without = this.#fields(plain, [], 0)
    if (without !== undefined && !without.has(name)) yield* given(objectOf(without))
    const around = this.#fields(plain, [name], 0)
    if (around === undefined) return
    for (const value of this.values(schemasOfField(plain, name), schemasOfField(near, name), steps)) {
      yield* given(objectOf(new Map([...around, [name, value]])))
    }
  }

  *#withItem({ plain, steps }: ChosenCase, near: readonly SchemaObject[], index: number): Generator<Json> {
    if (!typesOf(plain).includes('array') || index > maxNameCount) return
    const around = this.#items(plain, Math.max(index + 1, largest(plain, 'minItems')), 0)
    if (around === undefined) return
    for (const value of this.values(itemsAt(plain, index), itemsAt(near, index), steps)) {
      yield around.map((item, at) => (at === index ? value : item))
    }
  }

  /** The fields that an object must have, and more; `undefined` where one of them has no value. */
  #fields(plain: readonly SchemaObject[], more: readonly string[], depth: number): Fields | undefined {
    if (!typesOf(plain).includes('object')) return undefined
    const least = largest(plain, 'minProperties')
    const names = new Set([...requiredIn(plain), ...more])
    for (const name of names) for (const other of dependentsOf(plain, name)) names.add(other)
    const spare = [...plain.flatMap(knownNames), ...Array.from({ length: least }, (_, index) => `key${index}`)]
    for (const name of spare) if (names.size < least && least <= maxNameCount) names.add(name)
    const fields = new Map<string, Json>()
    for (const name of names) {
      const value = this.#one(schemasOfField(plain, name), depth + 1)
      if (value === undefined) return undefined
      fields.set(name, value)
    }
    return fields
  }

  /** So many items, different ones where they must be; `undefined` where there are none. */
  #items(plain: readonly SchemaObject[], length: number, depth: number): readonly Json[] | undefined {
    if (length > maxNameCount) return undefined
    const isUnique = plain.some((schema) => own(schema, 'uniqueItems') === true)
    const wanted = plain.flatMap((schema) => given(schemaAt(schema, 'contains')))
    const items: Json[] = []
    for (let index = 0; index < length; index++) {
      const schemas = itemsAt(plain, index)
      const item = this.#one(
        index < wanted.length ? [...schemas, ...wanted.slice(index, index + 1)] : schemas,
        depth + 1,
      )
      const other = isUnique && items.some((each) => deepEqual(each, item ?? null)) ? this.#other(schemas, items) : item
      if (other === undefined) return undefined
      items.push(other)
    }
    return items
  }

  #other(schemas: readonly Schema[], items: readonly Json[]): Json | undefined {
    for (const value of this.values(schemas, [], [])) {
      if (!items.some((each) => deepEqual(each, value))) return value
    }
    return undefined
  }

  /** Names that schemas do not declare, as far as they let objects have such. */
  #otherNames(plain: readonly SchemaObject[], pattern?: string): readonly string[] {
    const rules = plain.flatMap((schema) => given(schemaAt(schema, 'propertyNames')))
    const declared = new Set(plain.flatMap(knownNames))
    const patterns = plain.flatMap((schema) => schemaMap(schema, 'patternProperties').map(([each]) => each))
    const listed = everythingIn(rules, this.#defs).flatMap(listedBy).flat()
    const candidates = ['other', ...listed, ...nearTexts(everythingIn(rules, this.#defs))]
    return candidates
      .filter((name): name is string => typeof name === 'string' && !declared.has(name))
      .filter((name) =>
        pattern === undefined ? !patterns.some((each) => matches(each, name)) : matches(pattern, name),
      )
      .slice(0, 6)
  }

  #mayFit(schemas: readonly Schema[], value: Json): boolean {
    return takesValue(schemas, value, this.#defs) !== false
  }
}

function objectOf(fields: Fields | undefined): Json | undefined {
  return fields === undefined ? undefined : objectFrom(fields)
}

/** Schemas that values of one combination of variants all fit, and the steps that are left from there. */
interface ChosenCase {
  readonly plain: readonly SchemaObject[]
  readonly steps: readonly Step[]
}

/** The combinations of variants to which steps lead; all of them, one after the other, where the steps choose none. */
function* chosenCases(schemas: readonly Schema[], steps: readonly Step[], defs: Defs): Generator<ChosenCase> {
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

/** One step of a refusal's pointer: into a part of the value, to a variant of a union, or to a rule for the same value. */
export interface Step {
  readonly keyword: string
  /** The field, the pattern, or the number of the item or variant, where the keyword has several. */
  readonly name?: string
}

const named: readonly string[] = ['properties', 'patternProperties', 'prefixItems', 'anyOf', 'oneOf']

/** The steps of a refusal's pointer, which has references followed. */
export function stepsOf(pointer: string): readonly Step[] {
  const keys = parsePointer(pointer) ?? []
  const steps: Step[] = []
  for (let index = 0; index < keys.length; index++) {
    const [keyword = '', name] = keys.slice(index, index + 2)
    if (!named.includes(keyword) || name === undefined) steps.push({ keyword })
    else {
      steps.push({ keyword, name })
      index += 1
    }
  }
  return steps
}

const common: readonly number[] = [0, 1, 2, -1, 0.5, 1.5, 1e21, -1e21]

/** Numbers on both sides of every bound that schemas set, and multiples of their steps. */
function nearNumbers(plain: readonly SchemaObject[]): readonly number[] {
  const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].flatMap((keyword) =>
    numbersOf(plain, keyword),
  )
  const steps = numbersOf(plain, 'multipleOf')
  const beside = bounds.flatMap((bound) => [bound, bound + 1, bound - 1, bound + 0.5, bound - 0.5])
  const middles = bounds.flatMap((low) => bounds.filter((high) => high > low).map((high) => (low + high) / 2))
  const multiples = steps.flatMap((step) => [
    ...[1, 2, 3, -1].map((times) => times * step),
    // Of several steps at once, and of none but one.
    ...steps.flatMap((other) => [step * other, step * (other + 1)]),
    ...bounds.flatMap((bound) => [-1, 0, 1].map((more) => (Math.round(bound / step) + more) * step)),
  ])
  const all = [...bounds, ...steps, ...common, ...beside, ...multiples, ...middles]
  return [...new Set([...all, ...middles.map(Math.round)])].filter(Number.isFinite)
}

/** Texts of which one fits most patterns, some of them beside the common ones. */
const texts: readonly string[] = [
  ...['sample', 'sample-0123456789abcdef-0123456789abcdef', 'a', '00000000-0000-4000-8000-000000000000'],
  ...['2024-01-01T00:00:00Z', '2024-01-01', 'sample@example.com', 'https://example.com/', '1', 'A1', 'AA=='],
  ...['', 'b', 'A', 'ab', 'A-1', 'a1', '0', '-', ' ', 'é'],
]

/** A text of each format that is asserted. */
const ofFormats: ReadonlyMap<string, string> = new Map([
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

/** Longer ones are not tried. */
const maxTextLength = 20_000

/** Texts of the formats and patterns that schemas ask for, and on both sides of every length; the likeliest come first. */
function nearTexts(plain: readonly SchemaObject[]): readonly string[] {
  const lengths = nearLengths(plain, ['minLength', 'maxLength'], maxTextLength)
  const long = lengths.flatMap((length) => ['a', '0', 'A'].map((char) => char.repeat(length)))
  const matched = textsOf(plain, 'pattern').flatMap(patternExamples)
  const formatted = textsOf(plain, 'format').flatMap((format) => ofFormats.get(format) ?? [])
  return [...new Set([...formatted, ...matched, ...long.slice(0, 3), ...texts, ...ofFormats.values(), ...long])]
}

/** Every length that keywords name, with those beside it. */
function nearLengths(plain: readonly SchemaObject[], keywords: readonly string[], most: number): readonly number[] {
  const bounds = keywords.flatMap((keyword) => numbersOf(plain, keyword))
  const near = bounds.flatMap((bound) => [bound, bound + 1, bound - 1])
  return [...new Set(near)].filter((length) => length >= 0 && length <= most)
}

/** What a schema says itself that values of its are. */
function valuesIn(schema: SchemaObject): readonly Json[] {
  const examples = own(schema, 'examples')
  return [...listedBy(schema).flat(), ...(Array.isArray(examples) ? examples : []), ...given(own(schema, 'default'))]
}

/** Scalars of a kind that are near to what schemas ask for. */
function scalars(type: JsonType, plain: readonly SchemaObject[]): readonly Json[] {
  if (type === 'null') return [null]
  if (type === 'boolean') return [true, false]
  if (type === 'string') return nearTexts(plain)
  if (type === 'integer') return nearNumbers(plain).filter(Number.isInteger)
  return type === 'fraction' ? nearNumbers(plain).filter((value) => !Number.isInteger(value)) : []
}

/** The fields that objects must have. */
function requiredIn(plain: readonly SchemaObject[]): readonly string[] {
  return plain.flatMap((schema) => stringsOf(schema, 'required'))
}

/** The fields that objects must have beside one. */
function dependentsOf(plain: readonly SchemaObject[], name: string): readonly string[] {
  return plain.flatMap((schema) => {
    const rules = own(schema, 'dependentRequired')
    return isObject(rules) ? stringsOf(rules, name) : []
  })
}

/** What a schema says of the first items, one by one. */
function prefixIn(schema: SchemaObject): readonly Schema[] {
  return schemasIn(own(schema, 'prefixItems')) ?? []
}

/** What schemas say of an item. */
function itemsAt(plain: readonly SchemaObject[], index: number): readonly Schema[] {
  return plain.flatMap((schema) => given(prefixIn(schema)[index] ?? schemaAt(schema, 'items')))
}

/** A list of what there is. */
function given<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value]
}
