import { deepEqual, type Fields, isFields } from '../schema/json-values.js'
import { namesOf } from '../schema/keywords.js'
import { readDocument } from '../schema/prepare.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import { mergeSchemas, typeList } from './merge-schemas.js'
import { constraintNote, described, type Report, restrictingKeywords, without } from './report.js'
import { inlinedPart } from './schemas.js'

/** Who asks for an object at the root. */
interface RootOptions {
  /** As a sentence begins: `OpenAI`. */
  readonly vendor: string
  readonly report: Report
}

/** What most vendors refuse at the root beside `type: 'object'`. */
const refused: readonly string[] = ['not', 'enum', 'const', 'if', 'then', 'else']

/**
 * Arguments as one object schema at the root, without references or composition there, as most vendors want it. The
 * variants of a union become one object with the fields of all of them, which the description explains.
 */
export function objectRoot(schema: JsonSchema, options: RootOptions): JsonSchemaObject {
  const document = readDocument(schema)
  if (!isFields(schema)) return openObject(options)
  const notes: string[] = []
  let root = inlinedPart(schema, document, new Set())
  if (root === undefined) {
    // What applies together cannot be written as one schema: its parts are told in words.
    const note = constraintNote('allOf', schema.allOf) ?? ''
    notes.push(note)
    report('allOf', note !== '', options)
    root = without(schema, ['$ref', 'allOf'])
  }
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const variants = root[keyword]
    if (!Array.isArray(variants)) continue
    const flat = variants.map((variant) => (isFields(variant) ? inlinedPart(variant, document, new Set()) : undefined))
    const joined = joinVariants(
      without(root, [keyword]),
      flat.filter((variant) => variant !== undefined),
    )
    notes.push(joined.note)
    root = joined.root
    report(keyword, joined.note !== '', options)
  }
  for (const keyword of refused) {
    if (!Object.hasOwn(root, keyword)) continue
    const note = constraintNote(keyword, root[keyword])
    if (note !== undefined) notes.push(note)
    report(keyword, note !== undefined, options)
    root = without(root, [keyword])
  }
  if (root.type !== undefined && !typeList(root.type).includes('object')) return openObject(options)
  const description = described(
    root.description,
    notes.filter((note) => note !== ''),
  )
  const definitions = isFields(schema.$defs) ? { $defs: schema.$defs } : {}
  return { ...root, type: 'object', ...(description !== undefined && { description }), ...definitions }
}

function report(keyword: string, isSaid: boolean, { vendor, report }: RootOptions): void {
  report({
    pointer: '',
    keyword,
    kind: isSaid ? 'moved_to_description' : 'removed',
    message: `${vendor} takes no \`${keyword}\` at the root${isSaid ? '; the description says it' : ''}.`,
    loosens: true,
  })
}

function openObject({ vendor, report }: RootOptions): JsonSchemaObject {
  report({
    pointer: '',
    keyword: 'type',
    kind: 'fallback',
    message: `${vendor} takes one object as arguments, which these are not; the model is told of no fields.`,
    loosens: true,
  })
  return { type: 'object' }
}

/** One object with the fields of all variants; required is what every variant requires. */
function joinVariants(base: Fields, variants: readonly Fields[]): { readonly root: Fields; readonly note: string } {
  const sets = variants.map((variant) => namesOf(variant.required) ?? [])
  const note = sets.some((set) => set.length > 0) ? requiredNote(sets) : ''
  if (requiredSets(variants) !== undefined) return { root: base, note }
  const [first = [], ...others] = sets
  const common = first.filter((name) => others.every((set) => set.includes(name)))
  const properties = new Map<string, unknown>()
  for (const variant of variants) {
    for (const [name, field] of Object.entries(isFields(variant.properties) ? variant.properties : {})) {
      properties.set(name, properties.has(name) ? eitherSchema(properties.get(name), field) : field)
    }
  }
  const isClosed = variants.every((variant) => variant.additionalProperties === false)
  const joined = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(common.length > 0 && { required: common }),
  }
  const open = without(base, ['additionalProperties', 'unevaluatedProperties'])
  const root = mergeSchemas(open, joined) ?? { ...joined, ...without(open, ['properties', 'required', 'type']) }
  return { root: { ...root, ...(isClosed && { additionalProperties: false }) }, note }
}

function eitherSchema(a: unknown, b: unknown): unknown {
  if (deepEqual(a, b)) return a
  const known: readonly unknown[] = isFields(a) && Object.keys(a).length === 1 && Array.isArray(a.anyOf) ? a.anyOf : [a]
  return known.some((schema) => deepEqual(schema, b)) ? a : { anyOf: [...known, b] }
}

/** The fields that each variant of a union requires, where the variants demand nothing else. */
export function requiredSets(variants: readonly unknown[]): readonly (readonly string[])[] | undefined {
  const sets = variants.map((variant) => {
    if (!isFields(variant) || !demandsFieldsOnly(variant)) return undefined
    return namesOf(variant.required)
  })
  return sets.every((set) => set !== undefined) ? sets : undefined
}

function demandsFieldsOnly(variant: Fields): boolean {
  return restrictingKeywords(variant).every(
    (name) => name === 'required' || (name === 'type' && variant.type === 'object'),
  )
}

/** Sets of fields in words: `Give one of these: "a"; "b" and "c".` */
export function requiredNote(sets: readonly (readonly string[])[]): string {
  const texts = sets.map((set) => set.map((name) => JSON.stringify(name)).join(' and '))
  return `Give one of these: ${[...new Set(texts)].filter((text) => text !== '').join('; ')}.`
}
