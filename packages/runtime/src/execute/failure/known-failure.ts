import type { Issue } from '../../contract/issue.js'
import type { JsonValue } from '../../contract/json.js'
import type { FailureReason } from '../../contract/retry-hint.js'
import { peek } from './peek.js'
import { plainIssue } from './plain-issue.js'
import { plainJson } from './plain-json.js'
import { isFailureReason } from './reasons.js'
import { waitingTime } from './retry-after.js'

/** A failure as plain data that the runtime owns: reading it, rendering it and writing it as JSON cannot fail. */
export interface KnownFailure {
  readonly reason: FailureReason
  /** Empty where the reason's fixed sentence is to be shown. */
  readonly message: string
  readonly action?: string | undefined
  /** In milliseconds. */
  readonly retryAfterMs?: number | undefined
  readonly issues?: readonly Issue[] | undefined
  /** How many issues there are beyond `issues`. */
  readonly moreIssues?: number | undefined
  readonly example?: JsonValue | undefined
  /** No example is made from the tool's schema. */
  readonly noExample?: true | undefined
  readonly near?: readonly string[] | undefined
  /** The service may have done the work although there was no proper answer. */
  readonly mayHaveRun?: true | undefined
}

/** A hint carries at most so many issues; the others are counted. */
const MAX_ISSUES = 20

/** A hint carries at most so many near names. */
const MAX_NEAR = 10

/** What a `ToolFailure` says, whatever its author or a subclass put into it. Facts that are not of their type are left out. */
export function knownFailure(failure: unknown): KnownFailure {
  const reason = peek(failure, 'reason')
  const { issues, more: moreIssues, onlyMissing } = plainIssues(peek(failure, 'issues'), MAX_ISSUES)
  const example = plainJson(peek(failure, 'example'))
  const near = plainItems(peek(failure, 'near'))
    .filter((name) => typeof name === 'string')
    .slice(0, MAX_NEAR)
  const action = textOf(peek(failure, 'action'))
  const retryAfterMs = waitingTime(peek(failure, 'retryAfterMs'))
  return {
    reason: isFailureReason(reason) ? callReason(reason, onlyMissing) : 'internal',
    message: textOf(peek(failure, 'message')) ?? '',
    ...(action !== undefined && { action }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(issues.length > 0 && { issues }),
    ...(moreIssues > 0 && { moreIssues }),
    ...(example !== undefined && { example }),
    ...(peek(failure, 'noExample') === true && { noExample: true }),
    ...(near.length > 0 && { near }),
  }
}

/** Of the two reasons that say the call is wrong, the one that its issues tell. */
function callReason(reason: FailureReason, onlyMissing: boolean): FailureReason {
  if (reason !== 'invalid_arguments' && reason !== 'missing_fields') return reason
  return onlyMissing ? 'missing_fields' : 'invalid_arguments'
}

/** Issues of any origin as plain data. */
interface PlainIssues {
  readonly issues: readonly Issue[]
  readonly more: number
  /** Whether fields are missing and nothing else is wrong. */
  readonly onlyMissing: boolean
}

/** The first issues of a list that anyone may have made, and how many others there are. */
export function plainIssues(given: unknown, limit: number): PlainIssues {
  const all = plainItems(given)
  const listed = all.filter((issue) => peek(issue, 'constraint') !== 'more_issues')
  const issues = listed.slice(0, limit).map(plainIssue)
  const uncounted = all.length - listed.length
  const counts =
    uncounted === 0 ? [] : all.map((issue) => peek(issue, 'count')).filter((count) => typeof count === 'number')
  const more = listed.length - issues.length + counts.reduce((sum, count) => sum + count, 0)
  const onlyMissing =
    uncounted === 0 &&
    issues.length > 0 &&
    [...issues, ...listed.slice(issues.length)].every((issue) => peek(issue, 'constraint') === 'missing_field')
  return { issues, more, onlyMissing }
}

function plainItems(value: unknown): readonly unknown[] {
  try {
    return Array.isArray(value) ? value.slice() : []
  } catch {
    // A list that cannot be read tells nothing.
    return []
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
