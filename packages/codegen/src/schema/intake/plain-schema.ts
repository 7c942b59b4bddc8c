import { nearest } from '../../diagnostics/near.js'
import { dialectOf, isKnownDialect } from '../canonical/dialect.js'
import { localReferences } from '../canonical/local-references.js'
import { modernise } from '../canonical/modernise.js'
import { jsTypeFault } from '../json/js-type.js'
import { isObject, isSchema } from '../json/json.js'
import type { Json, Schema, SchemaObject } from '../json/json-schema.js'
import { expectedValue } from '../json/keyword-value.js'
import { eachSubschema, keywords, typeNames } from '../json/keywords.js'
import { pointerOf } from '../json/pointer.js'
import { atPointer, type Converted, hasErrors, type SchemaFault } from '../json/schema-fault.js'
import { toJson } from '../json/to-json.js'
import { writeImpliedTypes } from './implied-types.js'
import { repairLoose } from './loose/repair-loose.js'
import { proposalForType } from './loose/type-names.js'
import { readOpenApi } from './openapi/read-openapi.js'

/**
 * Reads a JSON Schema that the design gives as a plain value: repairs the loose dialects of function calling, makes its
 * references local, brings older drafts and OpenAPI up to 2020-12, and checks it.
 */
export function readPlainSchema(value: unknown): Converted<Schema> {
  const copied = toJson(value)
  if (!copied.ok) {
    return { faults: [malformed(copied.keys, copied.message, 'A JSON Schema consists of plain JSON values.')] }
  }
  if (!isSchema(copied.json)) {
    return { faults: [malformed([], 'it is neither an object nor a boolean', 'Give an object or a schema.')] }
  }
  const dialect = dialectOf(copied.json)
  return inTurn(copied.json, [
    repairLoose,
    (schema) => localReferences(schema, dialect),
    (schema) => ({ value: modernise(schema), faults: [] }),
    (schema) => writeImpliedTypes(schema, dialect),
    (schema) => readOpenApi(schema, dialect),
    checked,
  ])
}

/** Takes a schema through steps, until one of them finds an error. */
function inTurn(schema: Schema, steps: readonly ((schema: Schema) => Converted<Schema>)[]): Converted<Schema> {
  const faults: SchemaFault[] = []
  let current = schema
  for (const step of steps) {
    const next = step(current)
    faults.push(...next.faults)
    // What was understood on the way matters once the schema is right.
    if (next.value === undefined || hasErrors(next.faults)) {
      return { faults: faults.filter(({ severity }) => severity !== 'note') }
    }
    current = next.value
  }
  return { value: current, faults }
}

function checked(schema: Schema): Converted<Schema> {
  const faults: SchemaFault[] = []
  checkSchema(schema, [], faults)
  return { value: schema, faults }
}

function checkSchema(schema: Schema, keys: readonly string[], faults: SchemaFault[]): void {
  if (typeof schema === 'boolean') return
  for (const [keyword, value] of Object.entries(schema)) checkKeyword(keyword, value, keys, faults)
  const typed = jsTypeFault(schema, keys)
  if (typed !== undefined) faults.push(typed)
  eachSubschema(schema, (subschema, inner) => checkSchema(subschema, [...keys, ...inner], faults))
}

function checkKeyword(keyword: string, value: Json, around: readonly string[], faults: SchemaFault[]): void {
  const keys = (): readonly string[] => [...around, keyword]
  if (!keywords.has(keyword)) {
    // Keywords of the draft that are understood nowhere here are reported where references are resolved.
    if (!keyword.startsWith('$') && !keyword.startsWith('x-')) faults.push(unknownKeyword(keyword, keys()))
    return
  }
  const expected = expectedValue(keyword, value)
  if (expected !== undefined) {
    faults.push(wrongValue(keyword, value, expected, keys()))
  } else if (keyword === '$schema' && !isKnownDialect(value)) {
    faults.push({
      code: 'TG3012',
      severity: 'error',
      message: `The schema follows the dialect \`${String(value)}\`, which is not known.`,
      next: 'Write the schema in JSON Schema 2020-12 and leave out `$schema`.',
      trail: keys(),
    })
  }
}

function wrongValue(keyword: string, value: Json, expected: string, keys: readonly string[]): SchemaFault {
  const fault = malformed(keys, `\`${keyword}\` must be ${expected}`, 'Correct the keyword.')
  if (keyword !== 'type' || typeof value !== 'string') return fault
  const proposal = proposalForType(value)
  if (proposal !== undefined) return { ...fault, next: `Write \`${proposal}\`.` }
  const near = nearest(value, typeNames)
  return near.length === 0 ? fault : { ...fault, near, next: `Did you mean \`${near[0]}\`?` }
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
