import { objectFrom, own, sameJson } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { everythingIn, knownNames, matches, schemasOfField } from '../inclusion/declared-fields.js'
import { listedBy } from '../inclusion/finite-values.js'
import { schemaAt, schemaMap } from '../inclusion/flatten.js'
import { type JsonType, typesOf } from '../inclusion/json-types.js'
import type { Defs } from '../inclusion/spot.js'
import { takesValue } from '../inclusion/takes-value.js'
import { largest } from '../inclusion/texts.js'
import { type ChosenCase, chosenCases } from './chosen-case.js'
import { nearLengths, nearTexts } from './near-texts.js'
import type { Step } from './pointer-steps.js'
import { dependentsOf, given, itemsAt, prefixIn, requiredIn, scalars, valuesIn } from './said-of-values.js'

/** How much is made and thrown away before there is no value. */
const mostSteps = 3000

/** How deep values are nested below the place that is looked at. */
const deepest = 12

/** Longer arrays and objects are not made. */
const longest = 300

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
    const names = [...new Set(both.flatMap(knownNames))].slice(0, longest)
    const others = this.#otherNames(both)
    for (const name of [...names, ...others]) yield* given(objectOf(this.#fields(plain, [name], 0)))
    yield* given(objectOf(this.#fields(plain, names, 0)))
    for (const name of others) yield* given(objectOf(this.#fields(plain, [...names, name], 0)))
    for (const length of nearLengths(both, ['minProperties', 'maxProperties'], longest)) {
      const more = Array.from({ length }, (_, index) => `key${index}`)
      const required = requiredIn(plain)
      const wanted = [...new Set([...required, ...names, ...more])].slice(0, Math.max(length, required.length))
      yield* given(objectOf(this.#fields(plain, wanted, 0)))
    }
  }

  *#nearArrays(plain: readonly SchemaObject[], near: readonly SchemaObject[]): Generator<Json> {
    const both = [...plain, ...near]
    const prefixes = both.flatMap((schema) => [prefixIn(schema).length, prefixIn(schema).length + 1])
    const lengths = [...nearLengths(both, ['minItems', 'maxItems', 'minContains', 'maxContains'], longest), ...prefixes]
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
    if (!typesOf(plain).includes('array') || index > longest) return
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
    for (const name of spare) if (names.size < least && least <= longest) names.add(name)
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
    if (length > longest) return undefined
    const isUnique = plain.some((schema) => own(schema, 'uniqueItems') === true)
    const wanted = plain.flatMap((schema) => given(schemaAt(schema, 'contains')))
    const items: Json[] = []
    for (let index = 0; index < length; index++) {
      const schemas = itemsAt(plain, index)
      const item = this.#one(
        index < wanted.length ? [...schemas, ...wanted.slice(index, index + 1)] : schemas,
        depth + 1,
      )
      const other = isUnique && items.some((each) => sameJson(each, item ?? null)) ? this.#other(schemas, items) : item
      if (other === undefined) return undefined
      items.push(other)
    }
    return items
  }

  #other(schemas: readonly Schema[], items: readonly Json[]): Json | undefined {
    for (const value of this.values(schemas, [], [])) {
      if (!items.some((each) => sameJson(each, value))) return value
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
