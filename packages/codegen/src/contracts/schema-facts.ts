import { own, type Schema, type SchemaObject, stringsOf } from '../schema/json-schema.js'
import { annotations } from '../schema/keywords.js'
import { schemasOfField } from './declared-fields.js'
import { type Defs, flatten, type Sides, schemaAt, schemasIn } from './flatten.js'
import { sameSchema } from './same-schema.js'
import { type Case, finiteValues, type JsonType, typesOf } from './schema-view.js'
import { takesValue } from './takes-value.js'
import { hasNumbers, largest, smallest } from './value-ranges.js'

/** Whether no value of a case fits a schema, as far as types, listed values and tags tell. */
export function isDisjoint(
  { plain, excluded }: Pick<Case, 'plain' | 'excluded'>,
  schema: Schema,
  sides: Sides,
): boolean {
  if (excluded.some((other) => sameSchema(other, schema, sides))) return true
  const flat = flatten([schema], sides.taker)
  if (flat === undefined) return true
  const [types, others] = [possibleTypes(plain, sides.taken), possibleTypes(flat.plain, sides.taker)]
  const common = types.filter((type) => others.includes(type))
  if (common.length === 0) return true
  const values = finiteValues(plain, types)
  if (values !== undefined) return values.every((value) => takesValue([schema], value, sides.taker) === false)
  const listed = finiteValues(flat.plain, others)
  if (listed !== undefined) return listed.every((value) => takesValue(plain, value, sides.taken) === false)
  const both = [...plain, ...flat.plain]
  return common.every((type) => {
    if (type === 'integer' || type === 'fraction') return !hasNumbers(both, type)
    if (type === 'string') return haveOtherLengths(both, ['minLength', 'maxLength'])
    if (type === 'array') return haveOtherLengths(both, ['minItems', 'maxItems'])
    return type === 'object' && haveOtherTags(plain, flat.plain, sides)
  })
}

function haveOtherLengths(both: readonly SchemaObject[], [least, most]: readonly [string, string]): boolean {
  return largest(both, least) > smallest(both, most)
}

/** Whether a field that all have, of one side or the other, holds listed values of which the sides share none. */
function haveOtherTags(plain: readonly SchemaObject[], others: readonly SchemaObject[], sides: Sides): boolean {
  const names = new Set([...plain, ...others].flatMap((schema) => stringsOf(schema, 'required')))
  return [...names].some((name) => {
    const mine = tagsOf(schemasOfField(plain, name), sides.taken)
    const theirs = schemasOfField(others, name)
    return (
      mine !== undefined && theirs.length > 0 && mine.every((value) => takesValue(theirs, value, sides.taker) === false)
    )
  })
}

function tagsOf(schemas: readonly Schema[], defs: Defs): ReturnType<typeof finiteValues> {
  const flat = flatten(schemas, defs)
  return flat === undefined ? [] : finiteValues(flat.plain, typesOf(flat.plain))
}

/** How far inside of values it is looked for what there cannot be. */
const deepest = 3

/** Whether no value fits schemas, as far as bounds, lists, `not` and what objects and arrays must hold tell. */
export function isImpossible(schemas: readonly Schema[], defs: Defs, depth = 0): boolean {
  const flat = flatten(schemas, defs)
  if (flat === undefined) return true
  const { plain, unions } = flat
  return (
    plain.some((schema) => excludesAll(schemaAt(schema, 'not'))) ||
    possibleTypes(plain, defs, depth).length === 0 ||
    (depth < deepest &&
      unions.some(({ variants }) => variants.every((variant) => isImpossible([variant], defs, depth + 1))))
  )
}

/** The kinds of the values that fit schemas, without those of which bounds leave none. */
export function possibleTypes(plain: readonly SchemaObject[], defs: Defs, depth = 0): readonly JsonType[] {
  const types = typesOf(plain)
  if (finiteValues(plain, types)?.length === 0) return []
  return types.filter((type) => {
    if (type === 'integer' || type === 'fraction') return hasNumbers(plain, type)
    if (type === 'string') return largest(plain, 'minLength') <= smallest(plain, 'maxLength')
    if (type === 'array') return hasArrays(plain, defs, depth)
    return type !== 'object' || hasObjects(plain, defs, depth)
  })
}

/** Whether nothing fits beside a schema that is excluded. */
export function excludesAll(excluded: Schema | undefined): boolean {
  if (typeof excluded !== 'object') return excluded === true
  return Object.keys(excluded).every((keyword) => annotations.includes(keyword))
}

function hasArrays(plain: readonly SchemaObject[], defs: Defs, depth: number): boolean {
  const least = largest(plain, 'minItems')
  if (least > smallest(plain, 'maxItems')) return false
  if (least === 0 || depth >= deepest) return true
  const first = plain.flatMap((schema): readonly Schema[] => {
    const [item = schemaAt(schema, 'items')] = schemasIn(own(schema, 'prefixItems')) ?? []
    return item === undefined ? [] : [item]
  })
  return !isImpossible(first, defs, depth + 1)
}

function hasObjects(plain: readonly SchemaObject[], defs: Defs, depth: number): boolean {
  const required = new Set(plain.flatMap((schema) => stringsOf(schema, 'required')))
  const most = smallest(plain, 'maxProperties')
  if (Math.max(required.size, largest(plain, 'minProperties')) > most) return false
  return depth >= deepest || [...required].every((name) => !isImpossible(schemasOfField(plain, name), defs, depth + 1))
}
