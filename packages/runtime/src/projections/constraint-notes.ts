import { isFields } from '../schema/json-values.js'
import { counted } from '../schema/wording.js'
import { codeKeyword } from './changes.js'

const LONGEST_VALUE = 120

const LONGEST_SCHEMA = 200

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
  ['minContains', 'Minimum number of matching items:'],
  ['maxContains', 'Maximum number of matching items:'],
])

const SCHEMA_NOTES: ReadonlyMap<string, string> = new Map([
  ['contains', 'Must contain an item that matches'],
  ['propertyNames', 'Every field name must match'],
  ['not', 'Must not match'],
  ['if', 'A rule applies if the value matches'],
  ['then', 'Then it must match'],
  ['else', 'Else it must match'],
  ['dependentSchemas', 'If a field is present, the object must match'],
  ['allOf', 'Must match all of'],
  ['anyOf', 'Must match one of'],
  ['oneOf', 'Must match exactly one of'],
])

const UNITS: ReadonlyMap<string, string> = new Map([
  ['Length', 'characters'],
  ['Items', 'items'],
  ['Properties', 'fields'],
])

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
    case 'enum': {
      const text = Array.isArray(value) ? shortJson(value, LONGEST_SCHEMA) : undefined
      return note('One of', text?.slice(1, -1).replaceAll(',', ', '))
    }
    case 'examples':
      return Array.isArray(value) && value.length > 0 ? note('Example:', shortJson(value[0], LONGEST_VALUE)) : undefined
    case 'deprecated':
      return value === true ? 'Deprecated.' : undefined
    case 'uniqueItems':
      return value === true ? 'Items must be unique.' : undefined
    case 'dependentRequired':
      return dependencyNote(value)
    default:
      return undefined
  }
}

function note(words: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : `${words} ${text}.`
}

function shortJson(
  value: unknown,
  longest: number,
  replacer?: (key: string, part: unknown) => unknown,
): string | undefined {
  const text = JSON.stringify(value, replacer)
  return text === undefined || text.length > longest ? undefined : text
}

/** A field can also have the name `x-js`. The value is then a schema and not a string. */
function withoutCodeKeyword(key: string, value: unknown): unknown {
  return key === codeKeyword && typeof value === 'string' ? undefined : value
}

function dependencyNote(value: unknown): string | undefined {
  if (!isFields(value)) return undefined
  const rules = Object.entries(value).flatMap(([field, names]) => {
    if (!Array.isArray(names) || names.length === 0) return []
    return [`${JSON.stringify(field)} requires ${names.map((name) => JSON.stringify(name)).join(' and ')}.`]
  })
  const text = rules.join(' ')
  return text === '' || text.length > LONGEST_SCHEMA ? undefined : text
}

export function described(description: unknown, notes: readonly string[]): string | undefined {
  const own = typeof description === 'string' ? description.trimEnd() : ''
  const added = [...new Set(notes)].filter((each) => !own.includes(each)).join(' ')
  if (added === '') return typeof description === 'string' ? description : undefined
  if (own === '') return added
  return `${/[.!?…:;]$/u.test(own) ? own : `${own}.`} ${added}`
}
