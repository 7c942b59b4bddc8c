import type { RetryHint } from '../types/errors.js'
import type { Issue } from '../types/issue.js'
import type { JsonValue } from '../types/json.js'
import type { Acknowledgement, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import { type Detail, faultText, fieldName, shorten } from './issue-text.js'
import { FIXED_MESSAGES } from './tool-failure.js'

/** Names of which one may be meant: `"a", "b" or "c"`. */
export function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name))
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`
}

/** Issues of a failed call, as shown to a model. */
interface Faults {
  /** First sentence: `Invalid arguments:` or the message of the error. */
  readonly lead: string
  readonly issues: readonly Issue[]
  /** Next step, if the first sentence does not contain it. */
  readonly next?: string
  /** Number of issues that are not listed. */
  readonly more: number
  readonly example: JsonValue | undefined
}

/** Three faults and an example stay below 300 characters, with a lead of this length. */
const LENGTH_OF_THREE = 299
const LENGTH_OF_LEAD = 'Invalid arguments:'.length

/** Maximum length that each further issue adds. */
const LENGTH_OF_MORE = 90

/** Faults beyond these are only counted. */
const MAX_FAULTS = 8

/** From the fullest text of one fault to the shortest. */
const DETAILS: readonly Detail[] = [
  { values: 5, listLength: 200, textLength: 80, descriptions: true },
  { values: 5, listLength: 200, textLength: 80, descriptions: false },
  { values: 5, listLength: 110, textLength: 60, descriptions: false },
  { values: 3, listLength: 70, textLength: 40, descriptions: false },
  { values: 2, listLength: 45, textLength: 40, descriptions: false },
  { values: 1, listLength: 30, textLength: 24, descriptions: false },
]

/** An example shows which fields there are: beside it that need not be said of an unknown one. */
const SHORTEST_BESIDE_EXAMPLE: Detail = {
  values: 1,
  listLength: 30,
  textLength: 24,
  descriptions: false,
  fields: false,
}

/** All faulty fields with what is allowed, then one correct example if there is room for it whole. */
function faultsText(faults: Faults): string {
  const { lead, next = '', issues, example } = faults
  const further = LENGTH_OF_MORE * Math.max(0, Math.min(issues.length, MAX_FAULTS) - 3)
  // A sentence that somebody wrote for the model takes no room from the faults.
  const longest = LENGTH_OF_THREE + further + Math.max(0, [...lead, ...next].length - LENGTH_OF_LEAD)
  const shown = issues.slice(0, MAX_FAULTS)
  const fits = (text: string): boolean => [...text].length <= longest
  // An example is worth more than long lists: it is left out only where the shortest texts leave no room for it.
  for (const end of example === undefined ? [undefined] : [example, undefined]) {
    for (const detail of end === undefined ? DETAILS : [...DETAILS, SHORTEST_BESIDE_EXAMPLE]) {
      const text = wholeText(faults, textsOf(shown, detail), end)
      if (fits(text)) return text
    }
  }
  const room =
    longest -
    [
      ...wholeText(
        faults,
        shown.map(() => ''),
        undefined,
      ),
    ].length
  return wholeText(faults, sharedTexts(shown, room), undefined)
}

/** One text for each fault. Which fields an object has is said once, with the first of its unknown fields. */
function textsOf(issues: readonly Issue[], detail: Detail): readonly string[] {
  const told = new Set<string>()
  return issues.map((issue) => {
    if (issue.constraint !== 'unknown_field' || issue.nearest !== undefined) return faultText(issue, detail)
    const place = issue.path.slice(0, issue.path.lastIndexOf('/'))
    if (detail.fields === false || told.has(place)) return `${fieldName(issue)} is unknown`
    told.add(place)
    return faultText(issue, detail)
  })
}

function wholeText(
  { lead, next, issues, more }: Faults,
  texts: readonly string[],
  example: JsonValue | undefined,
): string {
  const untold = issues.length - texts.length + more
  const faults = [...texts, ...(untold > 0 ? [`${untold} more faults`] : [])].join('; ')
  const end = /[.?!…]$/.test(faults) ? '' : '.'
  const advice = next === undefined ? '' : ` ${next}`
  return `${lead} ${faults}${end}${advice}${example === undefined ? '' : ` Correct example: ${JSON.stringify(example)}`}`
}

/** The faults in so many characters, each in its fair share: the name of every field survives. */
function sharedTexts(issues: readonly Issue[], room: number): readonly string[] {
  const rows = DETAILS.map((detail) => textsOf(issues, detail))
  const variants = issues.map((_, at) => rows.map((texts) => texts[at] ?? ''))
  const texts = new Map<number, string>()
  let left = room
  // The shortest first: what they do not need is for the others.
  const order = variants.map((_, at) => at).sort((a, b) => shortest(variants[a]) - shortest(variants[b]))
  for (const at of order) {
    const share = Math.floor(left / (issues.length - texts.size))
    const choices = variants[at] ?? []
    const text = choices.find((one) => [...one].length <= share) ?? shorten(choices.at(-1) ?? '', share)
    texts.set(at, text)
    left -= [...text].length
  }
  return issues.map((_, at) => texts.get(at) ?? '')
}

function shortest(texts: readonly string[] = []): number {
  return [...(texts.at(-1) ?? '')].length
}

const LONGEST_MESSAGE = 600

const SUSPENDED_TEXTS = {
  approval: 'The call waits for the approval of a person and has not been run.',
  external: 'The call has been started; its result will come later.',
  clarification: 'The call waits for an answer of the user.',
} as const

type CallHint = Extract<RetryHint, { reason: 'missing_fields' | 'invalid_arguments' }>
type FaultyHint = CallHint | Extract<RetryHint, { reason: 'domain_rejection' }>

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
      return hintText(outcome.hint)
    case 'suspended':
      return SUSPENDED_TEXTS[outcome.suspension.kind]
  }
}

function hintText(hint: RetryHint): string {
  const message = sentence(shorten(hint.message, LONGEST_MESSAGE))
  switch (hint.reason) {
    case 'missing_fields':
    case 'invalid_arguments':
      return callText(hint, message)
    case 'unknown_tool':
      return unknownToolText(hint, message)
    case 'domain_rejection':
      return rejectionText(hint, message)
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

/** Returns the issues of a hint, without the first sentence. */
function faultsOf({ issues = [], moreIssues = 0, example }: FaultyHint): Omit<Faults, 'lead'> {
  return { issues, more: moreIssues, example }
}

/** A sentence that was written for the model comes first; it may be all there is to say. */
function callText(hint: CallHint, message: string): string {
  const [first, ...others] = hint.issues
  const isAll = others.length === 0 && first.constraint === 'check_failed' && first.message === hint.message
  if (isAll && first.path === '') return `Invalid arguments: ${message}${exampleText(hint)}`
  const isFixed = hint.message === FIXED_MESSAGES.missing_fields || hint.message === FIXED_MESSAGES.invalid_arguments
  const lead = isFixed || isAll ? 'Invalid arguments:' : `${message} Invalid arguments:`
  return faultsText({ ...faultsOf(hint), lead })
}

function exampleText({ example }: FaultyHint): string {
  const text = example === undefined ? '' : ` Correct example: ${JSON.stringify(example)}`
  return text.length > LONGEST_MESSAGE ? '' : text
}

function rejectionText(hint: Extract<RetryHint, { reason: 'domain_rejection' }>, message: string): string {
  if (hint.issues !== undefined && hint.issues.length > 0) {
    return faultsText({ ...faultsOf(hint), lead: message, next: nextStep(hint.action) })
  }
  return `${message} ${nextStep(hint.action)}${exampleText(hint)}`
}

/** A name that was never there may be a slip; a tool that was there, as a sentence of its own says, is to be replaced. */
function unknownToolText(
  { tool, near, message: said }: Extract<RetryHint, { reason: 'unknown_tool' }>,
  message: string,
): string {
  if (said !== FIXED_MESSAGES.unknown_tool) {
    return `${message} ${near.length === 0 ? 'Use another tool.' : `Try ${alternatives(near)}.`}`
  }
  const asked = JSON.stringify(shorten(tool, 64))
  if (near.length === 0) return `There is no tool ${asked}. Use one of the tools you were given.`
  return `There is no tool ${asked}. Did you mean ${alternatives(near)}?`
}

/** A text that more text may follow. */
function sentence(text: string): string {
  return /[.?!…:]$/.test(text.trimEnd()) ? text : `${text}.`
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
