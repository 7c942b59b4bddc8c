import { deepEqual } from '@toolgen/runtime/schema'
import {
  type Defs,
  isObject,
  isSchema,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaObject,
  stringsOf,
} from './json-schema.js'
import { refName } from './references.js'

const branches: readonly string[] = ['allOf', 'anyOf', 'oneOf']
const alternatives: readonly string[] = ['anyOf', 'oneOf']

/** Returns `undefined` if the object, or one variant of a union, does not declare the field. */
export function fieldSchema(root: Schema, field: string, defs: Defs): Schema | undefined {
  const found = schemasOf(root, field, defs, [])
  const [first] = found ?? []
  if (found === undefined || first === undefined) return undefined
  const distinct = found.filter((schema, index) => found.findIndex((other) => deepEqual(other, schema)) === index)
  return distinct.length === 1 ? first : { anyOf: distinct }
}

/** If a definition declares one of the fields, replaces the reference to the definition with its content. */
export function withoutFields(root: Schema, fields: ReadonlySet<string>, defs: Defs): Schema {
  return fields.size === 0 ? root : cut(root, fields, defs, [])
}

function schemasOf(
  schema: Schema,
  field: string,
  defs: Defs,
  passed: readonly string[],
): readonly Schema[] | undefined {
  if (typeof schema === 'boolean') return undefined
  const found: Schema[] = []
  const properties = own(schema, 'properties')
  const declared = isObject(properties) ? own(properties, field) : undefined
  if (isSchema(declared)) found.push(declared)
  const name = refName(own(schema, '$ref'))
  const target = name === undefined || passed.includes(name) ? undefined : own(defs, name)
  if (name !== undefined && isSchema(target)) found.push(...(schemasOf(target, field, defs, [...passed, name]) ?? []))
  for (const part of schemasIn(schema, 'allOf')) found.push(...(schemasOf(part, field, defs, passed) ?? []))
  if (found.length > 0) return found
  for (const keyword of alternatives) {
    const variants = schemasIn(schema, keyword).map((variant) => schemasOf(variant, field, defs, passed))
    if (variants.length > 0 && variants.every((variant) => variant !== undefined)) {
      return variants.flatMap((variant) => variant ?? [])
    }
  }
  return undefined
}

function cut(schema: Schema, fields: ReadonlySet<string>, defs: Defs, passed: readonly string[]): Schema {
  if (typeof schema === 'boolean') return schema
  const name = refName(own(schema, '$ref'))
  const target = name === undefined || passed.includes(name) ? undefined : own(defs, name)
  if (name !== undefined && isObject(target)) {
    const beside = Object.entries(schema).filter(([key]) => key !== '$ref')
    const written = objectFrom([...Object.entries(target).filter(([key]) => !Object.hasOwn(schema, key)), ...beside])
    return cut(written, fields, defs, [...passed, name])
  }
  const entries = Object.entries(schema).map(([keyword, value]): [string, Json] => {
    if (branches.includes(keyword) && Array.isArray(value)) {
      return [keyword, value.map((part: Json) => (isSchema(part) ? cut(part, fields, defs, passed) : part))]
    }
    return [keyword, cutKeyword(keyword, value, schema, fields)]
  })
  return objectFrom(entries.filter(([keyword, value]) => keyword !== 'required' || !isEmptyList(value)))
}

function cutKeyword(keyword: string, value: Json, schema: SchemaObject, fields: ReadonlySet<string>): Json {
  if (keyword === 'required') return stringsOf(schema, 'required').filter((name) => !fields.has(name))
  if ((keyword !== 'properties' && keyword !== 'dependentRequired') || !isObject(value)) return value
  const remaining = Object.entries(value).filter(([name]) => !fields.has(name))
  if (keyword === 'properties') return objectFrom(remaining)
  return objectFrom(
    remaining.map(([name, needed]): [string, Json] => [
      name,
      Array.isArray(needed) ? needed.filter((other: Json) => typeof other !== 'string' || !fields.has(other)) : needed,
    ]),
  )
}

function schemasIn(schema: SchemaObject, keyword: string): readonly Schema[] {
  const value = own(schema, keyword)
  return Array.isArray(value) ? value.filter(isSchema) : []
}

function isEmptyList(value: Json): boolean {
  return Array.isArray(value) && value.length === 0
}
