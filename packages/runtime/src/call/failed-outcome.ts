import { makeIssue } from '../schema/issues.js'
import type { Issue } from '../types/codec.js'
import type { JsonText, JsonValue, Mutable } from '../types/json.js'
import type {
  ActionFor,
  FailureReason,
  MissingField,
  NonEmpty,
  RetryHint,
  ToolError,
  ToolOutcome,
} from '../types/outcome.js'
import type { ToolCallRef } from '../types/tool.js'
import type { BoundTool } from './descriptors.js'
import { type CallCost, callProvenance } from './provenance.js'
import { type Failure, FIXED_MESSAGES, isToolFailure, LEGAL_ACTIONS, peek, plainIssues } from './tool-failure.js'

export interface FailedCall extends CallCost {
  readonly call: ToolCallRef
  /** Absent for an unknown tool. */
  readonly tool?: BoundTool
  /** The arguments as they were sent. */
  readonly rejected: JsonText
  /** Arguments that the tool takes. */
  readonly example?: JsonValue | undefined
  /** The thrown error, for logs. */
  readonly cause?: unknown
}

/** Returns the outcome of a call that failed. */
export function failedOutcome(failure: Failure, failed: FailedCall): ToolOutcome<never> & { status: 'failed' } {
  const { call, tool, cause } = failed
  const hint = retryHint(failure, failed)
  const error = toolError(hint, failure, cause)
  const provenance = callProvenance(call.tool, tool?.executor, failed)
  return Object.freeze({ call, provenance, status: 'failed', error, hint: Object.freeze(hint) })
}

/** Maximum length of rejected arguments in a hint, in UTF-16 code units. */
const MAX_REJECTED = 10_000

/** Shortens rejected arguments for a hint to their beginning and their length; the text is then not JSON. */
function rejectedText(sent: JsonText): string {
  if (sent.length <= MAX_REJECTED) return sent
  // Half of a surrogate pair is not valid text.
  const start = sent.slice(0, MAX_REJECTED).replace(/[\uD800-\uDBFF]$/, '')
  return `${start}… (${sent.length} characters)`
}

/** Turns a failure into a hint with a legal action. Facts that the reason has no field for are left out. */
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
      return { ...base, reason, action: actionOf(reason, failure, call), ...facts }
    }
    case 'malformed_result': {
      const hidden = issues === undefined ? {} : { issues: issues.map(withoutReceived) }
      return { ...base, reason, action: 'replan', ...hidden, ...more }
    }
    case 'rate_limited':
    case 'unavailable':
    case 'timeout': {
      const wait = retryAfterMs === undefined ? {} : { retryAfterMs }
      // The compiler relates single reasons to their actions, but no union of them.
      return { ...base, reason, action: actionOf(reason, failure, call), ...wait } as RetryHint
    }
    default:
      return { ...base, reason, action: actionOf(reason, failure, call) } as RetryHint
  }
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

/** Returns the requested action if it is legal for the reason, else the usual one. */
function actionOf<Reason extends FailureReason>(
  reason: Reason,
  { action, mayHaveRun, retryAfterMs }: Failure,
  { tool }: FailedCall,
): ActionFor<Reason> {
  const legal: readonly [ActionFor<Reason>, ...ActionFor<Reason>[]] = LEGAL_ACTIONS[reason]
  // Work that may be done is not repeated, unless the service itself says when to come back.
  const isRisky = mayHaveRun === true && retryAfterMs === undefined
  const { idempotent, readOnly } = tool?.spec.annotations ?? {}
  const usual = idempotent === true || readOnly === true ? 'wait' : isRisky && 'replan'
  return legal.find((each) => each === (action ?? usual)) ?? legal[0]
}

/** Maximum number of issues of an error, without the one that counts the others. */
const MAX_ISSUES = 100

/** Maximum number of errors, with their causes, that are searched for issues. */
const MAX_CAUSES = 8

/**
 * Returns the error of a failed call or run for developers.
 *
 * @param thrown the error behind the failure, for logs
 */
