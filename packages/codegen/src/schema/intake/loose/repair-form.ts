import { isObject, objectFrom, own, withKey, without } from '../../json/json.js'
import type { Json, SchemaObject } from '../../json/json-schema.js'
import { keywords } from '../../json/keywords.js'
import { isForeignType, isNullable, isTypeText } from './is-loose.js'
import { type Report, repaired, translated } from './loose-faults.js'
import { meaningOfType } from './type-names.js'

/** Gives keywords the form that JSON Schema knows: names of types, nulls that mean nothing, types in place of schemas. */
export function repairForm(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const steps = [withoutNulls, withSchemas, withNumbers, withExamples, withTypes]
  return steps.reduce((current, step) => step(current, keys, report), schema)
}

function withoutNulls(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const empty = Object.keys(schema).filter((keyword) => schema[keyword] === null && isNullable(keyword) === false)
  for (const keyword of empty) {
    const what = `\`${keyword}: null\` was dropped`
    report(repaired({ kind: 'form', keys, keyword, what, next: `Leave \`${keyword}\` out.` }))
  }
  return empty.length === 0 ? schema : without(schema, empty)
}

function withSchemas(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const typed = (type: string, ...inner: readonly string[]): SchemaObject => {
    const keyword = inner.at(-1) ?? ''
    const what = `the text ${JSON.stringify(type)} in place of a schema is read as its type`
    const next = `Write \`{ type: '${meaningOfType(type)}' }\`.`
    report(translated({ kind: 'form', keys: [...keys, ...inner.slice(0, -1)], keyword, what, next }))
    return { type }
  }
  const items = own(schema, 'items')
  const listed = isTypeText(items) ? withKey(schema, 'items', typed(items, 'items')) : schema
  const fields = own(listed, 'properties')
  if (Array.isArray(fields) && fields.length === 0) {
    const what = 'the empty list of `properties` is read as an object without fields'
    report(translated({ kind: 'form', keys, keyword: 'properties', what, next: 'Write `properties: {}`.' }))
    return withKey(listed, 'properties', {})
  }
  if (!isObject(fields) || !Object.values(fields).some(isTypeText)) return listed
  const written = Object.entries(fields).map(([name, field]): readonly [string, Json] => [
    name,
    isTypeText(field) ? typed(field, 'properties', name) : field,
  ])
  return withKey(listed, 'properties', objectFrom(written))
}

function withNumbers(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const counting = ['number', 'positive number', 'count']
  return Object.entries(schema).reduce((current, [keyword, value]) => {
    const isNumber = counting.includes(keywords.get(keyword) ?? '')
    if (!isNumber || typeof value !== 'string' || !/^-?\d+(?:\.\d+)?$/.test(value)) return current
    const what = `\`${keyword}: ${JSON.stringify(value)}\` is read as a number`
    report(translated({ kind: 'form', keys, keyword, what, next: `Write \`${keyword}: ${Number(value)}\`.` }))
    return withKey(current, keyword, Number(value))
  }, schema)
}

function withExamples(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const example = own(schema, 'examples')
  if (example === undefined || Array.isArray(example)) return schema
  const what = '`examples` that is no list is read as one example'
  report(translated({ kind: 'form', keys, keyword: 'examples', what, next: 'Write `examples: [...]`.' }))
  return withKey(schema, 'examples', [example])
}

function withTypes(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const given = own(schema, 'type')
  const names: readonly Json[] = Array.isArray(given) ? given : [given ?? '']
  if (!names.some(isForeignType)) return schema
  const meant = names.map((name) => (typeof name === 'string' ? (meaningOfType(name) ?? name) : name))
  const isAny = meant.includes('any')
  const types = [...new Set(meant)]
  const single = types[0] ?? ''
  const type: Json = types.length === 1 ? single : types
  const next = isAny ? 'Leave `type` out where any value is meant.' : `Write \`type: ${asCode(type)}\`.`
  const what = `the type ${named(given ?? '')} is read as ${isAny ? 'any value' : named(type)}`
  report(translated({ kind: 'type', keys, keyword: 'type', what, next }))
  return isAny ? without(schema, ['type']) : withKey(schema, 'type', type)
}

/** A type or a list of types as it is written in code. */
function asCode(type: Json): string {
  return JSON.stringify(type).replaceAll('"', "'")
}

/** A type or a list of types within a sentence. */
function named(type: Json): string {
  return `\`${typeof type === 'string' ? type : asCode(type)}\``
}
