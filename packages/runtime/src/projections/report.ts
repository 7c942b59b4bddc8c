import { formats } from '../schema/formats.js'
import { counted } from '../schema/issue-messages.js'
import { type Fields, isFields } from '../schema/json-values.js'
import type { JsonKind } from '../types/codec.js'
import type { JsonSchemaObject } from '../types/json.js'

/**
 * What a projection did to a keyword: `removed`: it is gone; `changed`: it is said in another way;
 * `moved_to_description`: it is gone, and the description says it in words; `fallback`: the vendor's stricter form
 * cannot say it, so that a weaker form was taken.
 */
export type ChangeKind = 'removed' | 'changed' | 'moved_to_description' | 'fallback'

/** One difference between the arguments as a tool declares them and as a vendor's model is told. */
export interface ProjectionChange {
  /** JSON Pointer into the tool's `arguments`, of the schema that holds the keyword; `''` is the root. */
  readonly pointer: string
  readonly keyword: string
  readonly kind: ChangeKind
  /** One plain sentence. */
  readonly message: string
  /** Whether the vendor's schema now allows values that the tool refuses. */
  readonly loosens: boolean
}

/** A tool in a vendor's form, with everything in which its schema differs from the declared one. */
export interface Projection<Tool> {
  readonly tool: Tool
  /** In the order in which the schema is read; empty: the model is told exactly what the tool declares. */
  readonly changes: readonly ProjectionChange[]
}

/** Receives the changes while a schema is projected. */
export type Report = (change: ProjectionChange) => void

/** A schema while it is written. */
export type DraftSchema = Record<string, unknown>

/** A written schema. */
export type WrittenSchema = JsonSchemaObject

const LONGEST_VALUE = 120
const LONGEST_SCHEMA = 200

type Note = (value: unknown) => string | undefined

const notes: ReadonlyMap<string, Note> = new Map<string, Note>([
  ['minLength', countNote('At least', 'characters')],
  ['maxLength', countNote('At most', 'characters')],
  ['minItems', countNote('At least', 'items')],
  ['maxItems', countNote('At most', 'items')],
  ['minProperties', countNote('At least', 'fields')],
  ['maxProperties', countNote('At most', 'fields')],
  ['pattern', (value) => valueNote('Must match the pattern', value)],
  ['format', (value) => (typeof value === 'string' ? `Format: ${value}.` : undefined)],
  ['minimum', (value) => valueNote('At least', value)],
  ['maximum', (value) => valueNote('At most', value)],
  ['exclusiveMinimum', (value) => valueNote('More than', value)],
  ['exclusiveMaximum', (value) => valueNote('Less than', value)],
  ['multipleOf', (value) => valueNote('A multiple of', value)],
  ['const', (value) => valueNote('Must be', value)],
  ['enum', enumNote],
  ['default', (value) => valueNote('Default:', value)],
  ['examples', (value) => (Array.isArray(value) && value.length > 0 ? valueNote('Example:', value[0]) : undefined)],
  ['deprecated', (value) => (value === true ? 'Deprecated.' : undefined)],
  ['contentEncoding', (value) => valueNote('Encoding:', value)],
  ['contentMediaType', (value) => valueNote('Content:', value)],
  ['uniqueItems', (value) => (value === true ? 'Items must differ.' : undefined)],
  ['contains', (value) => schemaNote('Must hold an item that matches', value)],
  ['minContains', (value) => valueNote('Number of such items at least:', value)],
  ['maxContains', (value) => valueNote('Number of such items at most:', value)],
  ['propertyNames', (value) => schemaNote('Every field name must match', value)],
  ['not', (value) => schemaNote('Must not match', value)],
  ['if', (value) => schemaNote('There is a rule for values that match', value)],
  ['then', (value) => schemaNote('Then it must match', value)],
  ['else', (value) => schemaNote('Else it must match', value)],
  ['dependentRequired', dependencyNote],
  ['dependentSchemas', (value) => schemaNote('Where a field is given, the object must match', value)],
  ['allOf', (value) => schemaNote('Must match all of', value)],
  ['anyOf', (value) => schemaNote('Must match one of', value)],
  ['oneOf', (value) => schemaNote('Must match exactly one of', value)],
])

/**
 * What a keyword demands, in a few words for a description: `At least 1 character.` `undefined` where it demands
 * nothing, or where it cannot be said in short.
 */
export function constraintNote(keyword: string, value: unknown): string | undefined {
  return notes.get(keyword)?.(value)
}

function countNote(words: string, unit: string): Note {
  return (value) => (typeof value === 'number' ? `${words} ${counted(value, unit)}.` : undefined)
}

function valueNote(words: string, value: unknown): string | undefined {
  const text = shortJson(value, LONGEST_VALUE)
  return text === undefined ? undefined : `${words} ${text}.`
}

function schemaNote(words: string, value: unknown): string | undefined {
  const text = shortJson(value, LONGEST_SCHEMA, isForModels)
  return text === undefined ? undefined : `${words} ${text}.`
}

/** What is about code alone is not told; a field of such a name has a schema and no text. */
function isForModels(key: string, value: unknown): boolean {
  return key !== codeKeyword || typeof value !== 'string'
}

