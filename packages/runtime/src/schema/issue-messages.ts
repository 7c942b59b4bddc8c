import type { Issue, JsonKind, Listed } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { isDateTime } from './formats.js'
import { equalityKey, isContainer } from './json-values.js'
import { NameList } from './nearest.js'

/** Says in one sentence what is wrong and what would be right. */
export function issueMessage(facts: IssueFacts): string {
  switch (facts.constraint) {
    case 'invalid_json':
      return 'This is not valid JSON.'
    case 'missing_field':
      return `The required field ${quoted(facts.field)} is missing${facts.expected === undefined ? '' : `; expected ${facts.expected}`}.`
    case 'unknown_field':
      return unknownFieldMessage(facts.field, facts.nearest, quotedList(facts.allowed, facts.more))
    case 'server_owned_field':
      return `The field ${quoted(facts.field)} is filled by the server; leave it out.`
    case 'invalid_type':
      return wrongKindMessage(expectedKinds(facts.expected, facts.format), facts.received)
    case 'invalid_enum_value':
      return wrongLiteralMessage(facts, quotedList(facts.allowed, facts.more))
    case 'invalid_format':
      return formatMessage(facts)
    case 'invalid_pattern':
      return `${quoted(facts.received)} does not match the pattern ${quoted(facts.pattern, 200)}.`
    case 'invalid_range':
      return rangeMessage(rangeWords(facts), facts.received)
    case 'invalid_length':
      return lengthMessage(boundWords(facts, facts.unit), facts.received)
    case 'not_unique':
      return `The items must differ, but item ${facts.second} repeats item ${facts.first}.`
    case 'invalid_contains':
      return `Expected ${boundWords(facts, 'matching items')} but found ${facts.found}.`
    case 'missing_dependency':
      return `The field ${quoted(facts.field)} is required because ${quoted(facts.requiredBy)} is given.`
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
      return 'The value does not pass the check.'
    case 'more_issues':
      return moreMessage(facts.count)
  }
}

function moreMessage(count: number): string {
  if (count === 1) return 'There is 1 more fault.'
  return count < mostCounted ? `There are ${count} more faults.` : `There are ${count} more faults, or even more.`
}

function formatMessage({ format, received }: Extract<IssueFacts, { constraint: 'invalid_format' }>): string {
  if (format === 'date-time' && isDateTime(received)) {
    return `${quoted(received)} cannot be represented; seconds go from 00 to 59, and years in UTC from 0000 to 9999.`
  }
  const advice = formatAdvice.get(format)
  return `${quoted(received)} is not a valid ${format}${advice === undefined ? '' : `; ${advice}`}.`
}

/** Advice on formats whose names do not say enough. */
const formatAdvice: ReadonlyMap<string, string> = new Map([
  ['decimal integer', 'send its digits alone, such as "-42", at most 1000 characters'],
  ['base64', 'send the letters A-Z, a-z, 0-9, + and /, padded with = to a multiple of four'],
])

/** Returns the sentence about an undeclared field; `allowed` lists the declared fields. */
export function unknownFieldMessage(field: string, nearest: string | undefined, allowed: string): string {
  const sentence = `There is no field ${quoted(field)} here`
  if (nearest !== undefined) return `${sentence}; did you mean ${quoted(nearest)}?`
  return allowed === '' ? `${sentence}; no fields are allowed.` : `${sentence}; allowed: ${allowed}.`
}

/** Describes the expected kinds; `format` is the format of strings. */
export function expectedKinds(expected: readonly JsonKind[], format: string | undefined): string {
  return either(expected.map((kind) => kindInWords(kind, format)))
}

export function wrongKindMessage(expected: string, received: JsonKind): string {
  return `Expected ${expected} but got ${received === 'boolean' ? 'a boolean' : kindInWords(received)}.`
}

/** Returns the sentence about a value that is not allowed; `allowed` lists the allowed values. */
export function wrongLiteralMessage(
  { allowed: { length }, received, nearest }: Extract<IssueFacts, { constraint: 'invalid_enum_value' }>,
  allowed: string,
): string {
  const end = nearest === undefined ? '.' : `; did you mean ${quoted(nearest)}?`
  return `Expected ${length === 1 ? allowed : `one of ${allowed}`} but got ${quoted(received)}${end}`
}

export function rangeMessage(allowed: string, received: number): string {
  return `${received} is out of range; it must be ${allowed}.`
}

export function lengthMessage(allowed: string, received: number): string {
  return `Expected ${allowed} but got ${received}.`
}

/** Bounds of a number, as `invalid_range` has them. */
type NumberBounds = Omit<Extract<IssueFacts, { constraint: 'invalid_range' }>, 'constraint' | 'received'>

/** Describes the bounds of a number. */
export function rangeWords(facts: NumberBounds): string {
  let words = ''
  if (facts.minimum !== undefined) words += ` and at least ${facts.minimum}`
  if (facts.exclusiveMinimum !== undefined) words += ` and more than ${facts.exclusiveMinimum}`
  if (facts.maximum !== undefined) words += ` and at most ${facts.maximum}`
  if (facts.exclusiveMaximum !== undefined) words += ` and less than ${facts.exclusiveMaximum}`
  if (facts.multipleOf !== undefined) words += ` and a multiple of ${facts.multipleOf}`
  return words.slice(' and '.length)
}

/** Describes the bounds of a count. */
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
      ? `The value fits none of the variants, each of which is ${wordList(variants)}.`
      : `The value fits none of these variants: ${wordList(variants, more)}.`
  }
  const { field, allowed } = discriminator
  return `The field ${quoted(field)} selects the variant; it must be one of ${quotedList(allowed, discriminator.more)}.`
}

