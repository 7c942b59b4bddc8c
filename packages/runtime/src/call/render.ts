import { either } from '../schema/wording.js'
import type { ApprovalRecord } from '../types/approval.js'
import type { RetryHint } from '../types/failure.js'
import type { JsonValue } from '../types/json.js'
import type { Acknowledgement, CallSuspension, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import { issuesText, LEAD } from './issue-text.js'
import { FIXED_MESSAGES } from './tool-failure.js'
import { shorten } from './value-text.js'

export const MAX_MESSAGE = 600

const SUSPENDED_TEXTS = {
  approval: 'The call waits for the approval of a person. The tool has not run.',
  external: 'The call has started. Its result will follow later.',
  clarification: 'The call waits for an answer from the user.',
  elicitation: 'The call waits for an answer from the user.',
} as const

const NESTED_SUSPENDED_TEXTS = {
  ...SUSPENDED_TEXTS,
  approval: 'The call has started and waits for the approval of a person. Its result will follow later.',
} as const

type HintOf<Reason> = Extract<RetryHint, { readonly reason: Reason }>

/**
 * Returns the text of an outcome for a model. The text never contains a stack trace, a path, or the message of an error that is not a `ToolFailure`.
 * - `completed`: the JSON result.
 * - `failed`: the problem and the next step. For invalid arguments, the text lists each invalid field with the allowed values, and contains one
 *   correct example. A text about three issues has less than 300 characters.
 * - `suspended`: the reason for the wait.
 * - `streaming`: the acknowledgement of a call that continues, as JSON.
 *
 * If the approver changed the arguments, a second line contains the changed arguments.
 *
 * @example
 * messages.push({ role: 'tool', tool_call_id, content: renderForModel(outcome) })
 */
export function renderForModel(outcome: ToolOutcome | StoredOutcome | Acknowledgement): string {
  switch (outcome.status) {
    case 'streaming':
      return JSON.stringify(outcome)
    case 'completed':
      return withNote(outcome.json, approvalNote(outcome.provenance.approval))
    case 'failed':
      return withNote(failureText(outcome.hint), approvalNote(outcome.provenance.approval))
    case 'suspended':
      return suspendedText(outcome.suspension)
  }
}

const MAX_EDITED = 2_000

/** Without this text, the model would describe its own arguments to the user. */
export function approvalNote(approval: ApprovalRecord | undefined): string | undefined {
  if (approval?.edited === undefined) return undefined
  return `The approver changed the arguments of this call to ${shorten(approval.edited, MAX_EDITED)}`
}

function withNote(text: string, note: string | undefined): string {
  return note === undefined ? text : `${text}\n${note}`
}

function suspendedText({ kind, nested }: CallSuspension): string {
  if (nested === undefined) return SUSPENDED_TEXTS[kind]
  const { completed } = nested.program ?? {}
  return completed === undefined ? NESTED_SUSPENDED_TEXTS[kind] : `${NESTED_SUSPENDED_TEXTS[kind]} ${completed}`
}

export function problemForModel(hint: RetryHint): string {
  const text = failureText(hint)
  const { action } = hint
  if (action === 'finish') return text
  const next = ` ${nextStep(action, 'retryAfterMs' in hint ? hint.retryAfterMs : undefined)}`
  const at = text.lastIndexOf(next)
  return at < 0 ? text : text.slice(0, at) + text.slice(at + next.length)
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

function unknownToolText(hint: HintOf<'unknown_tool'>, message: string): string {
  const near = hint.near.length === 0 ? undefined : alternatives(hint.near)
  if (hint.message !== FIXED_MESSAGES.unknown_tool) {
    return `${message} ${near === undefined ? 'Use another tool.' : `Try ${near}.`}`
  }
  const next = near === undefined ? 'Use one of the available tools.' : `Did you mean ${near}?`
  return `There is no tool ${JSON.stringify(shorten(hint.tool, 64))}. ${next}`
}

export function nextStep(action: RetryHint['action'], retryAfterMs?: number): string {
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

export function alternatives(names: readonly string[]): string {
  return either(names.map((name) => JSON.stringify(name)))
}
