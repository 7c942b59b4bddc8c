import { formats } from '../schema/formats.js'
import { type Fields, isFields } from '../schema/json-values.js'
import { counted } from '../schema/wording.js'
import type { JsonKind } from '../types/codec.js'

/**
 * Effect of a projection on a keyword: `removed`; `changed`: expressed in another way; `moved_to_description`: removed,
 * and the description explains it in words; `fallback`: the vendor's stricter form cannot express it, so that a weaker
 * form is used.
 */
export type ChangeKind = 'removed' | 'changed' | 'moved_to_description' | 'fallback'

/** One difference between the arguments that a tool declares and those that a vendor's model sees. */
export interface ProjectionChange {
  /** JSON Pointer into the tool's `arguments`, of the schema that holds the keyword; `''` is the root. */
  readonly pointer: string
  readonly keyword: string
  readonly kind: ChangeKind
  /** One plain sentence. */
  readonly message: string
  /** `true` if the vendor's schema now accepts values that the tool rejects. */
  readonly loosens: boolean
}

/** A tool in a vendor's form, with all differences between its schema and the declared one. */
export interface Projection<Tool> {
  readonly tool: Tool
  /** In the order of the schema; empty if the model sees exactly the declared schema. */
  readonly changes: readonly ProjectionChange[]
}

/** Receives the changes while a schema is projected. */
export type Report = (change: ProjectionChange) => void

/** Keyword that says which JavaScript value a field becomes: it is about code, and no model receives it. */
export const codeKeyword = 'x-js'

/** Keywords that do not restrict values. */
export const annotationKeywords: ReadonlySet<string> = new Set([
  ...['title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', '$comment', '$schema', '$id', '$anchor'],
  ...['$defs', 'definitions', codeKeyword],
])

/** Returns the keywords of a schema that restrict its values. */
export function restrictingKeywords(schema: Fields): readonly string[] {
  return Object.keys(schema).filter((name) => !annotationKeywords.has(name))
}

/** Returns a copy of a schema without some keywords. */
export function without(schema: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => !names.includes(name)))
}

/** Maximum lengths of values and schemas in descriptions. */
const LONGEST_VALUE = 120
const LONGEST_SCHEMA = 200

/** Texts before the value of a keyword. */
const VALUE_NOTES: ReadonlyMap<string, string> = new Map([
  ['pattern', 'Must match the pattern'],
  ['minimum', 'At least'],
  ['maximum', 'At most'],
  ['exclusiveMinimum', 'More than'],
  ['exclusiveMaximum', 'Less than'],
  ['multipleOf', 'A multiple of'],
  ['const', 'Must be'],
  ['default', 'Default:'],
  ['contentEncoding', 'Encoding:'],
  ['contentMediaType', 'Content:'],
  ['minContains', 'Number of such items at least:'],
  ['maxContains', 'Number of such items at most:'],
])

/** Texts before the schema of a keyword. */
const SCHEMA_NOTES: ReadonlyMap<string, string> = new Map([
  ['contains', 'Must hold an item that matches'],
  ['propertyNames', 'Every field name must match'],
  ['not', 'Must not match'],
  ['if', 'There is a rule for values that match'],
  ['then', 'Then it must match'],
  ['else', 'Else it must match'],
  ['dependentSchemas', 'Where a field is given, the object must match'],
  ['allOf', 'Must match all of'],
  ['anyOf', 'Must match one of'],
  ['oneOf', 'Must match exactly one of'],
])

/** Units of keywords that count: `minItems` counts items. */
const UNITS: ReadonlyMap<string, string> = new Map([
  ['Length', 'characters'],
  ['Items', 'items'],
  ['Properties', 'fields'],
])

/**
 * Returns the demand of a keyword in a few words for a description: `At least 1 character.` `undefined` if it demands
 * nothing, or if the text would be too long.
 */
export function constraintNote(keyword: string, value: unknown): string | undefined {
  const unit = UNITS.get(keyword.slice(3))
  if (unit !== undefined && /^m(?:in|ax)/.test(keyword)) {
    return typeof value === 'number'
      ? `At ${keyword.startsWith('min') ? 'least' : 'most'} ${counted(value, unit)}.`
      : undefined
  }
  const words = VALUE_NOTES.get(keyword)
  if (words !== undefined) return note(words, shortJson(value, LONGEST_VALUE))
  const schemaWords = SCHEMA_NOTES.get(keyword)
  if (schemaWords !== undefined) return note(schemaWords, shortJson(value, LONGEST_SCHEMA, withoutCodeKeyword))
  switch (keyword) {
    case 'format':
      return typeof value === 'string' ? `Format: ${value}.` : undefined
    case 'enum':
      return note(
        'One of',
        Array.isArray(value) ? shortJson(value, LONGEST_SCHEMA)?.slice(1, -1).replaceAll(',', ', ') : undefined,
      )
    case 'examples':
      return Array.isArray(value) && value.length > 0 ? note('Example:', shortJson(value[0], LONGEST_VALUE)) : undefined
    case 'deprecated':
      return value === true ? 'Deprecated.' : undefined
    case 'uniqueItems':
      return value === true ? 'Items must differ.' : undefined
    case 'dependentRequired':
      return dependencyNote(value)
    default:
      return undefined
  }
}

