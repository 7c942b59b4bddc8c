import { narrowed } from '../schema/allowed-values.js'
import { deepEqual, equalityKey, type Fields, isFields } from '../schema/json-values.js'
import { namesOf } from '../schema/keywords.js'
import { annotationKeywords } from './changes.js'

type MergeKeyword = (a: unknown, b: unknown) => unknown

const highest: MergeKeyword = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : undefined)

const lowest: MergeKeyword = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : undefined)

const MERGERS: ReadonlyMap<string, MergeKeyword> = new Map<string, MergeKeyword>([
  ['type', commonTypes],
  ['enum', commonValues],
  ['properties', mergeProperties],
  ['required', (a, b) => namesOf(a) && namesOf(b) && [...new Set([a, b].flat())]],
  ['items', (a, b) => ({ allOf: [a, b] })],
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'].map((name) => [name, highest] as const),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'].map((name) => [name, lowest] as const),
  ['uniqueItems', (a, b) => a === true || b === true],
])

/**
 * Returns `undefined` if a single schema cannot express both schemas. Annotations of `a`, such as `title`, take precedence.
 */
export function mergeSchemas(a: Fields, b: Fields): Fields | undefined {
  if (!isMergeable(a, b) || !isMergeable(b, a)) return undefined
  const merged = new Map<string, unknown>(Object.entries(a))
  for (const [name, value] of Object.entries(b)) {
    if (!merged.has(name)) merged.set(name, value)
    else if (!annotationKeywords.has(name) && !deepEqual(merged.get(name), value)) {
      const joined = MERGERS.get(name)?.(merged.get(name), value)
      if (joined === undefined) return undefined
      merged.set(name, joined)
    }
  }
  return Object.fromEntries(merged)
}

function isMergeable(schema: Fields, other: Fields): boolean {
  if (Object.hasOwn(schema, 'items') && Object.hasOwn(other, 'prefixItems')) return false
  const rules = ['additionalProperties', 'patternProperties', 'unevaluatedProperties']
  if (!rules.some((name) => Object.hasOwn(schema, name)) || schema.additionalProperties === true) return true
  const declared = fieldNames(schema)
  const added = [...fieldNames(other), ...(namesOf(other.required) ?? [])]
  return added.every((name) => declared.includes(name)) && !Object.hasOwn(other, 'patternProperties')
}

export function fieldNames(schema: Fields): readonly string[] {
  return isFields(schema.properties) ? Object.keys(schema.properties) : []
}

function commonTypes(a: unknown, b: unknown): unknown {
  const types = narrowed(typeList(a), typeList(b)) ?? []
  return types.length > 1 ? types : types[0]
}

export function typeList(type: unknown): readonly unknown[] {
  return type === undefined ? [] : [type].flat()
}

function commonValues(a: unknown, b: unknown): unknown {
  if (!Array.isArray(a) || !Array.isArray(b)) return undefined
  const keys = new Set(b.map(equalityKey))
  const common = a.filter((value) => keys.has(equalityKey(value)))
  return common.length === 0 ? undefined : common
}

function mergeProperties(a: unknown, b: unknown): unknown {
  if (!isFields(a) || !isFields(b)) return undefined
  const merged = new Map<string, unknown>(Object.entries(a))
  for (const [name, schema] of Object.entries(b)) {
    const own = merged.get(name)
    merged.set(name, !merged.has(name) || deepEqual(own, schema) ? schema : { allOf: [own, schema] })
  }
  return Object.fromEntries(merged)
}
