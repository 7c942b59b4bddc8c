import type { ToolOutcome } from '../../contract/outcome.js'
import type { RetryHint } from '../../contract/retry-hint.js'
import { faultsText } from './faults-text.js'
import { shorten } from './shorten.js'

const LONGEST_MESSAGE = 600

/**
 * What a model is told of a call: the encoded result, or what was wrong and what to do next. For invalid arguments
 * every faulty field with what is allowed and one correct example, below 300 characters for three faults. Never holds
 * a stack, a path or an exception's own message.
 *
 * @example
 * messages.push({ role: 'tool', tool_call_id, content: renderForModel(outcome) })
 */
export function renderForModel(outcome: ToolOutcome): string {
  return outcome.status === 'completed' ? outcome.json : hintText(outcome.hint)
}

function hintText(hint: RetryHint): string {
  const message = sentence(shorten(hint.message, LONGEST_MESSAGE))
  switch (hint.reason) {
    case 'missing_fields':
    case 'invalid_arguments':
      return faultsText('Invalid arguments:', hint.issues, hint.example)
    case 'unknown_tool':
      return unknownToolText(hint.tool, hint.near)
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

function rejectionText(hint: Extract<RetryHint, { reason: 'domain_rejection' }>, message: string): string {
  if (hint.issues !== undefined && hint.issues.length > 0) return faultsText(message, hint.issues, hint.example)
  const example = hint.example === undefined ? '' : ` Correct example: ${JSON.stringify(hint.example)}`
  return `${message} ${nextStep(hint.action)}${example.length > LONGEST_MESSAGE ? '' : example}`
}

function unknownToolText(name: string, near: readonly string[]): string {
  const asked = JSON.stringify(shorten(name, 64))
  if (near.length === 0) return `There is no tool ${asked}. Use one of the tools you were given.`
  return `There is no tool ${asked}. Did you mean ${alternatives(near)}?`
}

function alternatives(names: readonly string[]): string {
  const quoted = names.map((name) => JSON.stringify(name))
  const last = quoted.at(-1) ?? ''
  return quoted.length < 2 ? last : `${quoted.slice(0, -1).join(', ')} or ${last}`
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
