import type { ToolCallRef } from '../../contract/call.js'
import type { Issue } from '../../contract/issue.js'
import type { JsonText, JsonValue } from '../../contract/json.js'
import type { ActionFor, FailureReason, MissingField, NonEmpty, RetryHint } from '../../contract/retry-hint.js'
import { FIXED_MESSAGES, LEGAL_ACTIONS } from '../failure/reasons.js'
import type { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { correctExample } from './correct-example.js'

/** What a hint says about the call beside the failure. */
export interface HintSubject {
  readonly call: ToolCallRef
  readonly tool?: BoundTool
  readonly rejected: JsonText
}

/** Turns a failure into a hint with a legal action. Facts that the reason has no place for are left out. */
export function retryHint(failure: ToolFailure, subject: HintSubject): RetryHint {
  const { reason } = failure
  const base = { message: messageOf(failure), tool: subject.call.tool }
  switch (reason) {
    case 'missing_fields':
    case 'invalid_arguments':
      return callHint(failure, subject)
    case 'unknown_tool':
      return { ...base, reason, action: legalAction(reason, failure.action), near: failure.near ?? [] }
    case 'domain_rejection': {
      const { issues, example } = failure
      return {
        ...base,
        reason,
        action: legalAction(reason, failure.action),
        ...(issues !== undefined && { issues }),
        ...(example !== undefined && { example }),
      }
    }
    case 'malformed_result': {
      const { issues } = failure
      return { ...base, reason, action: legalAction(reason, failure.action), ...(issues !== undefined && { issues }) }
    }
    case 'rate_limited':
      return { ...base, reason, action: legalAction(reason, failure.action), ...waiting(failure) }
    case 'unavailable':
      return { ...base, reason, action: legalAction(reason, failure.action), ...waiting(failure) }
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

function callHint(failure: ToolFailure, { call, tool, rejected }: HintSubject): RetryHint {
  const [first = rootIssue(failure), ...others] = failure.issues ?? []
  const issues: NonEmpty<Issue> = [first, ...others]
  const example: JsonValue | undefined = failure.example ?? (tool && correctExample(tool, issues))
  const facts = { tool: call.tool, issues, ...(example !== undefined && { example }), rejected }
  const missing = missingFields(issues)
  if (missing === undefined) {
    return { ...facts, reason: 'invalid_arguments', action: 'correct_call', message: messageOf(failure) }
  }
  const message =
    failure.message === FIXED_MESSAGES.invalid_arguments ? FIXED_MESSAGES.missing_fields : messageOf(failure)
  return { ...facts, reason: 'missing_fields', action: 'correct_call', message, missing }
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

function rootIssue(failure: ToolFailure): Issue {
  return { constraint: 'check_failed', path: '', message: messageOf(failure) }
}

function messageOf({ message, reason }: ToolFailure): string {
  return message === '' ? FIXED_MESSAGES[reason] : message
}

/** The failure's own action where it is legal for the reason, else the usual one. */
function legalAction<Reason extends FailureReason>(reason: Reason, wanted: string | undefined): ActionFor<Reason> {
  const legal: readonly [ActionFor<Reason>, ...ActionFor<Reason>[]] = LEGAL_ACTIONS[reason]
  return legal.find((action) => action === wanted) ?? legal[0]
}

/** Waiting and trying again is safe only where a second run does no harm. */
function timeoutAction({ action }: ToolFailure, tool: BoundTool | undefined): ActionFor<'timeout'> {
  const harmless = tool?.spec.annotations.idempotent === true || tool?.spec.annotations.readOnly === true
  return legalAction('timeout', action ?? (harmless ? 'wait' : 'replan'))
}

function waiting({ retryAfterMs }: ToolFailure): { readonly retryAfterMs?: number } {
  return retryAfterMs === undefined ? {} : { retryAfterMs }
}