function conversion(received: string): string {
  switch (received) {
    case 'an instance of Date':
      return '; send its ISO text (toISOString()) instead'
    case 'an instance of Map':
      return '; send a plain object instead (Object.fromEntries)'
    case 'an instance of Set':
      return '; send an array instead'
    case 'a bigint':
      return '; send a number or its decimal text instead'
    default:
      return received.startsWith('an instance of ') ? '; send a plain object instead' : ''
  }
}

const shownInList = 5

/** Texts that JSON writes as they are: most names and values. */
const plainText = /^[\w .:,+@/-]*$/

const kindWords: { readonly [Kind in JsonKind]: string } = {
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
  array: 'an array',
  object: 'an object',
}

/** Describes a kind: `a whole number`; a string of a known format: `a date-time text such as 2026-01-31T09:30:00Z`. */
export function kindInWords(kind: JsonKind, format?: string): string {
  return kind === 'string' && format !== undefined ? formatInWords(format) : kindWords[kind]
}

/** Joins words, each once: `a, b or c`. */
export function either(input: readonly string[]): string {
  const [only] = input
  if (only !== undefined && input.length === 1) return only
  const words = [...new Set(input)]
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** A count with its noun: `1 item`, `2 items`. */
export function counted(count: number, plural: string): string {
  const singular = plural === 'properties' ? 'property' : plural.slice(0, -1)
  return `${count} ${count === 1 ? singular : plural}`
}

/** A value as JSON, cut where it is long. */
export function quoted(value: unknown, longest: number = 60): string {
  if (typeof value === 'string' && value.length <= longest && plainText.test(value)) return `"${value}"`
  const text = JSON.stringify(typeof value === 'string' ? value.slice(0, longest + 1) : value) ?? String(value)
  return text.length > longest + 2 ? `${text.slice(0, longest)}…` : text
}

/** Several values as JSON: at most five, and how many more there are, `unlisted` ones included. */
export function quotedList(values: readonly unknown[], unlisted: number = 0): string {
  return shortList(
    values.slice(0, shownInList).map((value) => quoted(value)),
    Math.max(0, values.length - shownInList) + unlisted,
  )
}

/** Several words as they are: at most five, and how many more there are, `unlisted` ones included. */
function wordList(words: readonly string[], unlisted: number = 0): string {
  return shortList(words.slice(0, shownInList), Math.max(0, words.length - shownInList) + unlisted)
}

function shortList(shown: readonly string[], more: number): string {
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** Samples of formats whose names do not say enough. */
const samples: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-31T09:30:00Z'],
  ['date', '2026-01-31'],
  ['decimal integer', '-42'],
  ['base64', 'SGVsbG8='],
  ['time', '09:30:00Z'],
  ['duration', 'P1DT2H'],
  ['uuid', '123e4567-e89b-12d3-a456-426614174000'],
])

/** A correct text of a format; `undefined` where its name says enough, or is not known. */
export function formatSample(format: string): string | undefined {
  return samples.get(format)
}

/** Describes a string of a format: `a date-time text such as 2026-01-31T09:30:00Z`. */
function formatInWords(format: string): string {
  const sample = samples.get(format)
  return sample === undefined ? `a ${format} text` : `a ${format} text such as ${sample}`
}

/** Maximum number of values that an issue lists: more make no better advice. */
const MAX_LISTED = 50

/** Allowed values, prepared once with the schema, so that the cost of an issue does not depend on their number. */
export class Choices<Value extends JsonValue = JsonValue> {
  /** All of them, each once. */
  readonly all: readonly Value[]
  readonly #listed: Listed<Value>
  #names: NameList | undefined
  #words: string | undefined
  #texts: ReadonlyMap<string, Value> | undefined

  constructor(values: Iterable<Value>) {
    const distinct = new Map<string, Value>()
    for (const value of values) {
      const key = equalityKey(value)
      if (!distinct.has(key)) distinct.set(key, value)
    }
    this.all = Object.freeze([...distinct.values()])
    this.#listed = this.#list(Object.freeze(this.all.slice(0, MAX_LISTED)))
  }

  /** The texts among them, to find the nearest one. */
  get names(): NameList {
    this.#names ??= new NameList(this.all.filter((value) => typeof value === 'string'))
    return this.#names
  }

  /** The one that is written like a text: `5` for `"5"`. */
  writtenAs(text: string): Value | undefined {
    this.#texts ??= new Map(this.all.filter((value) => !isContainer(value)).map((value) => [String(value), value]))
    return this.#texts.get(text)
  }

  /** The values that an issue lists, as one string. Correct if {@link listed} adds no nearest value. */
  get words(): string {
    this.#words ??= quotedList(this.#listed.allowed, this.#listed.more)
    return this.#words
  }

  /** The list of an issue, with the nearest one among it. */
  listed(nearest?: Value): Listed<Value> {
    const { allowed } = this.#listed
    if (nearest === undefined || allowed.length === this.all.length || allowed.includes(nearest)) return this.#listed
    return this.#list(Object.freeze([nearest, ...allowed.slice(0, -1)]))
  }

  #list(allowed: readonly Value[]): Listed<Value> {
    const more = this.all.length - allowed.length
    return Object.freeze(more === 0 ? { allowed } : { allowed, more })
  }
}

type FactsOf<Fault> = Fault extends Issue ? Omit<Fault, 'path' | 'message' | 'description'> : never

/** Facts of an issue without its path, message and description. */
export type IssueFacts = FactsOf<Issue>

/** Number of unlisted issues at which the search for more ends. */
export const mostCounted = 10_000
