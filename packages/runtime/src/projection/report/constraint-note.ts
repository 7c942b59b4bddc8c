import { counted } from '../../codec/issues/words.js'
import { isFields } from '../../codec/json/kind.js'
import { codeKeyword } from '../keywords/annotations.js'
import { shortJson } from './short-json.js'

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
