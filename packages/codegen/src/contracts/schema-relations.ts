import { deepEqual } from '@toolgen/runtime/schema'
import { isObject, isSchema, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { annotations, keywords } from '../schema/keywords.js'
import { definitionsUsed, refName } from '../schema/references.js'
import {
  type Case,
  type Defs,
  finiteValues,
  flatten,
  type JsonType,
  jsonTypeOf,
  listedBy,
  namesOf,
  numbersOf,
  schemasOf,
  schemasOfField,
  schemasOfItem,
  textsOf,
  triedMatch,
  typesOf,
  type Union,
} from './schema-view.js'
import { hasNumbers, isMultipleOf, lengthsOf } from './value-ranges.js'

export interface DefinitionPair {
  readonly source: Defs
  readonly target: Defs
  /** Results of comparing definitions, by pair. */
  readonly same: Map<string, boolean>
}

/** Decision about a value; `undefined` if only a codec can decide. */
export type Verdict = boolean | undefined

/** Returns whether schemas accept a value. Objects and arrays are decided only by lists of values. */
export function acceptsValue(schemas: readonly Schema[], value: Json, defs: Defs): Verdict {
  const flat = flatten(schemas, defs)
  if (flat === undefined) return false
  const { plain, unions } = flat
  if (!typesOf(plain).includes(jsonTypeOf(value))) return false
  if (!plain.flatMap(listedBy).every((list) => list.some((listed) => deepEqual(listed, value)))) return false
  return everyVerdict([
    ...schemasOf(plain, 'not').map((excluded) => {
      const verdict = acceptsValue([excluded], value, defs)
      return verdict === undefined ? undefined : !verdict
    }),
    plain.some((schema) => own(schema, 'if') !== undefined) ? undefined : true,
    typeof value === 'number' ? acceptsNumber(plain, value) : true,
    typeof value === 'string' ? acceptsString(plain, value) : true,
    typeof value === 'object' && value !== null && plain.length > 0 ? undefined : true,
    ...unions.map((union) => acceptsVariant(union, value, defs)),
  ])
}

function acceptsNumber(plain: readonly SchemaObject[], value: number): Verdict {
  const isWithin =
    numbersOf(plain, 'minimum').every((bound) => value >= bound) &&
    numbersOf(plain, 'maximum').every((bound) => value <= bound) &&
    numbersOf(plain, 'exclusiveMinimum').every((bound) => value > bound) &&
    numbersOf(plain, 'exclusiveMaximum').every((bound) => value < bound)
  return isWithin && everyVerdict(numbersOf(plain, 'multipleOf').map((step) => isMultipleOf(value, step)))
}

function acceptsString(plain: readonly SchemaObject[], value: string): Verdict {
  const { length } = [...value]
  const { least, most } = lengthsOf(plain, 'minLength', 'maxLength')
  if (length < least || length > most) return false
  return everyVerdict([
    ...textsOf(plain, 'pattern').map((pattern) => triedMatch(pattern, value)),
    textsOf(plain, 'format').length === 0 && textsOf(plain, 'x-js').length === 0 ? true : undefined,
  ])
}

function acceptsVariant({ keyword, variants }: Union, value: Json, defs: Defs): Verdict {
  const verdicts = variants.map((variant) => acceptsValue([variant], value, defs))
  const accepting = verdicts.filter((verdict) => verdict === true).length
  const isOpen = verdicts.includes(undefined)
  if (keyword === 'anyOf') return accepting > 0 || (isOpen ? undefined : false)
  return accepting > 1 ? false : isOpen ? undefined : accepting === 1
}

function everyVerdict(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes(false)) return false
  return verdicts.includes(undefined) ? undefined : true
}

