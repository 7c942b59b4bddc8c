import { own, stringsOf } from '../../schema/json/json.js'
import type { Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { annotations } from '../../schema/json/keywords.js'
import { schemasOfField } from './declared-fields.js'
import { finiteValues } from './finite-values.js'
import { flatten, schemaAt, schemasIn } from './flatten.js'
import { type JsonType, typesOf } from './json-types.js'
import { hasNumbers } from './numbers.js'
import type { Defs } from './spot.js'
import { largest, smallest } from './texts.js'

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
