import { objectFrom, own } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { annotations } from '../../schema/json/keywords.js'
import { refName } from '../../schema/json/pointer.js'
import { refusedArrays } from './arrays.js'
import { casesOf, conditionalParts } from './cases.js'
import { knownNames } from './declared-fields.js'
import { isDisjoint } from './disjoint.js'
import { finiteValues, listedBy } from './finite-values.js'
import { type Flat, flatten, schemaAt, schemaMap, schemasIn, textsOf, type Union } from './flatten.js'
import { type JsonType, typeNames, typesOf } from './json-types.js'
import { refusedNumbers } from './numbers.js'
import { PossibleFields } from './object-fields.js'
import { refusedObjects } from './objects.js'
import type { Prover } from './prover.js'
import { below, type Refusal } from './refusal.js'
import { sameSchema } from './same-schema.js'
import { type Defs, type Sides, type Spot, spotOf } from './spot.js'
import type { Taken } from './taken.js'
import { takesValue } from './takes-value.js'
import { refusedTexts } from './texts.js'

/** What is compared, and how. */
export interface InclusionOptions extends Sides {
  readonly fields: Prover['fields']
}

/**
 * Why a schema does not take every value that another one takes: nothing only where it is proven that it does. The proof
 * follows the values downwards, so that definitions that contain themselves come to an end.
 */
export function refusals(taken: Schema, taker: Schema, { fields, ...sides }: InclusionOptions): readonly Refusal[] {
  return new Inclusion(sides, fields).refusals(spotOf(taken), spotOf(taker))
}

/** How deep spots are nested, how many steps are taken before a comparison is given up, and what is told of one spot. */
const limits = { depth: 150, steps: 50_000, refusals: 100 }

class Inclusion implements Prover {
  readonly sides: Sides
  readonly fields: Prover['fields']
  readonly #ids = new Map<Schema, number>()
  /** The pairs of spots that are proven, or being proven: a part inside meets them again where a definition contains itself. */
  readonly #proven = new Set<string>()
  /** What was found of pairs that are not: with less taken for proven it would be more. */
  readonly #refused = new Map<string, readonly Refusal[]>()
  readonly #fields = new WeakMap<Taken, PossibleFields>()
  #depth = 0
  #steps = 0

  constructor(sides: Sides, fields: Prover['fields']) {
    this.sides = sides
    this.fields = fields
  }

