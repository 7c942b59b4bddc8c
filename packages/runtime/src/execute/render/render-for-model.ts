import type { ToolOutcome } from '../../contract/outcome.js'
import type { RetryHint } from '../../contract/retry-hint.js'
import type { Acknowledgement } from '../../contract/session.js'
import type { StoredOutcome } from '../../contract/suspension.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { alternatives } from './alternatives.js'
import { type Faults, faultsText } from './faults-text.js'
import { shorten } from './shorten.js'

const LONGEST_MESSAGE = 600

const SUSPENDED_TEXTS = {
  approval: 'The call waits for the approval of a person and has not been run.',
  external: 'The call has been started; its result will come later.',
  clarification: 'The call waits for an answer of the user.',
} as const

type CallHint = Extract<RetryHint, { reason: 'missing_fields' | 'invalid_arguments' }>
type FaultyHint = CallHint | Extract<RetryHint, { reason: 'domain_rejection' }>

/**
 * What a model is told of a call: the encoded result, the acknowledgement of a session, or what was wrong and what to do next. For invalid arguments
 * every faulty field with what is allowed and one correct example, below 300 characters for three faults, beside the
 * sentence of a `ToolFailure`. Never holds a stack, a path or an exception's own message.
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

/** What is told of the faults beside the lead. */
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
