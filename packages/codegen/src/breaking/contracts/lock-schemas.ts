import { referenceLoops } from '../../schema/canonical/reference-loops.js'
import { isSchema, own } from '../../schema/json/json.js'
import type { Json, Schema, SchemaObject } from '../../schema/json/json-schema.js'
import { expectedValue } from '../../schema/json/keyword-value.js'
import { annotations, eachSubschema, type KeywordValue, keywords } from '../../schema/json/keywords.js'
import { refName } from '../../schema/json/pointer.js'
import { eachOf, Malformed, objectIn, type Part } from './lock-parts.js'

/** Keywords of which a number that is out of their range is read all the same. */
const numeric: readonly (KeywordValue | undefined)[] = ['number', 'positive number', 'count']

/** Definitions, none of which leads back to itself at the same place. */
export function definitionsIn(part: Part): Readonly<Record<string, Schema>> {
  const known = objectIn(part)
  const defs = eachOf(part, (def) => schemaIn(def, known))
  if (referenceLoops(defs, (name) => [name]).length > 0) throw new Malformed(part, 'definitions that come to an end')
  return Object.fromEntries(defs)
}

/** A schema of objects, all of whose references lead to definitions. */
export function payloadIn(part: Part, defs: SchemaObject): Schema {
  objectIn(part)
  return schemaIn(part, defs)
}

/** A schema all of whose references lead to definitions. */
export function schemaIn(part: Part, defs: SchemaObject): Schema {
  const { value, keys } = part
  if (!isSchema(value)) throw new Malformed(part, 'schema')
  if (typeof value === 'boolean') return value
  for (const [keyword, said] of Object.entries(value)) {
    const expected = misread(keyword, said)
    if (expected !== undefined) throw new Malformed({ value: said, keys: [...keys, keyword] }, expected)
  }
  const reference = own(value, '$ref')
  if (reference !== undefined && own(defs, refName(reference) ?? '') === undefined) {
    throw new Malformed({ value: reference, keys: [...keys, '$ref'] }, 'name of a definition')
  }
  eachSubschema(value, (inner, steps) => schemaIn({ value: inner, keys: [...keys, ...steps] }, defs))
  return value
}

/** What the value of a keyword should have been, where it cannot be read as it is: libraries write what they like. */
function misread(keyword: string, value: Json): string | undefined {
  const isNumber = typeof value === 'number' && numeric.includes(keywords.get(keyword))
  const isHarmless = annotations.includes(keyword) || isNumber || (Array.isArray(value) && value.length === 0)
  return isHarmless ? undefined : expectedValue(keyword, value)?.replace(/^an? /, '')
}