function enumNote(value: unknown): string | undefined {
  const text = Array.isArray(value) ? shortJson(value, LONGEST_SCHEMA) : undefined
  return text === undefined ? undefined : `One of ${text.slice(1, -1).replaceAll(',', ', ')}.`
}

function dependencyNote(value: unknown): string | undefined {
  if (!isFields(value)) return undefined
  const rules = Object.entries(value).flatMap(([given, names]) => {
    if (!Array.isArray(names) || names.length === 0) return []
    return [`${JSON.stringify(given)} needs ${names.map((name) => JSON.stringify(name)).join(' and ')}.`]
  })
  const text = rules.join(' ')
  return text === '' || text.length > LONGEST_SCHEMA ? undefined : text
}

/** A description with notes after it; `undefined` where there is nothing to say. */
export function described(description: unknown, notes: readonly string[]): string | undefined {
  const own = typeof description === 'string' ? description.trimEnd() : ''
  const said = notes.filter((note, at) => notes.indexOf(note) === at && !own.includes(note))
  if (said.length === 0) return typeof description === 'string' ? description : undefined
  if (own === '') return said.join(' ')
  return `${/[.!?…:;]$/u.test(own) ? own : `${own}.`} ${said.join(' ')}`
}

/** The keywords that restrict values of one kind alone. */
const keywordsOfKind: ReadonlyMap<string, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems', 'contains']],
  [
    'object',
    [
      ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
      ...['required', 'minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'],
    ],
  ],
])
/** Keywords that restrict values of every kind. */
const general: ReadonlySet<string> = new Set([
  ...['not', 'if', 'then', 'else', 'allOf', 'anyOf', 'oneOf', 'enum', 'const', 'type', '$ref'],
])
/** Keywords that say more about another one, without which they say nothing. */
const companions: ReadonlyMap<string, string> = new Map([
  ['then', 'if'],
  ['else', 'if'],
  ['minContains', 'contains'],
  ['maxContains', 'contains'],
])

/** A schema from which keywords are taken. */
interface KeywordRemoval {
  readonly schema: Fields
  readonly pointer: string
  /** Whether the vendor takes a keyword as it stands here, or the caller sees to it. */
  readonly keeps: (keyword: string) => boolean
  /** The kinds of values that the schema is about; `undefined`: any. */
  readonly kinds: readonly JsonKind[] | undefined
  /** Who does not take the keywords, as a sentence begins: `OpenAI's strict mode`. */
  readonly vendor: string
  readonly report: Report
}

/** Reports every keyword that the vendor does not take, and returns what its description should say instead. */
export function removedNotes(removal: KeywordRemoval): readonly string[] {
  const { schema, pointer, keeps, kinds, vendor, report } = removal
  const notes: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (keeps(keyword) || keyword === codeKeyword) continue
    const note = constraintNote(keyword, value)
    if (note !== undefined) notes.push(note)
    report({
      pointer,
      keyword,
      kind: note === undefined ? 'removed' : 'moved_to_description',
      message: `${vendor} does not take this \`${keyword}\`${note === undefined ? '' : '; the description says it'}.`,
      loosens: restricts(schema, keyword, kinds),
    })
  }
  return notes
}

/** Whether values would be refused for the keyword. */
function restricts(schema: Fields, keyword: string, kinds: readonly JsonKind[] | undefined): boolean {
  // Bytes must be written in their encoding; elsewhere it is only told.
  if (keyword === 'contentEncoding') return Object.hasOwn(schema, codeKeyword)
  if (annotationKeywords.has(keyword)) return false
  const companion = companions.get(keyword)
  if (companion !== undefined) return Object.hasOwn(schema, companion)
  if (keyword === 'format' && !formats.has(String(schema.format))) return false
  if (keyword === 'uniqueItems' && schema.uniqueItems !== true) return false
  if (keyword === 'if') return Object.hasOwn(schema, 'then') || Object.hasOwn(schema, 'else')
  if (general.has(keyword)) return true
  return [...keywordsOfKind].some(([kind, names]) => names.includes(keyword) && isAbout(kinds, kind))
}

function isAbout(kinds: readonly JsonKind[] | undefined, kind: string): boolean {
  return kinds === undefined || kinds.some((one) => (one === 'integer' ? 'number' : one) === kind)
}

/** A value as JSON where that is short enough for a sentence; `undefined` otherwise. Parts that are not to be shown go. */
function shortJson(
  value: unknown,
  longest: number,
  isShown: (key: string, part: unknown) => boolean = () => true,
): string | undefined {
  const text = JSON.stringify(value, (key, part) => (isShown(key, part) ? part : undefined))
  return text === undefined || text.length > longest ? undefined : text
}

/** Says which JavaScript value a field becomes: it is about code, and no model is told of it. */
export const codeKeyword = 'x-js'

/** Keywords that restrict nothing. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', '$comment', '$schema', '$id', '$anchor'],
  ...['$defs', 'definitions', codeKeyword],
])

/** The keywords of a schema that restrict its values. */
export function restrictingKeywords(schema: Fields): readonly string[] {
  return Object.keys(schema).filter((name) => !annotationKeywords.has(name))
}

/** A copy of a schema without some keywords. */
export function without(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}
