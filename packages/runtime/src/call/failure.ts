import { copyJson } from '../schema/json-values.js'
import type { FailureReason } from '../types/errors.js'
import type { Constraint, Issue } from '../types/issue.js'
import type { JsonValue } from '../types/json.js'
import { waitingTime } from './retry-after.js'
import { isFailureReason, peek } from './tool-failure.js'

/** A failure as plain data that the runtime owns: reading it, rendering it and writing it as JSON cannot fail. */
export interface Failure {
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
export function readFailure(failure: unknown): Failure {
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

/** A copy of what anyone gave, as JSON; `undefined` where JSON cannot carry all of it. */
export function plainJson(given: unknown): JsonValue | undefined {
  const { value, faulty } = copyJson(given)
  return isJson(value, faulty) ? value : undefined
}

/** `copyJson` says whether every part of its copy is JSON. */
function isJson(_copy: unknown, faulty: boolean): _copy is JsonValue {
  return !faulty
}

type Test = (value: unknown) => boolean

const text: Test = (value) => typeof value === 'string'
const number: Test = (value) => typeof value === 'number'
const any: Test = (value) => value !== undefined
const list: Test = (value) => Array.isArray(value)
const texts: Test = (value) => Array.isArray(value) && value.every(text)
const numbers: Test = (value) => Array.isArray(value) && value.every(number)
const absentOr =
  (test: Test): Test =>
  (value) =>
    value === undefined || test(value)

const bounds = { minimum: absentOr(number), maximum: absentOr(number) }

/** What the facts of each constraint must be. */
const FACTS: { readonly [Name in Constraint]: Readonly<Record<string, Test>> } = Object.freeze({
  invalid_json: { position: absentOr(number) },
  missing_field: { field: text, expected: absentOr(text), allowed: absentOr(list), more: absentOr(number) },
  unknown_field: { field: text, allowed: texts, more: absentOr(number), nearest: absentOr(text) },
  server_owned_field: { field: text },
  invalid_type: { expected: texts, received: text },
  invalid_enum_value: { allowed: list, more: absentOr(number), received: any },
  invalid_format: { format: text, received: text },
  invalid_pattern: { pattern: text, received: text },
  invalid_range: {
    ...bounds,
    received: number,
    exclusiveMinimum: absentOr(number),
    exclusiveMaximum: absentOr(number),
    multipleOf: absentOr(number),
  },
  invalid_length: { ...bounds, unit: text, received: number },
  not_unique: { first: number, second: number },
  invalid_contains: { ...bounds, found: number },
  missing_dependency: { field: text, requiredBy: text },
  no_variant_matches: {
    variants: texts,
    more: absentOr(number),
    discriminator: absentOr(isDiscriminator),
    nearest: absentOr(areIssues),
  },
  several_variants_match: { matching: numbers },
  not_allowed: {},
  too_deep: { maximum: number },
  not_json: { received: text },
  check_failed: {},
  more_issues: { count: number },
})

/** What is said where an issue has no sentence of its own. */
const UNSAID = 'The value is not valid.'

/** An issue that anyone may have made, as one that can be rendered and written: what is none becomes `check_failed`. */
function plainIssue(given: unknown): Issue {
  const { value, faulty } = copyJson(given)
  if (!faulty && isIssue(value)) return value
  const path = peek(given, 'path')
  const message = peek(given, 'message')
  return {
    constraint: 'check_failed',
    path: typeof path === 'string' ? path : '',
    message: typeof message === 'string' && message !== '' ? message : UNSAID,
  }
}

function isIssue(value: unknown): value is Issue {
  const constraint = peek(value, 'constraint')
  if (typeof constraint !== 'string' || !isConstraint(constraint)) return false
  if (!text(peek(value, 'path')) || !text(peek(value, 'message'))) return false
  if (!absentOr(text)(peek(value, 'description'))) return false
  return Object.entries(FACTS[constraint]).every(([fact, test]) => test(peek(value, fact)))
}

function isConstraint(name: string): name is Constraint {
  return Object.hasOwn(FACTS, name)
}

function areIssues(value: unknown): boolean {
  return Array.isArray(value) && value.every(isIssue)
}

function isDiscriminator(value: unknown): boolean {
  return text(peek(value, 'field')) && list(peek(value, 'allowed')) && absentOr(number)(peek(value, 'more'))
}
