import { formatSample } from '../../codec/issues/format-words.js'
import { either, kindInWords } from '../../codec/issues/words.js'
import type { Issue } from '../../contract/issue.js'
import { countText, rangeText } from './bounds-text.js'
import { fieldName } from './field-name.js'
import { shorten } from './shorten.js'
import { type Detail, nameList, valueList, valueText } from './value-list.js'

/** How many faults of the nearest variant are told. */
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

/** Where the text stops being JSON. Of what was sent no more than one character is shown. */
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
