import type { Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import { fieldName, issueText } from './issue-text.js'
import { type Detail, shorten } from './value-text.js'

export const LEAD = 'Invalid arguments:'

/** Maximum length with three issues, an example and this lead. */
const LENGTH_OF_THREE = 299

/** Maximum length that each further issue adds. */
const LENGTH_OF_MORE = 90

const MAX_ISSUES = 8

const SHORTEST: Detail = { values: 1, listLength: 30, textLength: 24 }

/** From the fullest text of one issue to the shortest. */
const DETAILS: readonly Detail[] = [
  { values: 5, listLength: 200, textLength: 80, descriptions: true },
  { values: 5, listLength: 200, textLength: 80 },
  { values: 5, listLength: 110, textLength: 60 },
  { values: 3, listLength: 70, textLength: 40 },
  { values: 2, listLength: 45, textLength: 40 },
  SHORTEST,
]

/** An example shows the fields: next to it, an unknown field does not need their list. */
const DETAILS_WITH_EXAMPLE = [...DETAILS, { ...SHORTEST, fields: false }]

interface ListedIssues {
  readonly issues?: readonly Issue[]
  readonly moreIssues?: number
  readonly example?: JsonValue
}

/** Returns all invalid fields with the allowed values, then one correct example if there is room for all of it. */
export function issuesText({ issues = [], moreIssues = 0, example }: ListedIssues, lead: string, next = ''): string {
  const listed = issues.slice(0, MAX_ISSUES)
  const unlisted = issues.length - listed.length + moreIssues
  const textOf = (texts: readonly string[], end: string): string => {
    const all = [...texts, ...(unlisted > 0 ? [`${unlisted} more faults`] : [])].join('; ')
    return `${lead} ${all}${/[.?!…]$/.test(all) ? '' : '.'}${next && ` ${next}`}${end}`
  }
  const more = LENGTH_OF_MORE * Math.max(0, listed.length - 3)
  // A sentence that somebody wrote for the model takes no room from the issues.
  const maximum = LENGTH_OF_THREE + more + Math.max(0, lengthOf(lead) + lengthOf(next) - LEAD.length)
  const fitting = (details: readonly Detail[], end: string): string | undefined =>
    details.map((detail) => textOf(issueTexts(listed, detail), end)).find((text) => lengthOf(text) <= maximum)
  // An example is worth more than long lists: it is left out only if the shortest texts leave no room for it.
  const end = example === undefined ? undefined : ` Correct example: ${JSON.stringify(example)}`
  const text = (end && fitting(DETAILS_WITH_EXAMPLE, end)) ?? fitting(DETAILS, '')
  if (text !== undefined) return text
  const room = maximum - lengthOf(textOf(Array(listed.length).fill(''), ''))
  return textOf(sharedTexts(listed, room), '')
}

/** Returns one text for each issue. The fields of an object are listed once, with the first of its unknown fields. */
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

/** Returns texts with a total length, each with its fair share, so that the name of every field remains. */
function sharedTexts(issues: readonly Issue[], room: number): readonly string[] {
  const rows = DETAILS.map((detail) => issueTexts(issues, detail))
  const variants = issues.map((_, index) => ({ index, texts: rows.map((texts) => texts[index] ?? '') }))
  const shortest = (texts: readonly string[]): number => lengthOf(texts.at(-1) ?? '')
  // The shortest first: the others get the room that they do not need.
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
