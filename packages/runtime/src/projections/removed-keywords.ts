import { formats } from '../schema/formats.js'
import type { Fields } from '../schema/json-values.js'
import type { JsonKind } from '../types/codec.js'
import { codeKeyword, type Report } from './changes.js'
import { constraintNote } from './constraint-notes.js'

const RESTRICTED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: ['minLength', 'maxLength', 'pattern', 'format'],
    number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems', 'contains'],
    object: [
      ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
      ...['required', 'minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'],
    ],
    any: ['not', 'allOf', 'anyOf', 'oneOf', 'enum', 'const', 'type', '$ref'],
  }).flatMap(([kind, keywords]) => keywords.map((keyword) => [keyword, kind] as const)),
)

/** JSON Schema ignores a key of this map if the schema contains none of the keywords in its value. For example, `then` has no effect without `if`. */
const COMPANIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['if', ['then', 'else']],
  ['then', ['if']],
  ['else', ['if']],
  ['minContains', ['contains']],
  ['maxContains', ['contains']],
])

interface KeywordRemoval {
  readonly schema: Fields
  readonly pointer: string
  readonly keeps: (keyword: string) => boolean
  readonly kinds: readonly JsonKind[] | undefined
  readonly vendor: string
  readonly report: Report
}

export function removedNotes({ schema, pointer, keeps, kinds, vendor, report }: KeywordRemoval): readonly string[] {
  const notes: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (keeps(keyword) || keyword === codeKeyword) continue
    const text = constraintNote(keyword, value)
    if (text !== undefined) notes.push(text)
    const kind = text === undefined ? 'removed' : 'moved_to_description'
    const message = `${vendor} does not support this \`${keyword}\`${text === undefined ? '' : '; the description states the rule'}.`
    report({ pointer, keyword, kind, message, loosens: restricts(schema, keyword, kinds) })
  }
  return notes
}

function restricts(schema: Fields, keyword: string, kinds: readonly JsonKind[] | undefined): boolean {
  // For bytes, the encoding is required. Otherwise it is an annotation.
  if (keyword === 'contentEncoding') return Object.hasOwn(schema, codeKeyword)
  const companions = COMPANIONS.get(keyword)
  if (companions !== undefined) return companions.some((name) => Object.hasOwn(schema, name))
  if (keyword === 'format' && !formats.has(String(schema.format))) return false
  if (keyword === 'uniqueItems' && schema.uniqueItems !== true) return false
  const restricted = RESTRICTED.get(keyword)
  if (restricted === undefined || restricted === 'any') return restricted === 'any'
  return kinds === undefined || kinds.some((kind) => (kind === 'integer' ? 'number' : kind) === restricted)
}
