import type { Issue } from '../types/codec.js'
import type {
  ActionFor,
  FailureReason,
  MissingField,
  NonEmpty,
  RetryHint,
  ToolError,
  TypedFailure,
} from '../types/failure.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ToolCallRef } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { resolvedFailure } from './declared-failure.js'
import type { Failure } from './failure.js'
import { type CallCost, callProvenance } from './provenance.js'
import { toolError, withoutReceived } from './tool-error.js'
import { FIXED_MESSAGES, LEGAL_ACTIONS } from './tool-failure.js'

export interface FailedCall extends CallCost {
  readonly call: ToolCallRef
  readonly tool?: BoundTool
  readonly rejected: JsonText
  readonly example?: JsonValue | undefined
  readonly cause?: unknown
}

export function failedOutcome(
  thrown: Failure,
  failed: FailedCall,
): ToolOutcome<never, TypedFailure> & { status: 'failed' } {
  const { call, tool } = failed
  const { failure, cause } = resolvedFailure(thrown, tool?.spec, failed.cause)
  const hint = retryHint(failure, failed)
  const { name: reason = hint.reason, data } = failure.declared ?? {}
  const error: ToolError = toolError({ reason, message: hint.message, data }, failure, cause)
  // The message of a tool that has run can contain data.
  const reads = failed.attempts > 0 ? tool?.spec.reads : undefined
  const provenance = callProvenance(call.tool, tool?.executor, failed, reads)
  return Object.freeze({ call, provenance, status: 'failed', error, hint: Object.freeze(hint) })
}

const MAX_REJECTED = 10_000

function rejectedText(sent: JsonText): string {
  if (sent.length <= MAX_REJECTED) return sent
  // Removes half of a surrogate pair, which is not valid Unicode.
  const start = sent.slice(0, MAX_REJECTED).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}… (${sent.length} characters)`
}

function retryHint(failure: Failure, call: FailedCall): RetryHint {
  const { reason, issues, moreIssues, retryAfterMs, example } = failure
  const base = { message: messageOf(failure), tool: call.call.tool }
  const more = moreIssues === undefined ? {} : { moreIssues }
  switch (reason) {
    case 'missing_fields':
    case 'invalid_arguments':
      return argumentsHint(failure, call)
    case 'unknown_tool':
      return { ...base, reason, action: 'replan', near: failure.near ?? [] }
    case 'domain_rejection': {
      const facts = { ...(issues !== undefined && { issues }), ...more, ...(example !== undefined && { example }) }
      return { ...base, reason, action: actionOf(reason, failure, call), ...facts, ...declaredFacts(failure) }
    }
    case 'malformed_result': {
      const hidden = issues === undefined ? {} : { issues: issues.map(withoutReceived) }
      return { ...base, reason, action: 'replan', ...hidden, ...more }
    }
    case 'rate_limited':
    case 'unavailable':
    case 'timeout': {
      const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
      // The compiler can check the action only for a single reason, not for a union of reasons.
      return { ...base, reason, action: actionOf(reason, failure, call), ...wait } as RetryHint
    }
    default:
      return { ...base, reason, action: actionOf(reason, failure, call) } as RetryHint
  }
}

function declaredFacts({ declared }: Failure): { readonly failure?: string; readonly data?: JsonValue } {
  if (declared === undefined) return {}
  const { name: failure, json } = declared
  return { failure, ...(json !== undefined && { data: json }) }
}

function argumentsHint(failure: Failure, { call, rejected, example: passing }: FailedCall): RetryHint {
  const { moreIssues } = failure
  const message = messageOf(failure)
  const [first = { constraint: 'check_failed', path: '', message }, ...others] = failure.issues ?? []
  const issues: NonEmpty<Issue> = [first, ...others]
  const example = failure.example ?? passing
  const facts = {
    tool: call.tool,
    issues,
    ...(moreIssues !== undefined && { moreIssues }),
    ...(example !== undefined && { example }),
    rejected: rejectedText(rejected),
    action: 'correct_call',
  } as const
  const isMissing = failure.reason === 'missing_fields' && issues.every((issue) => issue.constraint === 'missing_field')
  if (!isMissing) return { ...facts, reason: 'invalid_arguments', message }
  const missing: NonEmpty<MissingField> = [missingField(first), ...others.map(missingField)]
  const isFixed = failure.message === FIXED_MESSAGES.invalid_arguments
  return { ...facts, reason: 'missing_fields', message: isFixed ? FIXED_MESSAGES.missing_fields : message, missing }
}

function missingField({ path, description }: Issue): MissingField {
  return { path, ...(description !== undefined && { description }) }
}

function messageOf({ message, reason }: Failure): string {
  return message === '' ? FIXED_MESSAGES[reason] : message
}

function actionOf<Reason extends FailureReason>(
  reason: Reason,
  { action, mayHaveRun, retryAfterMs }: Failure,
  { tool }: FailedCall,
): ActionFor<Reason> {
  const legal: readonly [ActionFor<Reason>, ...ActionFor<Reason>[]] = LEGAL_ACTIONS[reason]
  // A request that may have been executed is not repeated, unless the service states when to retry.
  const isRisky = mayHaveRun === true && retryAfterMs === undefined
  const { idempotent, readOnly } = tool?.spec.annotations ?? {}
  const usual = idempotent === true || readOnly === true ? 'wait' : isRisky && 'replan'
  return legal.find((each) => each === (action ?? usual)) ?? legal[0]
}
