import { parsePointer } from '../schema/json-pointer.js'
import { either, formatSample, kindInWords } from '../schema/wording.js'
import type { Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { type Detail, listText, oneOf, shorten, valueList, valueText, withRoomForSample } from './value-text.js'

const MAX_NESTED = 2

/** Does not quote the received value, because the value may be private. */
export function issueText(issue: Issue, detail: Detail): string {
  const name = fieldName(issue)
  const isRoot = issue.path === ''
  switch (issue.constraint) {
    case 'invalid_json':
      return `the arguments are not valid JSON${jsonProblem(issue)}`
    case 'missing_field': {
      const expected = expectedText(issue, detail)
      const description = detail.descriptions && issue.description && shorten(issue.description, 60)
      const facts = [expected, description].filter(Boolean).join('; ')
      return `${name} is missing${facts && ` (${facts})`}`
    }
    case 'unknown_field':
      if (issue.nearest !== undefined) return `${name} is unknown, did you mean ${valueText(issue.nearest, detail)}?`
      if (issue.allowed.length === 0) return `${name} is unknown, no fields are allowed`
      return `${name} is unknown, allowed: ${valueList(issue, detail, issue.field)}`
    case 'server_owned_field':
      return `${name} must be left out`
    case 'invalid_type': {
      const kinds = issue.expected.map((kind) => kindInWords(kind, issue.format))
      return `${name} must be ${withRoomForSample(either(kinds), detail)}`
    }
    case 'invalid_enum_value':
      return `${name} must be ${oneOf(issue, detail, issue.received)}`
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
    case 'missing_dependency': {
      const [field, requiredBy] = [valueText(issue.field, detail), valueText(issue.requiredBy, detail)]
      return `${name} ${isRoot ? 'need' : 'needs'} ${field} if ${requiredBy} is present`
    }
    case 'no_variant_matches':
      return variantText(name, issue, detail)
    case 'several_variants_match':
      return `${name} must match exactly one variant`
    case 'not_allowed':
      return `${name} ${isRoot ? 'are' : 'is'} not allowed`
    case 'too_deep':
      return `${name} must not be nested deeper than ${issue.maximum} levels`
    case 'not_json':
      return `${name} must be a JSON value`
    case 'more_issues':
      return issue.count === 1 ? '1 more issue' : `${issue.count} more issues`
    case 'check_failed':
      return `${name}: ${shorten(issue.message, 120)}`
  }
}

type IssueOf<Constraint> = Extract<Issue, { readonly constraint: Constraint }>

function jsonProblem({ position, line, column, found }: IssueOf<'invalid_json'>): string {
  if (position === 0 && found === undefined) return ': the string is empty'
  if (line === undefined || column === undefined) return ''
  const location = `line ${line}, column ${column}`
  return found === undefined
    ? `: the string ends too early, at ${location}`
    : `: unexpected ${JSON.stringify(found)} at ${location}`
}

function expectedText({ allowed, more, expected }: IssueOf<'missing_field'>, detail: Detail): string | undefined {
  if (allowed !== undefined && allowed.length > 0) return oneOf({ allowed, more }, detail)
  return expected === undefined ? undefined : shorten(withRoomForSample(expected, detail), detail.textLength)
}

function variantText(name: string, issue: IssueOf<'no_variant_matches'>, detail: Detail): string {
  const { discriminator, variants, more, nearest: ofNearest = [] } = issue
  const isRoot = issue.path === ''
  if (discriminator !== undefined) {
    const field = valueText(discriminator.field, detail)
    return `${name} ${isRoot ? 'need' : 'needs'} ${field} to be one of ${valueList(discriminator, detail)}`
  }
  const names = listText([...new Set(variants)], detail, more)
  const nested = ofNearest.slice(0, MAX_NESTED).map((inner) => issueText(inner, detail))
  const nearest = nested.length === 0 ? '' : `; nearest: ${nested.join(', ')}`
  if (variants.length !== 1) return `${name} must be one of ${names}${nearest}`
  return `${name} must match one of ${isRoot ? 'their' : 'its'} variants, each ${names}${nearest}`
}

function countText(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum === undefined) return `at most ${maximum ?? 0}`
  if (maximum === undefined) return `at least ${minimum}`
  return minimum === maximum ? `exactly ${minimum}` : `${minimum} to ${maximum}`
}