function note(words: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${words} ${text}.`
}

/** Returns a value as JSON; `undefined` if that is too long for a sentence. */
function shortJson(
  value: unknown,
  longest: number,
  replacer?: (key: string, part: unknown) => unknown,
): string | undefined {
  const text = JSON.stringify(value, replacer)
  return text === undefined || text.length > longest ? undefined : text
}

/** Leaves out the keyword; a field of this name has a schema, not a string. */
function withoutCodeKeyword(key: string, value: unknown): unknown {
  return key === codeKeyword && typeof value === 'string' ? undefined : value
}

function dependencyNote(value: unknown): string | undefined {
  if (!isFields(value)) return undefined
  const rules = Object.entries(value).flatMap(([field, names]) => {
    if (!Array.isArray(names) || names.length === 0) return []
    return [`${JSON.stringify(field)} needs ${names.map((name) => JSON.stringify(name)).join(' and ')}.`]
  })
  const text = rules.join(' ')
  return text === '' || text.length > LONGEST_SCHEMA ? undefined : text
}

/** Returns a description with notes after it; `undefined` if there is neither. */
export function described(description: unknown, notes: readonly string[]): string | undefined {
  const own = typeof description === 'string' ? description.trimEnd() : ''
  const added = [...new Set(notes)].filter((each) => !own.includes(each)).join(' ')
  if (added === '') return typeof description === 'string' ? description : undefined
  if (own === '') return added
  return `${/[.!?…:;]$/u.test(own) ? own : `${own}.`} ${added}`
}

/** Kinds of values that a keyword restricts; keywords that are not listed restrict none. */
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

/** Keywords that have no effect without one of others. */
const COMPANIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ['if', ['then', 'else']],
  ['then', ['if']],
  ['else', ['if']],
  ['minContains', ['contains']],
  ['maxContains', ['contains']],
])

/** A schema whose unsupported keywords are removed. */
interface KeywordRemoval {
  readonly schema: Fields
  readonly pointer: string
  /** Returns `true` for a keyword that the vendor supports, or that the caller handles. */
  readonly keeps: (keyword: string) => boolean
  /** The kinds of values of the schema; `undefined`: any. */
  readonly kinds: readonly JsonKind[] | undefined
  /** Subject of the messages: `OpenAI's strict mode`. */
  readonly vendor: string
  readonly report: Report
}

/** Reports every unsupported keyword, and returns the notes that replace them in the description. */
export function removedNotes({ schema, pointer, keeps, kinds, vendor, report }: KeywordRemoval): readonly string[] {
  const notes: string[] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (keeps(keyword) || keyword === codeKeyword) continue
    const text = constraintNote(keyword, value)
    if (text !== undefined) notes.push(text)
    report({
      pointer,
      keyword,
      kind: text === undefined ? 'removed' : 'moved_to_description',
      message: `${vendor} does not take this \`${keyword}\`${text === undefined ? '' : '; the description says it'}.`,
      loosens: restricts(schema, keyword, kinds),
    })
  }
  return notes
}

/** Returns `true` if values may be rejected because of the keyword. */
function restricts(schema: Fields, keyword: string, kinds: readonly JsonKind[] | undefined): boolean {
  // Bytes must be written in their encoding; elsewhere it is an annotation.
  if (keyword === 'contentEncoding') return Object.hasOwn(schema, codeKeyword)
  const companions = COMPANIONS.get(keyword)
  if (companions !== undefined) return companions.some((name) => Object.hasOwn(schema, name))
  if (keyword === 'format' && !formats.has(String(schema.format))) return false
  if (keyword === 'uniqueItems' && schema.uniqueItems !== true) return false
  const restricted = RESTRICTED.get(keyword)
  if (restricted === undefined || restricted === 'any') return restricted === 'any'
  return kinds === undefined || kinds.some((kind) => (kind === 'integer' ? 'number' : kind) === restricted)
}