/** Returns `true` if no value of a case fits a schema, as far as types, lists of values, bounds and tags show. */
export function isDisjoint(
  { plain, excluded }: Pick<Case, 'plain' | 'excluded'>,
  schema: Schema,
  pair: DefinitionPair,
): boolean {
  if (excluded.some((other) => sameSchema(other, schema, pair))) return true
  const flat = flatten([schema], pair.target)
  if (flat === undefined) return true
  const [types, others] = [possibleTypes(plain, pair.source), possibleTypes(flat.plain, pair.target)]
  const common = types.filter((type) => others.includes(type))
  if (common.length === 0) return true
  const values = finiteValues(plain, types)
  if (values !== undefined) return values.every((value) => acceptsValue([schema], value, pair.target) === false)
  const listed = finiteValues(flat.plain, others)
  if (listed !== undefined) return listed.every((value) => acceptsValue(plain, value, pair.source) === false)
  const both = [...plain, ...flat.plain]
  return common.every((type) =>
    type === 'object' ? haveOtherTags(plain, flat.plain, pair) : !hasScalarsOrLengths(both, type),
  )
}

/** Returns `false` if bounds or lengths leave no value of a type. */
function hasScalarsOrLengths(plain: readonly SchemaObject[], type: JsonType): boolean {
  if (type === 'integer' || type === 'fraction') return hasNumbers(plain, type)
  if (type !== 'string' && type !== 'array') return true
  const of = type === 'string' ? 'Length' : 'Items'
  const { least, most } = lengthsOf(plain, `min${of}`, `max${of}`)
  return least <= most
}

/** Returns `true` if a required field has listed values, and no value is on both sides. */
function haveOtherTags(
  plain: readonly SchemaObject[],
  others: readonly SchemaObject[],
  { source, target }: DefinitionPair,
): boolean {
  return [...new Set(namesOf([...plain, ...others], 'required'))].some((name) => {
    const theirs = schemasOfField(others, name)
    const flat = flatten(schemasOfField(plain, name), source)
    const tags = flat === undefined ? [] : finiteValues(flat.plain, typesOf(flat.plain))
    return theirs.length > 0 && tags?.every((tag) => acceptsValue(theirs, tag, target) === false) === true
  })
}

/** Limit for the depth at which schemas without values are searched. */
const maxDepth = 3

/** Returns `true` if no value fits schemas, as far as bounds, lists, `not`, required fields and items show. */
export function isImpossible(schemas: readonly Schema[], defs: Defs, depth = 0): boolean {
  const flat = flatten(schemas, defs)
  if (flat === undefined) return true
  const { plain, unions } = flat
  return (
    schemasOf(plain, 'not').some(excludesAll) ||
    possibleTypes(plain, defs, depth).length === 0 ||
    (depth < maxDepth &&
      unions.some(({ variants }) => variants.every((variant) => isImpossible([variant], defs, depth + 1))))
  )
}

/** Returns the types of the values that fit schemas. */
export function possibleTypes(plain: readonly SchemaObject[], defs: Defs, depth = 0): readonly JsonType[] {
  const types = typesOf(plain)
  if (finiteValues(plain, types)?.length === 0) return []
  return types.filter((type) => {
    if (!hasScalarsOrLengths(plain, type)) return false
    if (type === 'array') {
      const isEmpty = lengthsOf(plain, 'minItems', 'maxItems').least === 0
      return isEmpty || depth >= maxDepth || !isImpossible(schemasOfItem(plain, 0), defs, depth + 1)
    }
    if (type !== 'object') return true
    const required = new Set(namesOf(plain, 'required'))
    const { least, most } = lengthsOf(plain, 'minProperties', 'maxProperties')
    if (Math.max(required.size, least) > most) return false
    return (
      depth >= maxDepth || [...required].every((name) => !isImpossible(schemasOfField(plain, name), defs, depth + 1))
    )
  })
}

/** Returns `true` for a schema that every value fits. */
export function excludesAll(excluded: Schema): boolean {
  if (typeof excluded === 'boolean') return excluded
  return Object.keys(excluded).every((keyword) => annotations.includes(keyword))
}

