import { isObject, isSchema } from './json.js'
import type { Json } from './json-schema.js'
import { type KeywordValue, keywords, typeNames } from './keywords.js'

/**
 * What the value of a keyword should have been, as "a number above 0"; `undefined` when it is right, and for what is no
 * keyword.
 *
 * @example
 * expectedValue('required', 'id') // 'a list of names'
 */
export function expectedValue(keyword: string, value: Json): string | undefined {
  const kind = keywords.get(keyword)
  if (kind === undefined) return undefined
  const keyed = keyword === 'patternProperties' && isObject(value) ? Object.keys(value) : []
  const badKey = keyed.find((key) => !isPattern(key))
  return badKey === undefined ? expectation(kind, value) : `keyed by regular expressions, not \`${badKey}\``
}

function expectation(kind: KeywordValue, value: Json): string | undefined {
  switch (kind) {
    case 'schema':
      return isSchema(value) ? undefined : 'a schema'
    case 'schemas':
      return isFullList(value) && value.every(isSchema) ? undefined : 'a list of at least one schema'
    case 'schema map':
      return isObject(value) && Object.values(value).every(isSchema) ? undefined : 'an object of schemas'
    case 'type':
      return isTypeList(value) ? undefined : `one or several of: ${typeNames.join(', ')}`
    case 'text':
      return typeof value === 'string' ? undefined : 'a text'
    case 'pattern':
      return typeof value === 'string' && isPattern(value) ? undefined : 'a regular expression'
    case 'number':
      return typeof value === 'number' ? undefined : 'a number'
    case 'positive number':
      return typeof value === 'number' && value > 0 ? undefined : 'a number above 0'
    case 'count':
      return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? undefined : 'a whole number from 0 on'
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'true or false'
    case 'list':
      return Array.isArray(value) ? undefined : 'a list'
    case 'names':
      return isNames(value) ? undefined : 'a list of names'
    case 'names map':
      return isObject(value) && Object.values(value).every(isNames) ? undefined : 'an object of lists of names'
    case 'anything':
      return undefined
  }
}

function isFullList(value: Json): value is readonly Json[] {
  return Array.isArray(value) && value.length > 0
}

function isNames(value: Json): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === 'string')
}

function isTypeList(value: Json): boolean {
  const names: readonly Json[] = Array.isArray(value) ? value : [value]
  return names.length > 0 && names.every((name) => typeof name === 'string' && typeNames.includes(name))
}

/** Whether a text is a pattern: tried as a Unicode pattern first, as validators do; older ones may be valid without. */
export function isPattern(source: string): boolean {
  return ['u', ''].some((flags) => {
    try {
      new RegExp(source, flags)
      return true
    } catch {
      // The engine says that it is no pattern by throwing.
      return false
    }
  })
}

/** The runtime compiles no longer ones. */
const longestPattern = 10_000

/** Brackets and escapes as a whole, so that what they hold is not read as a group or a reference. */
const patternTokens = /\[(?:\\.|[^\]\\])*\]|\\0\d|\\.|\(\?(?:<?[=!]|[:<])?|./gs

/**
 * What keeps a pattern from being matched in linear time, as "a back reference"; `undefined` where nothing does. No engine
 * has a limit in time for back references, so codecs take no pattern with one.
 */
export function nonlinearPart(pattern: string): string | undefined {
  if (pattern.length > longestPattern) return `more than ${longestPattern.toLocaleString('en')} characters`
  const tokens: readonly string[] = pattern.match(patternTokens) ?? []
  if (tokens.some((token) => /^\\(?:[1-9k]|0\d)/.test(token))) return 'a back reference'
  return tokens.includes('(?') ? 'inline flags' : undefined
}