export function toolError(
  { reason, message }: Pick<ToolError, 'reason' | 'message'>,
  failure: Failure,
  thrown: unknown,
): ToolError {
  const error: Mutable<ToolError> = { reason, message }
  const issues = developerIssues(failure, thrown)
  if (issues !== undefined) {
    error.issues = issues
    Object.defineProperty(error, INSPECT, { value: inspectedError, enumerable: false })
  }
  // Not enumerable: an outcome that is logged, stored or shown as JSON does not contain it.
  if (thrown !== undefined) Object.defineProperty(error, 'cause', { value: thrown, enumerable: false })
  return Object.freeze(error)
}

/** Returns the error of a stored or recorded call, with the issues of its hint: no others are kept. */
export function restoredError(stored: Pick<ToolError, 'reason' | 'message'>, hint: RetryHint): ToolError {
  const { reason, message } = stored
  const { issues, moreIssues } = { issues: undefined, moreIssues: undefined, ...hint }
  return toolError({ reason, message }, { reason, message, issues, moreIssues }, undefined)
}

/**
 * Returns the issues of the error or of the first of its causes that has some, else those of the failure; `undefined` if there
 * are none. Texts of a service or an adapter are replaced: an outcome may be logged as JSON.
 */
function developerIssues({ reason, issues, moreIssues = 0 }: Failure, thrown: unknown): readonly Issue[] | undefined {
  // A model reads these too, unless the application made a failure of another error.
  const isWritten = thrown === undefined || isToolFailure(thrown)
  const isShown = issues !== undefined && reason !== 'malformed_result' && isWritten
  const found = issuesOf(thrown) ?? (issues === undefined ? undefined : { issues, more: moreIssues })
  if (found === undefined) return undefined
  const { more } = found
  return Object.freeze([
    ...(isShown ? found.issues : found.issues.map(withoutReceived)),
    ...(more === 0 ? [] : [makeIssue({ constraint: 'more_issues', count: more }, { path: '' })]),
  ])
}

function issuesOf(thrown: unknown): { readonly issues: readonly Issue[]; readonly more: number } | undefined {
  let link = thrown
  for (let count = 0; count < MAX_CAUSES && link !== undefined; count += 1) {
    const found = isToolFailure(link) || listsIssues(link) ? plainIssues(peek(link, 'issues'), MAX_ISSUES) : undefined
    if (found !== undefined && found.issues.length > 0) return found
    link = peek(link, 'cause')
  }
  return undefined
}

/** True if an error lists issues of this package: those of other libraries have other facts. */
function listsIssues(error: unknown): boolean {
  const first = peek(peek(error, 'issues'), 0)
  return typeof peek(first, 'constraint') === 'string' && typeof peek(first, 'path') === 'string'
}

/** Lets Node's `console.log` print the issues of an outcome with their facts, and not as `[Object]`. */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

/** Depth of the facts of an issue below an error: the list, the issue, a list of values. */
const ISSUE_DEPTH = 3

function inspectedError(
  this: ToolError,
  depth: number,
  options: object,
  inspect: (value: unknown, options: object) => string,
): string {
  return inspect({ ...this }, { ...options, depth: Math.max(depth, ISSUE_DEPTH) })
}

const HIDDEN = '…'

/** Removes the text of a service's response from an issue: nobody meant a model to see that. */
function withoutReceived(issue: Issue): Issue {
  const { path, description } = issue
  switch (issue.constraint) {
    case 'invalid_enum_value': {
      const { constraint, allowed, more, received } = issue
      const isText = typeof received === 'string' || typeof received === 'object'
      const facts = { allowed, ...(more !== undefined && { more }), received: isText ? HIDDEN : received }
      return makeIssue({ constraint, ...facts }, { path, description })
    }
    case 'invalid_format': {
      const { constraint, format } = issue
      return makeIssue({ constraint, format, received: HIDDEN }, { path, description })
    }
    case 'invalid_pattern': {
      const { constraint, pattern } = issue
      return makeIssue({ constraint, pattern, received: HIDDEN }, { path, description })
    }
    case 'no_variant_matches':
      return issue.nearest === undefined ? issue : { ...issue, nearest: issue.nearest.map(withoutReceived) }
    default:
      return issue
  }
}
