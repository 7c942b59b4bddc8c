import { narrowed } from '../schema/admitted.js'
import { Run } from '../schema/evaluation.js'
import { pointerOf } from '../schema/json-pointer.js'
import { deepEqual, equalityKey, type Fields, isFields } from '../schema/json-values.js'
import { namesOf } from '../schema/keywords.js'
import type { SchemaDocument } from '../schema/prepare.js'
import type { Located } from '../schema/references.js'
import { isSchema, mapSubschemas as mapSchemas } from '../schema/subschemas.js'

import type { JsonSchema } from '../types/json.js'
import { annotationKeywords, codeKeyword, restrictingKeywords, without } from './changes.js'

/** Keywords that consider what `allOf` and references declare. */
const UNEVALUATED = ['unevaluatedProperties', 'unevaluatedItems']

/**
 * Returns a schema without `allOf` and with a reference only alone: everything that applies to the same value,
 * written as one schema. A reference that stands alone is kept. `undefined` if one schema cannot express it.
 *
 * @param inlined targets of references that are being replaced
 */
export function flattened(
  schema: Fields,
  document: SchemaDocument,
  inlined: ReadonlySet<unknown> = new Set(),
): Fields | undefined {
  const parts = Array.isArray(schema.allOf) ? schema.allOf : []
  const targets = typeof schema.$ref === 'string' ? [{ $ref: schema.$ref }] : []
  const hasOwnRules = restrictingKeywords(without(schema, ['$ref', 'allOf'])).length > 0
  if (parts.length === 0 && (targets.length === 0 || !hasOwnRules)) return schema
  if (parts.length === 1 && targets.length === 0 && !hasOwnRules && isLoneReference(parts[0])) {
    return { ...parts[0], ...without(schema, ['allOf']) }
  }
  let whole: Fields | undefined = without(schema, ['$ref', 'allOf', ...UNEVALUATED])
  for (const part of [...targets, ...parts]) {
    if (part === true) continue
    const flat = isFields(part) ? inlinedPart(part, document, inlined) : undefined
    whole = flat && whole && mergeSchemas(whole, flat)
  }
  const unevaluated = Object.entries(schema).filter(([name]) => UNEVALUATED.includes(name))
  return whole && { ...whole, ...Object.fromEntries(unevaluated) }
}

/** Returns a schema with the reference that stands alone in it replaced by its target. */
export function inlinedPart(
  part: Fields,
  document: SchemaDocument,
  inlined: ReadonlySet<unknown> = new Set(),
): Fields | undefined {
  const flat = flattened(part, document, inlined)
  if (flat === undefined || typeof flat.$ref !== 'string') return flat
  const { schema } = document.index.resolve(flat.$ref, located(flat, document))
  if (!isFields(schema) || inlined.has(schema)) return undefined
  const target = inlinedPart(schema, document, new Set([...inlined, schema]))
  return target && { ...without(target, ['$defs']), ...without(flat, ['$ref']) }
}

function isLoneReference(part: unknown): part is Fields {
  return isFields(part) && typeof part.$ref === 'string' && restrictingKeywords(part).length === 1
}

/** Returns the location of a schema that consists of parts of a document. */
export function located(schema: unknown, document: SchemaDocument, pointer: string = ''): Located {
  return { schema, pointer, base: document.index.root.base }
}

/** Returns whether a value satisfies a schema of a document. */
export function accepts(schema: unknown, value: unknown, document: SchemaDocument): boolean {
  const run = new Run({ hasUnwritable: false, rejectsUnknown: false })
  run.quiet = true
  return document.node(located(schema, document)).check(value, run, undefined)
}

/** Joins two values of one keyword; `undefined` if one schema cannot express both. */
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
 * Joins two schemas into one that accepts what both accept; `undefined` if one schema cannot express it. Annotations of
 * the first take precedence. A field that both declare becomes `allOf`.
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

/** A schema with rules for undeclared fields can only be joined with one that declares no further fields. */
function isMergeable(schema: Fields, other: Fields): boolean {
  if (Object.hasOwn(schema, 'items') && Object.hasOwn(other, 'prefixItems')) return false
  const rules = ['additionalProperties', 'patternProperties', 'unevaluatedProperties']
  if (!rules.some((name) => Object.hasOwn(schema, name)) || schema.additionalProperties === true) return true
  const declared = fieldNames(schema)
  const added = [...fieldNames(other), ...(namesOf(other.required) ?? [])]
  return added.every((name) => declared.includes(name)) && !Object.hasOwn(other, 'patternProperties')
}

/** Returns the names of the declared fields. */
export function fieldNames(schema: Fields): readonly string[] {
  return isFields(schema.properties) ? Object.keys(schema.properties) : []
}

function commonTypes(a: unknown, b: unknown): unknown {
  const types = narrowed(typeList(a), typeList(b)) ?? []
  return types.length > 1 ? types : types[0]
}

/** Returns the types in a value of `type`. */
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

/** Returns a copy of a schema with every schema directly inside it replaced; `undefined` removes it. */
export function mapSubschemas(
  schema: Fields,
  pointer: string,
  replace: (subschema: unknown, pointer: string) => unknown,
): Record<string, unknown> {
  return {
    ...mapSchemas(schema, (subschema, path) => {
      const replaced = replace(subschema, pointer + pointerOf(path))
      return isSchema(replaced) ? replaced : undefined
    }),
  }
}

/** Returns a schema without `x-js`. Fields and data of this name stay. */
export function plainSchema(schema: JsonSchema): JsonSchema {
  return typeof schema === 'boolean' ? schema : withoutCode(schema)
}

function withoutCode(schema: Fields): Fields {
  return mapSubschemas(without(schema, [codeKeyword]), '', (subschema) =>
    isFields(subschema) ? withoutCode(subschema) : subschema,
  )
}
