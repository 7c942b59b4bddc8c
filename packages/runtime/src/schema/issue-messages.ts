import type { Issue, JsonKind } from '../types/codec.js'
import { isDateTime } from './date-formats.js'
import { counted, expectedKinds, kindInWords, quoted, quotedList, wordList } from './wording.js'

export function issueMessage(facts: IssueFacts): string {
  switch (facts.constraint) {
    case 'invalid_json':
      return 'This is not valid JSON.'
    case 'missing_field':
      return `The required field ${quoted(facts.field)} is missing${facts.expected === undefined ? '' : `; expected ${facts.expected}`}.`
    case 'unknown_field':
      return unknownFieldMessage(facts.field, facts.nearest, quotedList(facts.allowed, facts.more))
    case 'server_owned_field':
      return `The server fills the field ${quoted(facts.field)}; omit it.`
    case 'invalid_type':
      return wrongKindMessage(expectedKinds(facts.expected, facts.format), facts.received)
    case 'invalid_enum_value':
      return wrongLiteralMessage(facts, quotedList(facts.allowed, facts.more))
    case 'invalid_format':
      return formatMessage(facts)
    case 'invalid_pattern':
      return `${quoted(facts.received)} does not match the pattern ${quoted(facts.pattern, 200)}.`
    case 'invalid_range':
      return `${facts.received}${rangeProblem(rangeWords(facts))}`
    case 'invalid_length':
      return lengthMessage(boundWords(facts, facts.unit), facts.received)
    case 'not_unique':
      return `Items must be unique, but the items at index ${facts.first} and ${facts.second} are equal.`
    case 'invalid_contains':
      return `Expected ${boundWords(facts, 'matching items')} but found ${facts.found}.`
    case 'missing_dependency':
      return `The field ${quoted(facts.field)} is required if ${quoted(facts.requiredBy)} is present.`
    case 'no_variant_matches':
      return variantMessage(facts)
    case 'several_variants_match':
      return `The value matches ${facts.matching.length} variants but must match exactly one.`
    case 'not_allowed':
      return 'This value is not allowed here.'
    case 'too_deep':
      return `The value is nested deeper than ${facts.maximum} levels.`
    case 'not_json':
      return `Expected a JSON value but got ${facts.received}${conversion(facts.received)}.`
    case 'check_failed':
      return 'The value fails a custom check of the schema.'
    case 'more_issues':
      return moreMessage(facts.count)
  }
}

function moreMessage(count: number): string {
  if (count === 1) return 'There is 1 more issue.'
  return count < mostCounted ? `There are ${count} more issues.` : `There are at least ${count} more issues.`
}

function formatMessage({ format, received }: Extract<IssueFacts, { constraint: 'invalid_format' }>): string {
  if (format === 'date-time' && isDateTime(received)) {
    return `${quoted(received)} is out of range; seconds must be 00 to 59 and the UTC year 0000 to 9999.`
  }
  return quoted(received) + wrongFormatProblem(format)
}

export function wrongFormatProblem(format: string): string {
  const advice = formatAdvice.get(format)
  return ` is not a valid ${format}${advice === undefined ? '' : `; ${advice}`}.`
}

const formatAdvice: ReadonlyMap<string, string> = new Map([
  ['decimal integer', 'send only digits and an optional minus sign, such as "-42", at most 1000 characters'],
  ['base64', 'use only A-Z, a-z, 0-9, + and /, and pad with = to a multiple of 4 characters'],
])

export function unknownFieldMessage(field: string, nearest: string | undefined, allowed: string): string {
  const sentence = `Unknown field ${quoted(field)}`
  if (nearest !== undefined) return `${sentence}; did you mean ${quoted(nearest)}?`
  return allowed === '' ? `${sentence}; no fields are allowed.` : `${sentence}; allowed fields: ${allowed}.`
}

export function wrongKindMessage(expected: string, received: JsonKind): string {
  return `Expected ${expected} but got ${received === 'boolean' ? 'a boolean' : kindInWords(received)}.`
}

export function wrongLiteralMessage(
  { allowed: { length }, received, nearest }: Extract<IssueFacts, { constraint: 'invalid_enum_value' }>,
  allowed: string,
): string {
  const end = nearest === undefined ? '.' : `; did you mean ${quoted(nearest)}?`
  return `Expected ${length === 1 ? allowed : `one of ${allowed}`} but got ${quoted(received)}${end}`
}

export function rangeProblem(allowed: string): string {
  return ` is out of range; it must be ${allowed}.`
}

export function lengthMessage(allowed: string, received: number): string {
  return `Expected ${allowed} but got ${received}.`
}

type NumberBounds = Omit<Extract<IssueFacts, { constraint: 'invalid_range' }>, 'constraint' | 'received'>

export function rangeWords(facts: NumberBounds): string {
  let words = ''
  if (facts.minimum !== undefined) words += ` and at least ${facts.minimum}`
  if (facts.exclusiveMinimum !== undefined) words += ` and more than ${facts.exclusiveMinimum}`
  if (facts.maximum !== undefined) words += ` and at most ${facts.maximum}`
  if (facts.exclusiveMaximum !== undefined) words += ` and less than ${facts.exclusiveMaximum}`
  if (facts.multipleOf !== undefined) words += ` and a multiple of ${facts.multipleOf}`
  return words.slice(' and '.length)
}

export function boundWords(
  bounds: { readonly minimum?: number | undefined; readonly maximum?: number | undefined },
  unit: string,
): string {
  const { minimum, maximum } = bounds
  if (minimum !== undefined && minimum === maximum) return `exactly ${counted(minimum, unit)}`
  if (minimum === undefined) return `at most ${counted(maximum ?? 0, unit)}`
  if (maximum === undefined) return `at least ${counted(minimum, unit)}`
  return `${minimum} to ${counted(maximum, unit)}`
}

function variantMessage(facts: Extract<IssueFacts, { constraint: 'no_variant_matches' }>): string {
  const { discriminator, variants, more } = facts
  if (discriminator === undefined) {
    return variants.length === 1
      ? `The value matches no variant; every variant is ${wordList(variants)}.`
      : `The value matches none of these variants: ${wordList(variants, more)}.`
  }
  const { field, allowed } = discriminator
  return `The field ${quoted(field)} selects the variant; it must be one of ${quotedList(allowed, discriminator.more)}.`
}

function conversion(received: string): string {
  switch (received) {
    case 'an instance of Date':
      return '; send an ISO string (toISOString()) instead'
    case 'an instance of Map':
      return '; send a plain object instead (Object.fromEntries)'
    case 'an instance of Set':
      return '; send an array instead'
    case 'a bigint':
      return '; send a number or a decimal string instead'
    default:
      return received.startsWith('an instance of ') ? '; send a plain object instead' : ''
  }
}

type FactsOf<Fault> = Fault extends Issue ? Omit<Fault, 'path' | 'message' | 'description'> : never

export type IssueFacts = FactsOf<Issue>

/** The evaluation stops when it has counted this number of issues without storing them. */
export const mostCounted = 10_000
