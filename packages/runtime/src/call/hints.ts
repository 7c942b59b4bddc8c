import type { ToolCallRef } from '../types/call.js'
import type { ActionFor, FailureReason, MissingField, NonEmpty, RetryHint } from '../types/errors.js'
import type { Issue } from '../types/issue.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { BoundTool } from './bound-tool.js'
import type { Failure } from './known-failure.js'
import { type CallCost, callProvenance } from './provenance.js'
import { toolError, withoutReceived } from './tool-error.js'
import { FIXED_MESSAGES, LEGAL_ACTIONS } from './tool-failure.js'

/** What is known of a call that failed. */
interface FailedCall extends CallCost {
  readonly call: ToolCallRef
  /** Absent for an unknown tool. */
  readonly tool?: BoundTool
  /** The arguments as they were sent. */
  readonly rejected: JsonText
  /** Arguments that the tool takes. */
  readonly example?: JsonValue | undefined
  /** What was thrown, for logs. */
  readonly cause?: unknown
}

/** The outcome of a call that failed. */
export function failedOutcome(failure: Failure, failed: FailedCall): ToolOutcome<never> & { status: 'failed' } {
  const { call, tool, cause } = failed
  const hint = retryHint(failure, failed)
  const error = toolError(hint, failure, cause)
  const provenance = callProvenance(call.tool, tool?.executor, failed)
  return Object.freeze({ call, provenance, status: 'failed', error, hint: Object.freeze(hint) })
}

/** How many UTF-16 code units of rejected arguments a hint carries. */
const LONGEST_REJECTED = 10_000

/** Rejected arguments as a hint carries them: whole, or their beginning and how long they were, which is no JSON then. */
function rejectedText(sent: JsonText): string {
  if (sent.length <= LONGEST_REJECTED) return sent
  // Half a character would be no text.
  const end = /[\uD800-\uDBFF]$/.test(sent.slice(0, LONGEST_REJECTED)) ? LONGEST_REJECTED - 1 : LONGEST_REJECTED
  return `${sent.slice(0, end)}… (${sent.length} characters)`
}

/** What a hint says about the call beside the failure. */
interface HintSubject {
  readonly call: ToolCallRef
  readonly tool?: BoundTool
  readonly rejected: JsonText
  /** Arguments that the tool takes, for a failure that has no example of its own. */
  readonly example?: JsonValue | undefined
}

/** Turns a failure into a hint with a legal action. Facts that the reason has no place for are left out. */
function retryHint(failure: Failure, subject: HintSubject): RetryHint {
  const { reason } = failure
  const base = { message: messageOf(failure), tool: subject.call.tool }
  switch (reason) {
    case 'missing_fields':
    case 'invalid_arguments':
      return callHint(failure, subject)
    case 'unknown_tool':
      return { ...base, reason, action: legalAction(reason, failure.action), near: failure.near ?? [] }
    case 'domain_rejection': {
      const { example } = failure
      return {
        ...base,
        reason,
        action: legalAction(reason, failure.action),
        ...issueFacts(failure),
        ...(example !== undefined && { example }),
      }
    }
    case 'malformed_result': {
      const issues = failure.issues?.map(withoutReceived)
      return { ...base, reason, action: legalAction(reason, failure.action), ...issueFacts({ ...failure, issues }) }
    }
    case 'rate_limited':
      return { ...base, reason, action: legalAction(reason, failure.action), ...waiting(failure) }
    case 'unavailable':
      return { ...base, reason, action: unavailableAction(failure, subject.tool), ...waiting(failure) }
    case 'timeout':
      return { ...base, reason, action: timeoutAction(failure, subject.tool), ...waiting(failure) }
    case 'denied':
      return { ...base, reason, action: legalAction(reason, failure.action) }
    case 'interrupted':
      return { ...base, reason, action: legalAction(reason, failure.action) }
    case 'cancelled':
      return { ...base, reason, action: legalAction(reason, failure.action) }
    case 'internal':
      return { ...base, reason, action: legalAction(reason, failure.action) }
  }
}

function callHint(failure: Failure, { call, rejected, example: fitting }: HintSubject): RetryHint {
  const { moreIssues } = failure
  const [first = rootIssue(failure), ...others] = failure.issues ?? []
  const issues: NonEmpty<Issue> = [first, ...others]
  const example = failure.example ?? fitting
  const facts = {
    tool: call.tool,
    issues,
    ...(moreIssues !== undefined && { moreIssues }),
    ...(example !== undefined && { example }),
    rejected: rejectedText(rejected),
  }
  const missing = failure.reason === 'missing_fields' ? missingFields(issues) : undefined
  if (missing === undefined) {
    return { ...facts, reason: 'invalid_arguments', action: 'correct_call', message: messageOf(failure) }
  }
  const message =
    failure.message === FIXED_MESSAGES.invalid_arguments ? FIXED_MESSAGES.missing_fields : messageOf(failure)
  return { ...facts, reason: 'missing_fields', action: 'correct_call', message, missing }
}

function issueFacts({ issues, moreIssues }: Failure): {
  readonly issues?: readonly Issue[]
  readonly moreIssues?: number
} {
  return { ...(issues !== undefined && { issues }), ...(moreIssues !== undefined && { moreIssues }) }
}

/** The missing fields, when nothing else is wrong. */
function missingFields([first, ...others]: NonEmpty<Issue>): NonEmpty<MissingField> | undefined {
  if (first.constraint !== 'missing_field') return undefined
  const rest = others.filter((issue) => issue.constraint === 'missing_field')
  return rest.length === others.length ? [asMissing(first), ...rest.map(asMissing)] : undefined
}

function asMissing({ path, description }: Issue): MissingField {
  return { path, ...(description !== undefined && { description }) }
}

function rootIssue(failure: Failure): Issue {
  return { constraint: 'check_failed', path: '', message: messageOf(failure) }
}

function messageOf({ message, reason }: Failure): string {
  return message === '' ? FIXED_MESSAGES[reason] : message
}

/** The failure's own action where it is legal for the reason, else the usual one. */
function legalAction<Reason extends FailureReason>(reason: Reason, wanted: string | undefined): ActionFor<Reason> {
  const legal: readonly [ActionFor<Reason>, ...ActionFor<Reason>[]] = LEGAL_ACTIONS[reason]
  return legal.find((action) => action === wanted) ?? legal[0]
}

/** Waiting and trying again is safe only where a second run does no harm. */
function timeoutAction({ action }: Failure, tool: BoundTool | undefined): ActionFor<'timeout'> {
  return legalAction('timeout', action ?? (isHarmless(tool) ? 'wait' : 'replan'))
}

/** What may have been done already is not simply done again, unless the service itself says when to come back. */
function unavailableAction(
  { action, mayHaveRun, retryAfterMs }: Failure,
  tool: BoundTool | undefined,
): ActionFor<'unavailable'> {
  const isRisky = mayHaveRun === true && retryAfterMs === undefined && !isHarmless(tool)
  return legalAction('unavailable', action ?? (isRisky ? 'replan' : 'wait'))
}

/** Whether a tool may be called twice. */
function isHarmless(tool: BoundTool | undefined): boolean {
  return tool?.spec.annotations.idempotent === true || tool?.spec.annotations.readOnly === true
}

function waiting({ retryAfterMs }: Failure): { readonly retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}
