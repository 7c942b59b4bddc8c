import { isObject, own, stringsOf } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { listedBy } from '../inclusion/finite-values.js'
import { schemaAt, schemasIn } from '../inclusion/flatten.js'
import type { JsonType } from '../inclusion/json-types.js'
import { nearNumbers } from './near-numbers.js'
import { nearTexts } from './near-texts.js'

/** What a schema says itself that values of its are. */
export function valuesIn(schema: SchemaObject): readonly Json[] {
  const examples = own(schema, 'examples')
  return [...listedBy(schema).flat(), ...(Array.isArray(examples) ? examples : []), ...given(own(schema, 'default'))]
}

/** Scalars of a kind that are near to what schemas ask for. */
export function scalars(type: JsonType, plain: readonly SchemaObject[]): readonly Json[] {
  if (type === 'null') return [null]
  if (type === 'boolean') return [true, false]
  if (type === 'string') return nearTexts(plain)
  if (type === 'integer') return nearNumbers(plain).filter(Number.isInteger)
  return type === 'fraction' ? nearNumbers(plain).filter((value) => !Number.isInteger(value)) : []
}

/** The fields that objects must have. */
export function requiredIn(plain: readonly SchemaObject[]): readonly string[] {
  return plain.flatMap((schema) => stringsOf(schema, 'required'))
}

/** The fields that objects must have beside one. */
export function dependentsOf(plain: readonly SchemaObject[], name: string): readonly string[] {
  return plain.flatMap((schema) => {
    const rules = own(schema, 'dependentRequired')
    return isObject(rules) ? stringsOf(rules, name) : []
  })
}

/** What a schema says of the first items, one by one. */
export function prefixIn(schema: SchemaObject): readonly Schema[] {
  return schemasIn(own(schema, 'prefixItems')) ?? []
}

/** What schemas say of an item. */
export function itemsAt(plain: readonly SchemaObject[], index: number): readonly Schema[] {
  return plain.flatMap((schema) => given(prefixIn(schema)[index] ?? schemaAt(schema, 'items')))
}

/** A list of what there is. */
export function given<Value>(value: Value | undefined): readonly Value[] {
  return value === undefined ? [] : [value]
}
