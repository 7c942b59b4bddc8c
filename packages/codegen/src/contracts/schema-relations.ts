import { deepEqual } from '@toolgen/runtime/schema'
import { type Defs, type Json, own, type Schema, type SchemaObject } from '../schema/json-schema.js'
import { annotations } from '../schema/keywords.js'
import { finiteValues, type JsonType, jsonTypeOf, listedBy, typesOf } from './json-types.js'
import { lengthsOf } from './lengths.js'
import { hasNumbers, isMultipleOf } from './number-ranges.js'
import { type DefinitionPair, sameSchema } from './same-schema.js'
import { type Case, flatten, type Union } from './schema-cases.js'
import { namesOf, numbersOf, schemasOf, schemasOfField, schemasOfItem, textsOf, triedMatch } from './schema-parts.js'

/** `undefined` means that only a codec can decide. */
export type Verdict = boolean | undefined

/** For objects and arrays, checks only `enum` and `const`. */
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

/** `true` proves that no value of the case matches the schema. `false` proves nothing. */
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

function hasScalarsOrLengths(plain: readonly SchemaObject[], type: JsonType): boolean {
  if (type === 'integer' || type === 'fraction') return hasNumbers(plain, type)
  if (type !== 'string' && type !== 'array') return true
  const of = type === 'string' ? 'Length' : 'Items'
  const { least, most } = lengthsOf(plain, `min${of}`, `max${of}`)
  return least <= most
}

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

const maxDepth = 3

/** `true` proves that no value matches all schemas. `false` proves nothing. */
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

export function excludesAll(excluded: Schema): boolean {
  if (typeof excluded === 'boolean') return excluded
  return Object.keys(excluded).every((keyword) => annotations.includes(keyword))
}
