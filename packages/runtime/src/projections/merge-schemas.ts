import { deepEqual, equalityKey, type Fields, isFields } from '../schema/json-values.js'
import { namesOf } from '../schema/keywords.js'
import { annotationKeywords } from './report.js'

/** What two values of one keyword say together; `undefined`: one schema cannot say it. */
type MergeKeyword = (a: unknown, b: unknown) => unknown

const highest: MergeKeyword = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : undefined)
const lowest: MergeKeyword = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : undefined)
const both: MergeKeyword = (a, b) => ({ allOf: [a, b] })

const mergers: ReadonlyMap<string, MergeKeyword> = new Map<string, MergeKeyword>([
  ['type', commonTypes],
  ['enum', commonValues],
  ['properties', mergeProperties],
  ['required', mergeNames],
  ['items', both],
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((name) => [name, highest] as const),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((name) => [name, lowest] as const),
  ['uniqueItems', (a, b) => a === true || b === true],
])

/**
 * One schema that says what two say together; `undefined` where that cannot be put into one schema. The first one's
 * annotations count before the second one's. A field that both declare is left as `allOf`.
 */
export function mergeSchemas(a: Fields, b: Fields): Fields | undefined {
  if (!isMergeable(a, b) || !isMergeable(b, a)) return undefined
  const merged = new Map<string, unknown>(Object.entries(a))
  for (const [name, value] of Object.entries(b)) {
    if (!merged.has(name)) merged.set(name, value)
    else if (!annotationKeywords.has(name) && !deepEqual(merged.get(name), value)) {
      const joined = mergers.get(name)?.(merged.get(name), value)
      if (joined === undefined) return undefined
      merged.set(name, joined)
    }
  }
  return Object.fromEntries(merged)
}

/** A schema that speaks of all fields that it does not declare itself allows a merge only where the other adds none. */
function isMergeable(schema: Fields, other: Fields): boolean {
  if (Object.hasOwn(schema, 'items') && Object.hasOwn(other, 'prefixItems')) return false
  const speaksOfOthers = ['additionalProperties', 'patternProperties', 'unevaluatedProperties'].some((name) =>
    Object.hasOwn(schema, name),
  )
  if (!speaksOfOthers || schema.additionalProperties === true) return true
  const own = new Set(fieldNames(schema))
  const added = [...fieldNames(other), ...(namesOf(other.required) ?? [])]
  return added.every((name) => own.has(name)) && !Object.hasOwn(other, 'patternProperties')
}

function fieldNames(schema: Fields): readonly string[] {
  return isFields(schema.properties) ? Object.keys(schema.properties) : []
}

function commonTypes(a: unknown, b: unknown): unknown {
  const [left, right] = [typeList(a), typeList(b)]
  const covers = (types: readonly unknown[], type: unknown): boolean =>
    types.includes(type) || (type === 'integer' && types.includes('number'))
  const common = [...left.filter((type) => covers(right, type)), ...right.filter((type) => covers(left, type))]
  const types = [...new Set(common)]
  return types.length === 0 ? undefined : types.length === 1 ? types[0] : types
}

/** The types that `type` names. */
export function typeList(type: unknown): readonly unknown[] {
  return type === undefined ? [] : Array.isArray(type) ? type : [type]
}

function commonValues(a: unknown, b: unknown): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined
  const known = new Set(b.map(equalityKey))
  const common = a.filter((value) => known.has(equalityKey(value)))
  return common.length === 0 ? undefined : common
}

function mergeProperties(a: unknown, b: unknown): unknown {
  if (!isFields(a) || !isFields(b)) return undefined
  const merged = new Map<string, unknown>(Object.entries(a))
  for (const [name, schema] of Object.entries(b)) {
    const known = merged.get(name)
    merged.set(name, !merged.has(name) || deepEqual(known, schema) ? schema : { allOf: [known, schema] })
  }
  return Object.fromEntries(merged)
}

function mergeNames(a: unknown, b: unknown): unknown {
  const [left, right] = [namesOf(a), namesOf(b)]
  return left === undefined || right === undefined ? undefined : [...new Set([...left, ...right])]
}
