import { either, formatSample, kindInWords } from '../schema/issue-messages.js'
import { parsePointer } from '../schema/json-pointer.js'
import { nearestNames } from '../schema/nearest.js'
import type { Issue } from '../types/issue.js'
import type { JsonValue } from '../types/json.js'

/** Maximum number of listed issues of the nearest variant. */
const MAX_NESTED = 2

const LONGEST_SENTENCE = 120

/** One fault in one clause: which field and what is allowed. Never what was received, which may be long or private. */
export function faultText(issue: Issue, detail: Detail): string {
  const name = fieldName(issue)
  switch (issue.constraint) {
    case 'invalid_json':
      return `the arguments are not valid JSON${jsonFaultText(issue)}`
    case 'missing_field':
      return `${name} is missing${missingFacts(issue, detail)}`
    case 'unknown_field':
      return `${name} is unknown${unknownFieldAdvice(issue, detail)}`
    case 'server_owned_field':
      return `${name} must be left out`
    case 'invalid_type':
      return `${name} must be ${withRoomForSample(kindsText(issue), detail)}`
    case 'invalid_enum_value':
      return `${name} must be ${issue.allowed.length === 1 ? '' : 'one of '}${valueList(issue, issue.received, detail)}`
    case 'invalid_format': {
      const sample = formatSample(issue.format)
      return `${name} must be a valid ${shorten(issue.format, 30)}${sample === undefined ? '' : ` like ${sample}`}`
    }
    case 'invalid_pattern':
      return `${name} must match ${shorten(issue.pattern, detail.textLength)}`
    case 'invalid_range':
      return `${name} must be ${rangeText(issue)}`
    case 'invalid_length':
      return `${name} must have ${countText(issue.minimum, issue.maximum)} ${issue.unit}`
    case 'not_unique':
      return `${name} must not repeat an item (${issue.first} and ${issue.second} are equal)`
    case 'invalid_contains':
      return `${name} must have ${countText(issue.minimum, issue.maximum)} matching items`
    case 'missing_dependency':
      return `${name} ${isRoot(issue) ? 'need' : 'needs'} ${valueText(issue.field, detail)} beside ${valueText(issue.requiredBy, detail)}`
    case 'no_variant_matches':
      return variantText(name, issue, detail)
    case 'several_variants_match':
      return `${name} must match exactly one variant`
    case 'not_allowed':
      return `${name} ${isRoot(issue) ? 'are' : 'is'} not allowed`
    case 'too_deep':
      return `${name} must not be nested deeper than ${issue.maximum} levels`
    case 'not_json':
      return `${name} must be a JSON value`
    case 'more_issues':
      return issue.count === 1 ? '1 more fault' : `${issue.count} more faults`
    case 'check_failed':
      return `${name}: ${shorten(issue.message, LONGEST_SENTENCE)}`
  }
}

function kindsText({ expected, format }: Extract<Issue, { constraint: 'invalid_type' }>): string {
  return either(expected.map((kind) => kindInWords(kind, format)))
}

/** Leaves out the sample of a format where it has no room: half of one would mislead. */
function withRoomForSample(expected: string, { textLength }: Detail): string {
  return expected.length <= textLength ? expected : expected.replace(/ such as \S+/, '')
}

/** Returns the position at which a text stops being JSON, with at most one character of it. */
function jsonFaultText({ position, line, column, found }: Extract<Issue, { constraint: 'invalid_json' }>): string {
  if (position === 0 && found === undefined) return ': the text is empty'
  if (line === undefined || column === undefined) return ''
  const place = `line ${line}, column ${column}`
  return found === undefined
    ? `: the text ends too early, at ${place}`
    : `: unexpected ${JSON.stringify(found)} at ${place}`
}

function isRoot({ path }: Issue): boolean {
  return path === ''
}

function missingFacts(issue: Extract<Issue, { constraint: 'missing_field' }>, detail: Detail): string {
  const description = detail.descriptions && issue.description ? shorten(issue.description, 60) : undefined
  const expected = expectedText(issue, detail)
  const facts = [expected, description].filter((fact) => fact !== undefined)
  return facts.length === 0 ? '' : ` (${facts.join('; ')})`
}

function expectedText(
  { allowed, more, expected }: Extract<Issue, { constraint: 'missing_field' }>,
  detail: Detail,
): string | undefined {
  if (allowed !== undefined && allowed.length > 0) {
    return `${allowed.length === 1 ? '' : 'one of '}${valueList({ allowed, more }, undefined, detail)}`
  }
  return expected === undefined ? undefined : shorten(withRoomForSample(expected, detail), detail.textLength)
}

function unknownFieldAdvice(issue: Extract<Issue, { constraint: 'unknown_field' }>, detail: Detail): string {
  if (issue.nearest !== undefined) return `, did you mean ${valueText(issue.nearest, detail)}?`
  if (issue.allowed.length === 0) return ', no fields are allowed'
  return `, allowed: ${valueList(issue, issue.field, detail)}`
}

