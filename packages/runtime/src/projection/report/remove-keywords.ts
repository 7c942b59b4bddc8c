import { formats } from '../../codec/formats/formats.js'
import type { Fields } from '../../codec/json/kind.js'
import type { JsonKind } from '../../contract/issue.js'
import { annotationKeywords, codeKeyword } from '../keywords/annotations.js'
import type { Report } from './change.js'
import { constraintNote } from './constraint-note.js'

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
export interface KeywordRemoval {
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
