import { stringsOf } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import type { Case } from './cases.js'
import { schemasOfField } from './declared-fields.js'
import { finiteValues } from './finite-values.js'
import { flatten } from './flatten.js'
import { typesOf } from './json-types.js'
import { hasNumbers } from './numbers.js'
import { possibleTypes } from './possible.js'
import { sameSchema } from './same-schema.js'
import type { Defs, Sides } from './spot.js'
import { takesValue } from './takes-value.js'
import { largest, smallest } from './texts.js'

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
