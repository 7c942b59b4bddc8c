import { makeIssue } from '../schema/issues.js'
import type { Issue } from '../types/codec.js'
import type { FailureReason, RetryHint, ToolError } from '../types/failure.js'
import type { Mutable } from '../types/json.js'
import type { AgentToolSpec } from '../types/tool.js'
import { MAX_CAUSES } from './classify.js'
import { restoredData } from './declared-failure.js'
import type { Failure } from './failure.js'
import { plainIssues } from './plain-issues.js'
import { isToolFailure, peek } from './tool-failure.js'

const MAX_ISSUES = 100

export function toolError<Reason extends string>(
  { reason, message, data }: { readonly reason: Reason; readonly message: string; readonly data?: unknown },
  failure: Failure,
  thrown: unknown,
): Reason extends FailureReason ? ToolError<never> : ToolError
export function toolError(
  { reason, message, data }: { readonly reason: string; readonly message: string; readonly data?: unknown },
  failure: Failure,
  thrown: unknown,
): ToolError {
  // `reason` of an error without data is a failure reason, or the name of a declared failure without data.
  const error = (data === undefined ? { reason, message } : { reason, message, data }) as Mutable<ToolError>
  const issues = developerIssues(failure, thrown)
  if (issues !== undefined) error.issues = issues
  if (issues !== undefined || thrown !== undefined)
    Object.defineProperty(error, INSPECT, { value: inspectedError, enumerable: false })
  // Not enumerable, so that JSON and stores do not contain it. `console.log` of Node shows it.
  if (thrown !== undefined) Object.defineProperty(error, 'cause', { value: thrown, enumerable: false })
  return Object.freeze(error)
}

export function restoredError(
  { reason, message }: { readonly reason: string; readonly message: string },
  hint: RetryHint,
  spec: AgentToolSpec | undefined,
): ToolError {
  const { issues, moreIssues } = { issues: undefined, moreIssues: undefined, ...hint }
  const failure = { reason: hint.reason, message, issues, moreIssues }
  return toolError({ reason, message, data: restoredData(hint, spec) }, failure, undefined)
}

function developerIssues({ reason, issues, moreIssues = 0 }: Failure, thrown: unknown): readonly Issue[] | undefined {
  // The model sees these issues too, unless they come from another error.
  const isWritten = thrown === undefined || isToolFailure(thrown)
  const isShown = issues !== undefined && reason !== 'malformed_result' && isWritten
  const found = issuesOf(thrown) ?? (issues === undefined ? undefined : { issues, more: moreIssues })
  if (found === undefined) return undefined
  const { more } = found
  return Object.freeze([
    // Strings in issues that the model does not read can be confidential, and outcomes may be logged as JSON.
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

function listsIssues(error: unknown): boolean {
  const first = peek(peek(error, 'issues'), 0)
  return typeof peek(first, 'constraint') === 'string' && typeof peek(first, 'path') === 'string'
}

/**
 * Symbol of the method that `console.log` in Node calls to print an error. The method also prints the cause, and prints complete issues
 * instead of `[Object]`.
 */
const INSPECT = Symbol.for('nodejs.util.inspect.custom')

const ISSUE_DEPTH = 3

function inspectedError(
  this: ToolError,
  depth: number,
  options: object,
  inspect: (value: unknown, options: object) => string,
): string {
  const { cause } = this
  const shown = cause === undefined ? { ...this } : { ...this, cause }
  return inspect(shown, { ...options, depth: Math.max(depth, ISSUE_DEPTH) })
}

const HIDDEN = '…'

/** The model must not read strings from the response of a service. */
export function withoutReceived(issue: Issue): Issue {
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
