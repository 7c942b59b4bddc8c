import { nearest } from '../../diagnostics/near.js'
import { modernise } from '../canonical/modernise.js'
import { isObject, isSchema } from '../json/json.js'
import type { Json, Schema, SchemaObject } from '../json/json-schema.js'
import { eachSubschema, type KeywordValue, keywords, typeNames } from '../json/keywords.js'
import { pointerOf } from '../json/pointer.js'
import { atPointer, type Converted, hasErrors, type SchemaFault } from '../json/schema-fault.js'
import { toJson } from '../json/to-json.js'

const dialect: RegExp = /^https?:\/\/json-schema\.org\/(?:draft\/(?:2020-12|2019-09)|draft-0[467])\/schema#?$/

/** Checks a JSON Schema that the design gives as a plain value, and brings older forms up to 2020-12. */
export function readPlainSchema(value: unknown): Converted<Schema> {
  const copied = toJson(value)
  if (!copied.ok) {
    return { faults: [malformed(copied.keys, copied.message, 'A JSON Schema consists of plain JSON values.')] }
  }
  if (!isSchema(copied.json)) {
    return { faults: [malformed([], 'it is neither an object nor a boolean', 'Give an object or a schema.')] }
  }
  const schema = modernise(copied.json)
  const faults: SchemaFault[] = []
  checkSchema(schema, [], faults)
  return hasErrors(faults) ? { faults } : { value: schema, faults }
}

function checkSchema(schema: Schema, keys: readonly string[], faults: SchemaFault[]): void {
  if (typeof schema === 'boolean') return
  for (const [keyword, value] of Object.entries(schema)) checkKeyword(keyword, value, [...keys, keyword], faults)
  eachSubschema(schema, (subschema, inner) => checkSchema(subschema, [...keys, ...inner], faults))
}

function checkKeyword(keyword: string, value: Json, keys: readonly string[], faults: SchemaFault[]): void {
  const kind = keywords.get(keyword)
  if (kind === undefined) {
    // Keywords of the draft that are understood nowhere here are reported where references are resolved.
    if (!keyword.startsWith('$') && !keyword.startsWith('x-')) faults.push(unknownKeyword(keyword, keys))
    return
  }
  const keyed = keyword === 'patternProperties' && isObject(value) ? Object.keys(value) : []
  const badKey = keyed.find((key) => !isPattern(key))
  const expected = badKey === undefined ? expectation(kind, value) : `keyed by regular expressions, not \`${badKey}\``
  if (expected !== undefined) {
    const near = kind === 'type' && typeof value === 'string' ? nearest(value, typeNames) : []
    const fault = malformed(keys, `\`${keyword}\` must be ${expected}`, 'Correct the keyword.')
    faults.push(near.length === 0 ? fault : { ...fault, near, next: `Did you mean \`${near[0]}\`?` })
  } else if (keyword === '$schema' && !dialect.test(String(value))) {
    faults.push({
      code: 'TG3012',
      severity: 'error',
      message: `The schema follows the dialect \`${String(value)}\`, which is not known.`,
      next: 'Write the schema in JSON Schema 2020-12 and leave out `$schema`.',
      trail: keys,
    })
  }
}

/** What the value should have been; `undefined` when it is right. */
function expectation(kind: KeywordValue, value: Json): string | undefined {
  switch (kind) {
    case 'schema':
      return isSchema(value) ? undefined : 'a schema'
    case 'schemas':
      return isFullList(value) && value.every(isSchema) ? undefined : 'a list of at least one schema'
    case 'schema map':
      return isObject(value) && Object.values(value).every(isSchema) ? undefined : 'an object of schemas'
    case 'type':
      return isTypeList(value) ? undefined : `one or several of: ${typeNames.join(', ')}`
    case 'text':
      return typeof value === 'string' ? undefined : 'a text'
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? undefined : 'a regular expression'
    case 'number':
      return typeof value === 'number' ? undefined : 'a number'
    case 'positive number':
      return typeof value === 'number' && value > 0 ? undefined : 'a number above 0'
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? undefined : 'a whole number from 0 on'
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'list':
      return Array.isArray(value) ? undefined : 'a list'
    case 'names':
      return isNames(value) ? undefined : 'a list of names'
    case 'names map':
      return isObject(value) && Object.values(value).every(isNames) ? undefined : 'an object of lists of names'
    case 'anything':
      return undefined
  }
}

function isFullList(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isTypeList(value: Json): boolean {
  const names: readonly Json[] = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => typeof name === 'string' && typeNames.includes(name))
}

/** Patterns are tried as Unicode patterns first, as validators do; older ones may be valid without. */
function isPattern(source: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      new RegExp(source, flags)
      return true
    } catch {
      // The engine says that it is no pattern by throwing.
      return false
    }
  })
}

function malformed(keys: readonly (string | number)[], what: string, next: string): SchemaFault {
  return {
    code: 'TG3010',
    severity: 'error',
    message: `The schema is no valid JSON Schema ${atPointer(pointerOf(keys))}: ${what}.`,
    next,
    trail: keys,
  }
}

function unknownKeyword(keyword: string, keys: readonly string[]): SchemaFault {
  const near = nearest(keyword, keywords.keys())
  const nullable = keyword === 'nullable' ? "Write `type: ['string', 'null']` instead." : undefined
  return {
    code: 'TG3015',
    severity: 'warning',
    message: `\`${keyword}\` ${atPointer(pointerOf(keys.slice(0, -1)))} is no keyword of JSON Schema; it has no effect.`,
    next:
      nullable ?? (near[0] === undefined ? 'Remove it, or begin its name with `x-`.' : `Did you mean \`${near[0]}\`?`),
    ...(near.length === 0 ? {} : { near }),
    trail: keys,
  }
}

/** Whether a value is a JSON Schema rather than the schema of a library. */
export function isPlainSchema(value: unknown): value is boolean | SchemaObject {
  if (typeof value === 'boolean') return true
  return isObject(value) && !('_zod' in value) && !('_def' in value) && !('~standard' in value)
}