/** Limit for definitions within each other. Deeper ones are the same only if they read the same. */
const maxComparedDepth = 250

/** Returns `true` if two schemas have the same rules, whatever the names of their definitions. */
export function sameSchema(a: Schema, b: Schema, pair: DefinitionPair): boolean {
  return new SchemaComparison(pair).schemas(a, b)
}

class SchemaComparison {
  readonly #pair: DefinitionPair
  /** Pairs of definitions that are being compared, or that are the same if those are; with their positions. */
  readonly #open = new Map<string, number>()
  /** Position of the earliest open pair on which the last result depends. */
  #dependsOn = Number.POSITIVE_INFINITY

  constructor(pair: DefinitionPair) {
    this.#pair = pair
  }

  schemas(a: Schema, b: Schema): boolean {
    if (a === b && this.#pair.source === this.#pair.target) return true
    if (!isObject(a) || !isObject(b)) return a === b
    const [left, right] = [a, b].map((schema) => Object.keys(schema).filter((name) => !annotations.includes(name)))
    return (
      left?.length === right?.length &&
      left?.every(
        (name) => Object.hasOwn(b, name) && this.#values(name, own(a, name) ?? null, own(b, name) ?? null),
      ) === true
    )
  }

  #values(keyword: string, a: Json, b: Json): boolean {
    if (keyword === '$ref') return this.#references(a, b)
    const kind = keywords.get(keyword)
    if (kind === 'schema') return this.#parts(a, b)
    if (kind === 'schemas' && Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length && a.every((part: Json, index) => this.#parts(part, b[index] ?? null))
    }
    if (kind !== 'schema map' || !isObject(a) || !isObject(b)) return deepEqual(a, b)
    const entries = Object.entries(a)
    return (
      entries.length === Object.keys(b).length &&
      entries.every(([name, part]) => Object.hasOwn(b, name) && this.#parts(part, own(b, name) ?? null))
    )
  }

  #parts(a: Json, b: Json): boolean {
    return isSchema(a) && isSchema(b) ? this.schemas(a, b) : deepEqual(a, b)
  }

  #references(a: Json, b: Json): boolean {
    const [left, right] = [refName(a), refName(b)]
    if (left === undefined || right === undefined) return deepEqual(a, b)
    const key = JSON.stringify([left, right])
    const known = this.#pair.same.get(key)
    if (known !== undefined) return known
    const position = this.#open.get(key)
    if (position === undefined) return this.#definitions(key, left, right)
    this.#dependsOn = Math.min(this.#dependsOn, position)
    return true
  }

  /** A difference is final. Sameness is final once it depends on no pair that is still open. */
  #definitions(key: string, left: string, right: string): boolean {
    const { source, target, same } = this.#pair
    const position = this.#open.size
    if (position >= maxComparedDepth) return left === right && readsSame(left, this.#pair)
    const outer = this.#dependsOn
    this.#dependsOn = Number.POSITIVE_INFINITY
    this.#open.set(key, position)
    const [from, to] = [own(source, left), own(target, right)]
    const isSame = from !== undefined && to !== undefined && this.schemas(from, to)
    const isFinal = this.#dependsOn >= position
    if (!isSame) same.set(key, false)
    else if (isFinal) {
      for (const each of [...this.#open.keys()].slice(position)) {
        this.#open.delete(each)
        same.set(each, true)
      }
    }
    this.#dependsOn = isFinal ? outer : Math.min(outer, this.#dependsOn)
    return isSame
  }
}

/** Returns `true` if a definition, and every one to which it leads, reads the same on both sides. */
function readsSame(name: string, { source, target }: DefinitionPair): boolean {
  const names = [name, ...definitionsUsed(own(source, name) ?? true, source)]
  return names.every((each) => deepEqual(own(source, each) ?? null, own(target, each) ?? null))
}