  refusals(taken: Spot, taker: Spot): readonly Refusal[] {
    const { sides } = this
    const pair = [
      ...[taken.all, taken.maybe, taken.instead].map((list) => this.#idsOf(list, sides.taken)),
      ...[taker.all, taker.maybe].map((list) => this.#idsOf(list, sides.taker)),
    ].join(';')
    if (this.#proven.has(pair)) return []
    const known = this.#refused.get(pair)
    if (known !== undefined) return known
    if (this.#isSame(taken, taker)) return []
    if (this.#depth > limits.depth || this.#steps > limits.steps) return [tooMuch]
    const before = this.#proven.size
    this.#proven.add(pair)
    this.#depth += 1
    const found = this.#compare(taken, taker)
    this.#depth -= 1
    if (found.length > 0) {
      // What was proven since may rest on this pair.
      for (const each of [...this.#proven].slice(before)) this.#proven.delete(each)
      this.#refused.set(pair, found)
    }
    return found
  }

  fieldsOf(taken: Taken): PossibleFields {
    const made = this.#fields.get(taken) ?? new PossibleFields(taken, this.sides.taken)
    this.#fields.set(taken, made)
    return made
  }

  fits(taken: Taken, taker: Schema): boolean {
    const flat = flatten([taker], this.sides.taker)
    return flat !== undefined && this.#misfits(taken, flat).refusals.length === 0
  }

  #isSame(taken: Spot, taker: Spot): boolean {
    return (
      taken.all.length === taker.all.length &&
      [...taken.maybe, ...taken.instead, ...taker.maybe].length === 0 &&
      taken.all.every((schema, index) => sameSchema(schema, taker.all[index] ?? false, this.sides))
    )
  }

  #idsOf(schemas: readonly Schema[], defs: Defs): string {
    return schemas.map((schema) => this.#idOf(schema, defs)).join(',')
  }

  /** What tells a schema from others: by its definition where it is a reference, by its variants where it is a union alone. */
  #idOf(schema: Schema, defs: Defs): string {
    if (typeof schema !== 'boolean') {
      const [keyword, ...others] = Object.keys(schema).filter((key) => !annotations.includes(key))
      const target = keyword === '$ref' ? own(defs, refName(own(schema, keyword)) ?? '') : undefined
      const parts = keyword === 'anyOf' || keyword === 'allOf' ? schemasIn(own(schema, keyword)) : undefined
      if (others.length === 0 && parts !== undefined) return `${keyword}(${this.#idsOf(parts, defs)})`
      if (others.length === 0 && target !== undefined && target !== schema) return this.#numberOf(target)
    }
    return this.#numberOf(schema)
  }

  #numberOf(schema: Schema): string {
    const id = this.#ids.get(schema) ?? this.#ids.size
    this.#ids.set(schema, id)
    return String(id)
  }

  #compare(taken: Spot, taker: Spot): readonly Refusal[] {
    const from = flatten(taken.all, this.sides.taken)
    if (from === undefined) return []
    const to = flatten(taker.all, this.sides.taker)
    if (to === undefined) return [{ ...whole('type', typeNames(typesOf(from.plain)), []), sure: true }]
    const own: Sides = { taken: this.sides.taken, taker: this.sides.taken }
    const found = casesOf(from, this.sides.taken).flatMap((each) => {
      this.#steps += each.others.length
      if (this.#steps > limits.steps) return [tooMuch]
      const besides = each.others.filter((other) => !isDisjoint(each, other, own))
      const values: Taken = {
        plain: each.plain,
        excluded: each.excluded,
        maybe: [...taken.maybe, ...conditionalParts(each.plain)],
        instead: [...taken.instead, ...besides],
      }
      return below(each.pointer, this.#oneCase(values, to, taker.maybe))
    })
    return distinct(found).slice(0, limits.refusals)
  }

  #oneCase(taken: Taken, to: Flat, maybe: readonly Schema[]): readonly Refusal[] {
    // Kinds of values are looked at one by one where each may fit another variant.
    const kinds = typeNames(typesOf(taken.plain))
    const parts = to.unions.length > 0 && kinds.length > 1 ? kinds.map((type) => ({ type })) : [undefined]
    return parts.flatMap((part) => {
      const values = part === undefined ? taken : { ...taken, plain: [...taken.plain, part] }
      return this.#misfits(values, to, maybe).refusals
    })
  }

  /** What does not fit, and the schemas that are known to apply to what does. */
  #misfits(taken: Taken, to: Flat, maybe?: readonly Schema[]): Fit {
    this.#steps += 1 + taken.instead.length
    if (this.#steps > limits.steps) return { refusals: [tooMuch], applying: [] }
    const types = typesOf(taken.plain)
    const values = finiteValues(taken.plain, types)
    if (values !== undefined) return { refusals: this.#refusedValues(values, types, to), applying: to.plain }
    const unions = to.unions.map((union) => this.#fitUnion(taken, union))
    const applying = [...to.plain, ...unions.flatMap((fit) => fit.applying)]
    return {
      applying,
      refusals: [...unions.flatMap((fit) => fit.refusals), ...this.#kinds({ taken, types }, to, { applying, maybe })],
    }
  }

  #refusedValues(values: readonly Json[], types: readonly JsonType[], to: Flat): readonly Refusal[] {
    const schemas = [...to.plain]
    const verdicts = values.map((value) => ({ value, verdict: takesValue(schemas, value, this.sides.taker) }))
    const refused = verdicts.filter(({ verdict }) => verdict !== true)
    if (refused.length === 0) return []
    const sure = refused.every(({ verdict }) => verdict === false)
    const others = typesOf(to.plain)
    const taker = listed(to.plain) ?? typeNames(others)
    if (!types.some((type) => others.includes(type)))
      return [{ ...whole('type', typeNames(types), typeNames(others)), sure }]
    return [{ ...whole('enum', values, taker), pointer: '/enum', sure }]
  }

  #kinds(
    { taken, types }: { readonly taken: Taken; readonly types: readonly JsonType[] },
    to: Flat,
    { applying, maybe }: Pick<Fit, 'applying'> & { readonly maybe: readonly Schema[] | undefined },
  ): readonly Refusal[] {
    const others = typesOf(to.plain)
    const common = types.filter((type) => others.includes(type))
    const list = listed(to.plain)
    const refusedTypes =
      common.length === types.length ? [] : [{ ...whole('type', typeNames(types), typeNames(others)), sure: true }]
    if (common.length === 0) return refusedTypes
    if (list !== undefined) return [{ ...whole('enum', typeNames(types), list), pointer: '/enum', sure: true }]
    const closers = [...(maybe ?? []), ...conditionalParts(to.plain)]
    return [
      ...refusedTypes,
      ...(common.some((type) => type === 'integer' || type === 'fraction')
        ? refusedNumbers(taken.plain, common, to.plain)
        : []),
      ...(common.includes('string') ? refusedTexts(taken.plain, to.plain) : []),
      ...(common.includes('array') ? refusedArrays(taken, { plain: to.plain, maybe: closers }, this) : []),
      ...(common.includes('object')
        ? refusedObjects(
            taken,
            { plain: to.plain, applying: maybe === undefined ? undefined : applying, maybe: closers },
            this,
          )
        : []),
      ...to.plain.flatMap((schema) => this.#brokenRules(taken, schema)),
    ]
  }

  /** The rules of a schema for values of any kind. */
  #brokenRules(taken: Taken, taker: SchemaObject): readonly Refusal[] {
    const excluded = schemaAt(taker, 'not')
    const broken = [
      ...(excluded === undefined || isDisjoint(taken, excluded, this.sides) ? [] : ['not']),
      ...(this.#keepsCondition(taken, taker) ? [] : ['if']),
    ]
    return broken.map((keyword) => ({
      aspect: 'rule',
      pointer: `/${keyword}`,
      taken: taken.plain.map((schema) => own(schema, keyword)).find((value) => value !== undefined),
      taker: own(taker, keyword),
      sure: false,
    }))
  }

  #keepsCondition(taken: Taken, taker: SchemaObject): boolean {
    const condition = schemaAt(taker, 'if')
    if (condition === undefined) return true
    const [met, unmet] = [schemaAt(taker, 'then') ?? true, schemaAt(taker, 'else') ?? true]
    const isSame = taken.plain.some(
      (schema) =>
        sameSchema(schemaAt(schema, 'if') ?? false, condition, this.sides) &&
        sameSchema(schemaAt(schema, 'then') ?? true, met, this.sides) &&
        sameSchema(schemaAt(schema, 'else') ?? true, unmet, this.sides),
    )
    return isSame || (this.fits(taken, met) && this.fits(taken, unmet))
  }

  #fitUnion(taken: Taken, { keyword, variants }: Union): Fit {
    const fits = variants.map((variant): Fit => {
      const flat = flatten([variant], this.sides.taker)
      return flat === undefined ? { refusals: [tooMuch], applying: [] } : this.#misfits(taken, flat)
    })
    const fitting = fits.filter((fit) => fit.refusals.length === 0)
    if (fitting.length === 0) return { refusals: this.#nearest(taken, variants, fits), applying: [] }
    if (keyword === 'anyOf') return { refusals: [], applying: fitting.flatMap((fit) => fit.applying) }
    const chosen = fits.findIndex((fit) => fit.refusals.length === 0)
    const isOnly = variants.every((variant, index) => index === chosen || isDisjoint(taken, variant, this.sides))
    if (isOnly) return { refusals: [], applying: fits[chosen]?.applying ?? [] }
    return {
      refusals: [{ ...whole('variant', shown(taken.plain), 'exactly one of several'), sure: false }],
      applying: [],
    }
  }

  /** What the variant that was meant says, as far as one can tell which it was. */
  #nearest(taken: Taken, variants: readonly Schema[], fits: readonly Fit[]): readonly Refusal[] {
    this.#steps += variants.length
    if (this.#steps > limits.steps) return [tooMuch]
    const names = new Set(taken.plain.flatMap(knownNames))
    const [first] = fits
      .filter((_, index) => !isDisjoint(taken, variants[index] ?? false, this.sides))
      .map(({ refusals, applying }) => ({
        refusals,
        shared: applying.flatMap(knownNames).filter((name) => names.has(name)).length,
      }))
      .sort((a, b) => b.shared - a.shared || a.refusals.length - b.refusals.length)
    if (first !== undefined) return first.refusals
    return [{ ...whole('variant', shown(taken.plain), variants.map(briefly)), sure: true }]
  }
}

interface Fit {
  readonly refusals: readonly Refusal[]
  readonly applying: readonly SchemaObject[]
}

const tooMuch: Refusal = { aspect: 'rule', pointer: '', taken: undefined, taker: 'too much to compare', sure: false }

function whole(aspect: Refusal['aspect'], taken: Json, taker: Json): Omit<Refusal, 'sure'> {
  return { aspect, pointer: '', taken, taker }
}

function listed(plain: readonly SchemaObject[]): readonly Json[] | undefined {
  return plain.flatMap(listedBy)[0]
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
  return names[0] ?? listed(plain) ?? typeNames(typesOf(plain))
}

/** The same part may be met by way of several variants. */
function distinct(found: readonly Refusal[]): readonly Refusal[] {
  const seen = new Map(found.map((refusal) => [JSON.stringify(refusal), refusal]))
  return [...seen.values()]
}
