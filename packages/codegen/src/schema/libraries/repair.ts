import { eachSubschema, mapSubschemas } from '@toolgen/runtime/schema'
import { nearest } from '../../diagnostics/near-names.js'
import {
  type Converted,
  entriesOf,
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
import { guess, type Report, repaired, translated } from './repair-report.js'
import { moveItemValues, repairDefault, repairEnum } from './repair-values.js'
import { isForeignType, isTypeText, meaningOfType } from './type-names.js'

/**
 * Nonstandard dialects of function definitions contain for example `type: 'dict'`. JSON Schema does not allow such values, but their meaning is
 * clear.
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
    report(repaired({ kind: 'form', keys, keyword, what, next: `Remove \`${keyword}\`.` }))
  }
  return empty.length === 0 ? schema : without(schema, empty)
}

function withSchemas(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const typed = (type: string, ...inner: readonly string[]): SchemaObject => {
    const keyword = inner.at(-1) ?? ''
    const what = `the string ${JSON.stringify(type)} is read as a schema of this type`
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
 * Changes valid JSON Schema in only one case: moves the `enum` of an array schema to `items` if no value in the `enum` is an array. For an unclear
 * deviation, reports an error with a suggestion.
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

/** These keywords can declare fields outside of `properties`, so `required` may contain other names. */
const otherFields: readonly string[] = [
  ...['allOf', 'anyOf', 'oneOf', '$ref', 'if', 'patternProperties', 'additionalProperties', 'dependentSchemas'],
  'unevaluatedProperties',
]

/** Reports contradictions as errors, because the intended meaning is unclear. */
function repairRequired(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const listed = readOptionalList(schema, keys, report)
  const fields = own(listed, 'properties')
  if (!isObject(fields)) return listed
  const required = namesIn(own(listed, 'required'))
  const added: string[] = []
  const written = Object.entries(fields).map(([name, field]): readonly [string, Json] => {
    if (!isObject(field)) return [name, field]
    const flag = requiredFlag(field)
    if (flag === undefined) return [name, field]
    const at = [...keys, 'properties', name]
    const facts = { kind: 'required', keys: at, keyword: flag.keyword } as const
    const isListed = required.includes(name)
    if (!flag.required && isListed) {
      const what = `\`${flag.keyword}: ${JSON.stringify(flag.value)}\` contradicts the list \`required\` of the object`
      const next = `Remove \`${name}\` from \`required\`, or \`${flag.keyword}\` from the field.`
      report(guess({ ...facts, what, next }))
    } else {
      if (flag.required && !isListed) added.push(name)
      const what = `\`${flag.keyword}: ${JSON.stringify(flag.value)}\` makes the field ${flag.required ? 'required' : 'optional'}`
      const how = flag.required ? `Add \`${name}\` to` : `Remove \`${name}\` from`
      report(
        translated({ ...facts, what, next: `${how} \`required\` of the object, and remove the flag of the field.` }),
      )
    }
    return [name, without(field, [flag.keyword])]
  })
  const withFields = withKey(listed, 'properties', objectFrom(written))
  const all = added.length === 0 ? withFields : withKey(withFields, 'required', [...required, ...added])
  return withoutUnknownNames(all, keys, report)
}

function dropUnusedFlag(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const flag = requiredFlag(schema)
  if (flag === undefined) return schema
  const what = `\`${flag.keyword}: ${JSON.stringify(flag.value)}\` was dropped: only fields of an object can be required`
  const next = `Remove \`${flag.keyword}\`.`
  report(repaired({ kind: 'required', keys, keyword: flag.keyword, what, next }))
  return without(schema, [flag.keyword])
}

interface RequiredFlag {
  readonly keyword: 'required' | 'optional'
  readonly value: Json
  readonly required: boolean
}

function requiredFlag(field: SchemaObject): RequiredFlag | undefined {
  for (const keyword of ['required', 'optional'] as const) {
    const value = own(field, keyword)
    const flag = typeof value === 'string' && /^(?:true|false)$/i.test(value) ? /^true$/i.test(value) : value
    if (value !== undefined && typeof flag === 'boolean')
      return { keyword, value, required: (keyword === 'required') === flag }
  }
  return undefined
}

function readOptionalList(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  const optional = own(schema, 'optional')
  if (!Array.isArray(optional)) return schema
  const required = namesIn(own(schema, 'required'))
  const known = new Set(entriesOf(schema, 'properties').map(([name]) => name))
  const facts = { kind: 'required', keys, keyword: 'optional' } as const
  for (const name of namesIn(optional)) {
    if (required.includes(name)) {
      const what = `\`${name}\` is in both \`required\` and \`optional\``
      report(guess({ ...facts, what, next: 'Keep the name only in `required` or only in `optional`.' }))
    } else if (!known.has(name)) {
      const what = `\`optional\` contains the unknown field \`${name}\`; the name was dropped`
      report(repaired({ ...facts, what, next: 'Add the field to `properties`, or remove the name.' }))
    }
  }
  const what = '`optional` was dropped: fields that are not in `required` are optional'
  report(translated({ ...facts, what, next: 'Remove `optional`.' }))
  return without(schema, ['optional'])
}

function withoutUnknownNames(schema: SchemaObject, keys: readonly string[], report: Report): SchemaObject {
  if (otherFields.some((keyword) => Object.hasOwn(schema, keyword) && own(schema, keyword) !== false)) return schema
  const names = entriesOf(schema, 'properties').map(([name]) => name)
  const required = namesIn(own(schema, 'required'))
  const unknown = required.filter((name) => !names.includes(name))
  for (const name of unknown) {
    const near = nearest(
      name,
      names.filter((candidate) => !required.includes(candidate)),
    )
    const facts = { kind: 'required', keys, keyword: 'required' } as const
    const what = `\`required\` contains the unknown field \`${name}\``
    if (near[0] !== undefined) {
      report({ ...guess({ ...facts, what, next: `Did you mean \`${near[0]}\`?` }), near })
    } else {
      const next = 'Add the field to `properties`, or remove the name from `required`.'
      report(repaired({ ...facts, what: `${what}; the name was dropped`, next }))
    }
  }
  if (unknown.length === 0) return schema
  return withKey(
    schema,
    'required',
    required.filter((name) => !unknown.includes(name)),
  )
}

function namesIn(value: Json | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : []
}
