import { deepEqual, type Fields, isFields } from '../schema/json-values.js'
import { namesOf } from '../schema/keywords.js'
import { readDocument } from '../schema/prepare.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import { type Report, restrictingKeywords, without } from './changes.js'
import { constraintNote, described } from './constraint-notes.js'
import { mergeSchemas, typeList } from './merge-schemas.js'
import { inlinedPart } from './schemas.js'

/** Keywords that most vendors reject at the root of a schema, in addition to `allOf`, `anyOf`, `oneOf` and `$ref`. */
const REFUSED = ['not', 'enum', 'const', 'if', 'then', 'else']

/**
 * Most vendors require one object without references, `allOf` and unions at the root. A union becomes one object with the fields of all variants, and
 * the description of this object lists which fields are required together.
 */
export function objectRoot(schema: JsonSchema, vendor: string, report: Report): JsonSchemaObject {
  const document = readDocument(schema)
  const notes: string[] = []
  const remove = (keyword: string, note: string | undefined): void => {
    if (note !== undefined) notes.push(note)
    const kind = note === undefined ? 'removed' : 'moved_to_description'
    const message = `${vendor} does not support \`${keyword}\` at the root${note === undefined ? '' : '; the description states the rule'}.`
    report({ pointer: '', keyword, kind, message, loosens: true })
  }
  let root = isFields(schema) ? inlinedPart(schema, document) : {}
  if (isFields(schema) && root === undefined) {
    // One schema cannot express the combination.
    remove('allOf', constraintNote('allOf', schema.allOf))
    root = without(schema, ['$ref', 'allOf'])
  }
  root ??= {}
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = root[keyword]
    if (!Array.isArray(variants)) continue
    const flat = variants.map((variant) => (isFields(variant) ? inlinedPart(variant, document) : undefined))
    const objects = flat.filter((variant) => variant !== undefined)
    const sets = objects.map(({ required }) => namesOf(required) ?? [])
    root = joinVariants(without(root, [keyword]), objects, sets)
    remove(keyword, sets.some((set) => set.length > 0) ? requiredNote(sets) : undefined)
  }
  for (const keyword of REFUSED.filter((name) => Object.hasOwn(root ?? {}, name))) {
    remove(keyword, constraintNote(keyword, root[keyword]))
    root = without(root, [keyword])
  }
  if (!isFields(schema) || (root.type !== undefined && !typeList(root.type).includes('object'))) {
    const message = `${vendor} requires an object as arguments, but the schema does not describe an object. The model receives no fields.`
    report({ pointer: '', keyword: 'type', kind: 'fallback', message, loosens: true })
    return { type: 'object' }
  }
  const description = described(root.description, notes)
  const definitions = isFields(schema.$defs) ? { $defs: schema.$defs } : {}
  return { ...root, type: 'object', ...(description !== undefined && { description }), ...definitions }
}

function joinVariants(base: Fields, variants: readonly Fields[], required: readonly (readonly string[])[]): Fields {
  if (requiredSets(variants) !== undefined) return base
  const [first = [], ...others] = required
  const common = first.filter((name) => others.every((set) => set.includes(name)))
  const properties = new Map<string, unknown>()
  for (const variant of variants) {
    for (const [name, field] of Object.entries(isFields(variant.properties) ? variant.properties : {})) {
      properties.set(name, properties.has(name) ? eitherSchema(properties.get(name), field) : field)
    }
  }
  const joined = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(common.length > 0 && { required: common }),
  }
  const open = without(base, ['additionalProperties', 'unevaluatedProperties'])
  const root = mergeSchemas(open, joined) ?? { ...joined, ...without(open, ['properties', 'required', 'type']) }
  const isClosed = variants.every((variant) => variant.additionalProperties === false)
  return isClosed ? { ...root, additionalProperties: false } : root
}

function eitherSchema(a: unknown, b: unknown): unknown {
  if (deepEqual(a, b)) return a
  const variants: readonly unknown[] =
    isFields(a) && Object.keys(a).length === 1 && Array.isArray(a.anyOf) ? a.anyOf : [a]
  return variants.some((variant) => deepEqual(variant, b)) ? a : { anyOf: [...variants, b] }
}

export function requiredSets(variants: readonly unknown[]): readonly (readonly string[])[] | undefined {
  const sets = variants.map((variant) => {
    if (!isFields(variant)) return undefined
    const others = restrictingKeywords(variant).filter((name) => name !== 'required')
    const isPlain = others.every((name) => name === 'type' && variant.type === 'object')
    return isPlain ? namesOf(variant.required) : undefined
  })
  return sets.every((set) => set !== undefined) ? sets : undefined
}

export function requiredNote(sets: readonly (readonly string[])[]): string {
  const texts = sets.map((set) => set.map((name) => JSON.stringify(name)).join(' and '))
  return `Give one of these: ${[...new Set(texts)].filter((text) => text !== '').join('; ')}.`
}