function rangeText(issue: IssueOf<'invalid_range'>): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = issue
  return [
    ...(minimum === undefined && maximum === undefined ? [] : [countText(minimum, maximum)]),
    ...(exclusiveMinimum === undefined ? [] : [`more than ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
    ...(multipleOf === undefined ? [] : [`a multiple of ${multipleOf}`]),
  ].join(' and ')
}

const MAX_NAME = 64

function fieldName(issue: Issue): string {
  const [first = 'the arguments', ...rest] = (parsePointer(issue.path) ?? []).map(stepText)
  const name = [first.replace(/^\./, ''), ...rest].join('')
  const characters = [...name]
  // Keeps the end of a long location, because it is more specific than the beginning.
  return characters.length <= MAX_NAME ? name : `…${characters.slice(1 - MAX_NAME).join('')}`
}

function stepText(step: string): string {
  if (/^(0|[1-9]\d{0,8})$/.test(step)) return `[${step}]`
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step) ? `.${step}` : `[${JSON.stringify(shorten(step, MAX_NAME))}]`
}

export const LEAD = 'Invalid arguments:'

const LENGTH_OF_THREE = 299

const LENGTH_OF_MORE = 90

const MAX_ISSUES = 8

const SHORTEST: Detail = { values: 1, listLength: 30, textLength: 24 }

const DETAILS: readonly Detail[] = [
  { values: 5, listLength: 200, textLength: 80, descriptions: true },
  { values: 5, listLength: 200, textLength: 80 },
  { values: 5, listLength: 110, textLength: 60 },
  { values: 3, listLength: 70, textLength: 40 },
  { values: 2, listLength: 45, textLength: 40 },
  SHORTEST,
]

/** The shortest level does not list the declared fields, because the example shows the valid fields. */
const DETAILS_WITH_EXAMPLE = [...DETAILS, { ...SHORTEST, fields: false }]

interface ListedIssues {
  readonly issues?: readonly Issue[]
  readonly moreIssues?: number
  readonly example?: JsonValue
}

export function issuesText({ issues = [], moreIssues = 0, example }: ListedIssues, lead: string, next = ''): string {
  const listed = issues.slice(0, MAX_ISSUES)
  const unlisted = issues.length - listed.length + moreIssues
  const textOf = (texts: readonly string[], end: string): string => {
    const all = [...texts, ...(unlisted > 0 ? [`${unlisted} more issues`] : [])].join('; ')
    return `${lead} ${all}${/[.?!…]$/.test(all) ? '' : '.'}${next && ` ${next}`}${end}`
  }
  const more = LENGTH_OF_MORE * Math.max(0, listed.length - 3)
  // The length of a message that was written for the model does not count toward the limit.
  const maximum = LENGTH_OF_THREE + more + Math.max(0, lengthOf(lead) + lengthOf(next) - LEAD.length)
  const fitting = (details: readonly Detail[], end: string): string | undefined =>
    details.map((detail) => textOf(issueTexts(listed, detail), end)).find((text) => lengthOf(text) <= maximum)
  // An example helps more than long lists, so it is omitted only if it does not fit with the shortest texts.
  const end = example === undefined ? undefined : ` Correct example: ${JSON.stringify(example)}`
  const text = (end && fitting(DETAILS_WITH_EXAMPLE, end)) ?? fitting(DETAILS, '')
  if (text !== undefined) return text
  const room = maximum - lengthOf(textOf(Array(listed.length).fill(''), ''))
  return textOf(sharedTexts(listed, room), '')
}

function issueTexts(issues: readonly Issue[], detail: Detail): readonly string[] {
  const listed = new Set<string>()
  return issues.map((issue) => {
    if (issue.constraint !== 'unknown_field' || issue.nearest !== undefined) return issueText(issue, detail)
    const object = issue.path.slice(0, issue.path.lastIndexOf('/'))
    if (detail.fields === false || listed.has(object)) return `${fieldName(issue)} is unknown`
    listed.add(object)
    return issueText(issue, detail)
  })
}

/** Each issue gets an equal share of the `room` characters, so that the text names every invalid field. */
function sharedTexts(issues: readonly Issue[], room: number): readonly string[] {
  const rows = DETAILS.map((detail) => issueTexts(issues, detail))
  const variants = issues.map((_, index) => ({ index, texts: rows.map((texts) => texts[index] ?? '') }))
  const shortest = (texts: readonly string[]): number => lengthOf(texts.at(-1) ?? '')
  // Starts with the shortest texts; space that they do not use is available to the others.
  variants.sort((one, other) => shortest(one.texts) - shortest(other.texts))
  const shared = Array<string>(issues.length).fill('')
  let left = room
  for (const [done, { index, texts }] of variants.entries()) {
    const share = Math.floor(left / (issues.length - done))
    const text = texts.find((one) => lengthOf(one) <= share) ?? shorten(texts.at(-1) ?? '', share)
    shared[index] = text
    left -= lengthOf(text)
  }
  return shared
}

function lengthOf(text: string): number {
  return [...text].length
}
