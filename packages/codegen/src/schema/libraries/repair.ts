import { eachSubschema, mapSubschemas } from '@toolgen/runtime/schema'
import {
  type Converted,
  hasErrors,
  isObject,
  type Json,
  objectFrom,
  own,
  type Schema,
  type SchemaDiagnostic,
  type SchemaObject,
  withKey,
  without,
} from '../json-schema.js'
import { keywords } from '../keywords.js'
import { type Report, repaired, translated } from './repair-report.js'
import { dropUnusedFlag, repairRequired } from './repair-required.js'
import { moveItemValues, repairDefault, repairEnum } from './repair-values.js'
import { isForeignType, isTypeText, meaningOfType } from './type-names.js'

/**
 * Checks whether a schema uses a loose dialect of function calling, such as `type: 'dict'`. In a loose dialect, a keyword has a value that
 * JSON Schema does not allow but whose meaning is clear.
 */
function isLoose(schema: Schema): boolean {
  if (typeof schema === 'boolean') return false
  if (hasLooseForm(schema)) return true
  let found = false
  eachSubschema(schema, (subschema) => {
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

function isNullable(keyword: string): boolean | undefined {
  const kind = keywords.get(keyword)
  return kind === undefined ? undefined : kind === 'anything'
}

function repairForm(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
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
    const what = `the string ${JSON.stringify(type)} instead of a schema is read as its type`
    const next = `Write \`{ type: '${meaningOfType(type)}' }\`.`
    report(translated({ kind: 'form', keys: [...keys, ...inner.slice(0, -1)], keyword, what, next }))
    return { type }
  }
  const items = own(schema, 'items')
  const listed = isTypeText(items) ? withKey(schema, 'items', typed(items, 'items')) : schema
  const fields = own(listed, 'properties')
  if (Array.isArray(fields) && fields.length === 0) {
    const what = 'an empty array in `properties` is read as an object without fields'
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
  const what = '`examples` is not an array and is read as one example'
  report(translated({ kind: 'form', keys, keyword: 'examples', what, next: 'Write `examples: [...]`.' }))
  return withKey(schema, 'examples', [example])
}

function withTypes(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const input = own(schema, 'type')
  const names: readonly Json[] = Array.isArray(input) ? input : [input ?? '']
  if (!names.some(isForeignType)) return schema
  const meant = names.map((name) => (typeof name === 'string' ? (meaningOfType(name) ?? name) : name))
  const isAny = meant.includes('any')
  const types = [...new Set(meant)]
  const single = types[0] ?? ''
  const type: Json = types.length === 1 ? single : types
  const next = isAny ? 'Remove `type` to allow any value.' : `Write \`type: ${asCode(type)}\`.`
  const what = `the type ${named(input ?? '')} is read as ${isAny ? 'any value' : named(type)}`
  report(translated({ kind: 'type', keys, keyword: 'type', what, next }))
  return isAny ? without(schema, ['type']) : withKey(schema, 'type', type)
}

function asCode(type: Json): string {
  return JSON.stringify(type).replaceAll('"', "'")
}

function named(type: Json): string {
  return `\`${typeof type === 'string' ? type : asCode(type)}\``
}

/**
 * Converts loose dialects of function calling (`dict`, `float`, `ArrayList`, `required: true` of fields, defaults of another type) to
 * valid JSON Schema. Reports every repair; an unclear meaning is an error with a proposal. A valid JSON Schema is changed in one case
 * only: `enum` next to `type: 'array'` moves to `items` if it lists no array.
 *
 * @param schema a schema of any draft
 */
export function repairLoose(schema: Schema): Converted<Schema> {
  const diagnostics: SchemaDiagnostic[] = []
  const report = (diagnostic: SchemaDiagnostic): void => {
    diagnostics.push(diagnostic)
  }
  const inParts = (part: SchemaObject, keys: readonly string[], repairPart: typeof repair): SchemaObject =>
    mapSubschemas(part, (subschema, inner) => repairPart(subschema, [...keys, ...inner]))
  const repair = (part: Schema, keys: readonly string[]): Schema => {
    if (typeof part === 'boolean') return part
    const formed = repairRequired(repairForm(part, keys, report), keys, report)
    const own = moveItemValues(dropUnusedFlag(formed, keys, report), keys, report)
    return repairDefault(repairEnum(inParts(own, keys, repair), keys, report), keys, report)
  }
  // An array whose `enum` contains no arrays accepts no value, so this repair is safe in a valid schema.
  const repairArrays = (part: Schema, keys: readonly string[]): Schema =>
    typeof part === 'boolean' ? part : inParts(moveItemValues(part, keys, report), keys, repairArrays)
  const value = isLoose(schema) ? repair(schema, []) : repairArrays(schema, [])
  return hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics }
}
