import { isObject, own } from '../../json/json.js'
import type { Json, Schema, SchemaObject } from '../../json/json-schema.js'
import { keywords } from '../../json/keywords.js'
import { eachSubschemaOfAnyDraft } from '../../json/keywords-of-any-draft.js'
import { isStandardType, meaningOfType } from './type-names.js'

/**
 * Whether a schema is written in one of the loose dialects of function calling. It is when it holds, where a keyword is
 * expected, something that no valid JSON Schema holds and whose meaning is plain; so no valid one is ever taken for it.
 */
export function isLoose(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false
  if (hasLooseForm(schema)) return true
  let found = false
  eachSubschemaOfAnyDraft(schema, (subschema) => {
    found ||= isLoose(subschema)
  })
  return found
}

function hasLooseForm(schema: SchemaObject): boolean {
  const types = own(schema, 'type')
  const named = Array.isArray(types) ? types : [types]
  if (named.some(isForeignType)) return true
  if (typeof own(schema, 'required') === 'boolean') return true
  if (isTypeText(own(schema, 'items'))) return true
  const fields = own(schema, 'properties')
  if (isObject(fields) && Object.values(fields).some(isTypeText)) return true
  if (Array.isArray(fields) && fields.length === 0) return true
  return Object.entries(schema).some(([keyword, value]) => value === null && isNullable(keyword) === false)
}

/** Whether null is a value that a keyword may have; `undefined` for what is no keyword. */
export function isNullable(keyword: string): boolean | undefined {
  const kind = keywords.get(keyword)
  return kind === undefined ? undefined : kind === 'anything'
}

/** Whether something names a type that JSON Schema does not know, with a plain meaning. */
export function isForeignType(name: Json | undefined): boolean {
  return typeof name === 'string' && !isStandardType(name) && meaningOfType(name) !== undefined
}

/** Whether the name of a type stands where a schema should. */
export function isTypeText(value: Json | undefined): value is string {
  return typeof value === 'string' && meaningOfType(value) !== undefined
}