function variantText(
  name: string,
  issue: Extract<Issue, { constraint: 'no_variant_matches' }>,
  detail: Detail,
): string {
  if (issue.discriminator !== undefined) {
    const { field, allowed, more } = issue.discriminator
    return `${name} ${isRoot(issue) ? 'need' : 'needs'} ${valueText(field, detail)} to be one of ${valueList({ allowed, more }, undefined, detail)}`
  }
  const nested = (issue.nearest ?? []).slice(0, MAX_NESTED).map((inner) => faultText(inner, detail))
  const nearest = nested.length === 0 ? '' : `; nearest: ${nested.join(', ')}`
  const variants = nameList({ allowed: issue.variants, more: issue.more }, detail)
  const isOneName = issue.variants.length === 1
  return `${name} must ${isOneName ? `fit one of ${isRoot(issue) ? 'their' : 'its'} variants, each ${variants}` : `be one of ${variants}`}${nearest}`
}

/** `1 to 20`, `at least 1`, `at most 20`, `exactly 3`. */
function countText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `at most ${maximum ?? 0}`
  if (maximum === undefined) return `at least ${minimum}`
  return minimum === maximum ? `exactly ${minimum}` : `${minimum} to ${maximum}`
}

/** The bounds of a number: `1 to 100`, `more than 0 and at most 5`, `a multiple of 5`. */
function rangeText(issue: Extract<Issue, { constraint: 'invalid_range' }>): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = issue
  const bounds: string[] = []
  if (minimum !== undefined && maximum !== undefined) bounds.push(countText(minimum, maximum))
  else if (minimum !== undefined) bounds.push(`at least ${minimum}`)
  else if (maximum !== undefined) bounds.push(`at most ${maximum}`)
  if (exclusiveMinimum !== undefined) bounds.push(`more than ${exclusiveMinimum}`)
  if (exclusiveMaximum !== undefined) bounds.push(`less than ${exclusiveMaximum}`)
  if (multipleOf !== undefined) bounds.push(`a multiple of ${multipleOf}`)
  return bounds.join(' and ')
}

/** Maximum lengths of lists and texts, in characters. */
export interface Detail {
  /** Maximum number of listed values. */
  readonly values: number
  /** Maximum length of a list of values; further values are only counted. */
  readonly listLength: number
  /** Maximum length of a pattern, an expectation or a value. */
  readonly textLength: number
  /** Whether to include the schema's description of a missing field. */
  readonly descriptions: boolean
  /** Whether to list the declared fields for an unknown field. Default true. */
  readonly fields?: boolean
}

/** A value as JSON, cut where it is long. */
function valueText(value: JsonValue, detail: Detail): string {
  return shorten(JSON.stringify(value), detail.textLength)
}

/** A list that an issue carries. */
interface ShownList<Value> {
  readonly allowed: readonly Value[]
  /** Number of values that are not listed. */
  readonly more?: number | undefined
}

/** The values nearest to what was received, then the others in their order: `"a", "b" and 38 more`. */
function valueList(list: ShownList<JsonValue>, received: JsonValue | undefined, detail: Detail): string {
  const { allowed: values, more = 0 } = list
  const texts = values.filter((value) => typeof value === 'string')
  const near = typeof received === 'string' ? nearestNames(received, texts, detail.values) : []
  const items = [...new Set<JsonValue>([...near, ...values])].map((value) => JSON.stringify(value))
  return listText({ items, more }, detail)
}

/** Names as they are: `a string, an object and 3 more`. */
function nameList({ allowed, more = 0 }: ShownList<string>, detail: Detail): string {
  return listText({ items: [...new Set(allowed)], more }, detail)
}

/** Half a value helps nobody: values that do not fit whole are counted, except where not even one fits. */
function listText(
  { items, more }: { readonly items: readonly string[]; readonly more: number },
  detail: Detail,
): string {
  const shown: string[] = []
  let room = detail.listLength
  for (const item of items) {
    if (shown.length === detail.values) break
    if (item.length > room) continue
    shown.push(item)
    room -= item.length + 2
  }
  const [first] = items
  if (shown.length === 0 && first !== undefined) shown.push(shorten(first, detail.listLength))
  const untold = items.length - shown.length + more
  return `${shown.join(', ')}${untold > 0 ? ` and ${untold} more` : ''}`
}

/** Text cut to so many characters; what was cut off shows as `…`. Never cuts a character in two. */
export function shorten(text: string, longest: number): string {
  if (text.length <= longest) return text
  const characters = [...text]
  return characters.length <= longest ? text : `${characters.slice(0, longest - 1).join('')}…`
}

const LONGEST_NAME = 64

/** The place of an issue as a model reads it: `items[0].sku`; `the arguments` for the root. */
export function fieldName(issue: Issue): string {
  const steps = parsePointer(issue.path) ?? []
  const [first = 'the arguments', ...rest] = steps.map(stepText)
  return shortenStart([first.replace(/^\./, ''), ...rest].join(''))
}

function stepText(step: string): string {
  if (/^(0|[1-9]\d{0,8})$/.test(step)) return `[${step}]`
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(shorten(step, LONGEST_NAME))}]`
}

/** The end of a place tells more than its beginning. */
function shortenStart(text: string): string {
  const characters = [...text]
  return characters.length <= LONGEST_NAME ? text : `…${characters.slice(1 - LONGEST_NAME).join('')}`
}
