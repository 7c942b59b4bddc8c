import { either } from '../schema/wording.js'
import type { Issue } from '../types/codec.js'
import type { RetryHint } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'
import type { Acknowledgement, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import { fieldName, issueText } from './issue-text.js'
import { FIXED_MESSAGES } from './tool-failure.js'
import { type Detail, shorten } from './value-text.js'

const MAX_MESSAGE = 600

const SUSPENDED_TEXTS = {
  approval: 'The call waits for the approval of a person and has not been run.',
  external: 'The call has been started; its result will come later.',
  clarification: 'The call waits for an answer of the user.',
} as const

type HintOf<Reason> = Extract<RetryHint, { readonly reason: Reason }>

/**
 * Returns the text of a call's outcome for a model: the encoded result, the acknowledgement of a session, or the
 * problem and the next step. For invalid arguments, lists every field with the allowed values and one correct
 * example, below 300 characters for three issues. Never contains a stack, a path or the message of an exception other
 * than `ToolFailure`.
 *
 * @example
 * messages.push({ role: 'tool', tool_call_id, content: renderForModel(outcome) })
 */
export function renderForModel(outcome: ToolOutcome | StoredOutcome | Acknowledgement): string {
  switch (outcome.status) {
    case 'streaming':
      return JSON.stringify(outcome)
    case 'completed':
      return outcome.json
    case 'failed':
      return failureText(outcome.hint)
    case 'suspended':
      return SUSPENDED_TEXTS[outcome.suspension.kind]
  }
}

function failureText(hint: RetryHint): string {
  const short = shorten(hint.message, MAX_MESSAGE)
  const message = /[.?!…:]$/.test(short.trimEnd()) ? short : `${short}.`
  switch (hint.reason) {
    case 'missing_fields':
    case 'invalid_arguments':
      return argumentsText(hint, message)
    case 'unknown_tool':
      return unknownToolText(hint, message)
    case 'domain_rejection': {
      const next = nextStep(hint.action)
      if (hint.issues !== undefined && hint.issues.length > 0) return issuesText(hint, message, next)
      return `${message} ${next}${exampleText(hint)}`
    }
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return `${message} ${nextStep(hint.action, hint.retryAfterMs)}`
    case 'cancelled':
      return message
    default:
      return `${message} ${nextStep(hint.action)}`
  }
}

/** A sentence that was written for the model comes first; it may be all there is to say. */
function argumentsText(hint: HintOf<'missing_fields' | 'invalid_arguments'>, message: string): string {
  const [first, ...others] = hint.issues
  const isAll = others.length === 0 && first.constraint === 'check_failed' && first.message === hint.message
  if (isAll && first.path === '') return `Invalid arguments: ${message}${exampleText(hint)}`
  const isFixed = hint.message === FIXED_MESSAGES.missing_fields || hint.message === FIXED_MESSAGES.invalid_arguments
  return issuesText(hint, isFixed || isAll ? LEAD : `${message} ${LEAD}`)
}

function exampleText({ example }: { readonly example?: JsonValue }): string {
  const text = example === undefined ? '' : ` Correct example: ${JSON.stringify(example)}`
  return text.length > MAX_MESSAGE ? '' : text
}

/** An unknown name may be a slip; a tool that no longer exists, as the message says, has to be replaced. */
function unknownToolText(hint: HintOf<'unknown_tool'>, message: string): string {
  const near = hint.near.length === 0 ? undefined : alternatives(hint.near)
  if (hint.message !== FIXED_MESSAGES.unknown_tool) {
    return `${message} ${near === undefined ? 'Use another tool.' : `Try ${near}.`}`
  }
  const next = near === undefined ? 'Use one of the tools you were given.' : `Did you mean ${near}?`
  return `There is no tool ${JSON.stringify(shorten(hint.tool, 64))}. ${next}`
}

function nextStep(action: RetryHint['action'], retryAfterMs?: number): string {
  switch (action) {
    case 'correct_call':
      return 'Correct the arguments and call again.'
    case 'replan':
      return 'Try another way.'
    case 'wait':
      return retryAfterMs === undefined ? 'Try again later.' : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
    case 'finish':
      return 'Do not call it again.'
  }
}

/** Returns names for a question: `"a", "b" or "c"`. */
export function alternatives(names: readonly string[]): string {
  return either(names.map((name) => JSON.stringify(name)))
}

const LEAD = 'Invalid arguments:'

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
function issuesText({ issues = [], moreIssues = 0, example }: ListedIssues, lead: string, next = ''): string {
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
