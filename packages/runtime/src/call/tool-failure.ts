import { copyJson } from '../schema/json-copy.js'
import type { Constraint, Issue } from '../types/codec.js'
import type { JsonValue } from '../types/json.js'
import type { ActionFor, FailureFacts, FailureReason } from '../types/outcome.js'

/** Options of a {@link ToolFailure}. Default of `reason`: `domain_rejection`. */
export type ToolFailureOptions =
  | (FailureFacts & { readonly cause?: unknown })
  | (Omit<FailureFacts<'domain_rejection'>, 'reason'> & { readonly reason?: undefined; readonly cause?: unknown })

/**
 * A failure that a service or an executor throws FOR the model to see: its message is shown as it is. All other
 * errors are shown as one fixed sentence per reason.
 *
 * Its fields are read when the call ends: those of a wrong type are left out, a hint keeps the first 20 issues and
 * counts the others. The issues decide between `missing_fields` and `invalid_arguments`: without any, the message is
 * the one issue and the reason is `invalid_arguments`.
 *
 * @example
 * throw new ToolFailure('Order A-1001 has shipped and can no longer be cancelled.', { action: 'replan' })
 */
export class ToolFailure extends Error {
  override readonly name: string = 'ToolFailure'
  readonly reason: FailureReason
  readonly action: string | undefined
  /** In milliseconds. */
  readonly retryAfterMs: number | undefined
  readonly issues: readonly Issue[] | undefined
  readonly example: JsonValue | undefined
  /** True if no example is made from the tool's schema. */
  readonly noExample: boolean
  /** Names of tools that may be meant. */
  readonly near: readonly string[] | undefined

  constructor(message: string, options: ToolFailureOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = options.reason ?? 'domain_rejection'
    this.action = options.action
    this.retryAfterMs = options.retryAfterMs
    this.issues = options.issues
    this.example = options.example
    this.noExample = options.noExample === true
    this.near = options.near
  }
}

/** Returns the failure of a call whose caller, not the model, has to change something. */
export function callerFailure(message: string): ToolFailure {
  return new ToolFailure(message, { reason: 'internal', action: 'finish' })
}

/** Returns whether a thrown value is a {@link ToolFailure}, also one of another copy of this package. */
export function isToolFailure(error: unknown): error is ToolFailure {
  try {
    if (error instanceof ToolFailure) return true
    return (
      error instanceof Error &&
      (error.name === 'ToolFailure' || 'noExample' in error) &&
      typeof error.message === 'string' &&
      'reason' in error &&
      isFailureReason(error.reason)
    )
  } catch {
    // Something with hostile traps is thrown: it is not ours.
    return false
  }
}

/** The legal actions of each reason, the usual one first. */
export const LEGAL_ACTIONS: {
  readonly [Reason in FailureReason]: readonly [ActionFor<Reason>, ...ActionFor<Reason>[]]
} = Object.freeze({
  missing_fields: ['correct_call'],
  invalid_arguments: ['correct_call'],
  unknown_tool: ['replan'],
  denied: ['replan', 'finish'],
  domain_rejection: ['replan', 'correct_call', 'finish'],
  rate_limited: ['wait'],
  unavailable: ['wait', 'replan'],
  timeout: ['replan', 'wait'],
  malformed_result: ['replan'],
  interrupted: ['replan'],
  cancelled: ['finish'],
  internal: ['replan', 'finish'],
})

/** Sentences for the model about errors that were not thrown for it. */
export const FIXED_MESSAGES: Readonly<Record<FailureReason, string>> = Object.freeze({
  missing_fields: 'The call lacks required fields.',
  invalid_arguments: 'The arguments are not valid.',
  unknown_tool: 'There is no tool of this name.',
  denied: 'The service refused access.',
  domain_rejection: 'The service rejected the request.',
  rate_limited: 'The service is rate limited.',
  unavailable: 'The service is not available at the moment.',
  timeout: 'The call took too long and was ended.',
  malformed_result: 'The tool answered with a result that breaks its contract.',
  interrupted: 'The call was interrupted before it ended; part of its work may be done.',
  cancelled: 'The call was cancelled.',
  internal: 'The tool failed for an internal reason.',
})

export function isFailureReason(value: unknown): value is FailureReason {
  return typeof value === 'string' && Object.hasOwn(LEGAL_ACTIONS, value)
}

/** Reads a property of anything, also of what throws when it is read. */
export function peek(value: unknown, key: PropertyKey): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  try {
    return Reflect.get(value, key)
  } catch {
    // A hostile getter or a revoked proxy says nothing.
    return undefined
  }
}

/** Reads the first of several paths that is not absent. */
export function peekFirst(value: unknown, ...paths: readonly string[]): unknown {
  for (const path of paths) {
    const found = path.split('.').reduce(peek, value)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}

/** A failure as plain data of the runtime: reading it, rendering it and writing it as JSON cannot fail. */
export interface Failure {
  readonly reason: FailureReason
  /** If empty, the fixed sentence of the reason is shown. */
  readonly message: string
  readonly action?: string | undefined
  /** In milliseconds. */
  readonly retryAfterMs?: number | undefined
  readonly issues?: readonly Issue[] | undefined
  /** Number of issues beyond `issues`. */
  readonly moreIssues?: number | undefined
  readonly example?: JsonValue | undefined
  /** True if no example is made from the tool's schema. */
  readonly noExample?: true | undefined
  readonly near?: readonly string[] | undefined
  /** True if the service may have done the work although there was no proper response. */
  readonly mayHaveRun?: true | undefined
}

/** Maximum number of issues of a hint; the others are counted. */
const MAX_ISSUES = 20

const MAX_NEAR = 10

/**
 * Reads a `ToolFailure`, whatever its author or a subclass put into it. Facts that are not of their type are left out.
 */
export function readFailure(failure: unknown): Failure {
  const reason = peek(failure, 'reason')
  const { issues, more: moreIssues, onlyMissing } = plainIssues(peek(failure, 'issues'), MAX_ISSUES)
  const example = plainJson(peek(failure, 'example'))
  const near = plainItems(peek(failure, 'near'))
    .filter((name) => typeof name === 'string')
    .slice(0, MAX_NEAR)
  const action = peek(failure, 'action')
  const message = peek(failure, 'message')
  const retryAfterMs = waitingTime(peek(failure, 'retryAfterMs'))
  // The issues decide between the two reasons that blame the call.
  const isOfCall = reason === 'invalid_arguments' || reason === 'missing_fields'
  const ofCall = onlyMissing ? 'missing_fields' : 'invalid_arguments'
  return {
    reason: isOfCall ? ofCall : isFailureReason(reason) ? reason : 'internal',
    message: typeof message === 'string' ? message : '',
    ...(typeof action === 'string' && { action }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(issues.length > 0 && { issues }),
    ...(moreIssues > 0 && { moreIssues }),
    ...(example !== undefined && { example }),
    ...(peek(failure, 'noExample') === true && { noExample: true }),
    ...(near.length > 0 && { near }),
  }
}

/** The longest time that a timer can wait: 24.8 days. */
export const MAX_WAIT_MS = 2_147_483_647

/** Returns a time to wait in milliseconds, at most 24.8 days; `undefined` for a value that is no time. */
export function waitingTime(value: unknown): number | undefined {
  const isTime = typeof value === 'number' && value >= 0 && value !== Number.POSITIVE_INFINITY
  return isTime ? Math.min(Math.ceil(value), MAX_WAIT_MS) : undefined
}

/** Issues of any origin as plain data. */
interface PlainIssues {
  readonly issues: readonly Issue[]
  /** Number of further issues. */
  readonly more: number
  /** True if fields are missing and nothing else is wrong. */
  readonly onlyMissing: boolean
}

/** Returns the first issues of a list of any origin, and the number of the others. */
export function plainIssues(list: unknown, limit: number): PlainIssues {
  const all = plainItems(list)
  const listed = all.filter((issue) => peek(issue, 'constraint') !== 'more_issues')
  const counts = all.length === listed.length ? [] : all.map((issue) => peek(issue, 'count'))
  const counted = counts.filter((count) => typeof count === 'number').reduce((sum, count) => sum + count, 0)
  const issues = listed.slice(0, limit).map(plainIssue)
  const onlyMissing =
    all.length === listed.length &&
    issues.length > 0 &&
    [...issues, ...listed.slice(limit)].every((issue) => peek(issue, 'constraint') === 'missing_field')
  return { issues, more: listed.length - issues.length + counted, onlyMissing }
}

function plainItems(value: unknown): readonly unknown[] {
  try {
    return Array.isArray(value) ? value.slice() : []
  } catch {
    // A list that cannot be read says nothing.
    return []
  }
}

/** Returns a copy as JSON; `undefined` if JSON cannot carry all of it. */
export function plainJson(value: unknown): JsonValue | undefined {
  const copy = copyJson(value)
  // `copyJson` checks that every part of its copy is JSON.
  return copy.hasUnwritable ? undefined : (copy.value as JsonValue)
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

/** Returns an issue of any origin as one that can be rendered and written; anything else becomes `check_failed`. */
function plainIssue(issue: unknown): Issue {
  const { value, hasUnwritable } = copyJson(issue)
  if (!hasUnwritable && isIssue(value)) return value
  const path = peek(issue, 'path')
  const message = peek(issue, 'message')
  return {
    constraint: 'check_failed',
    path: typeof path === 'string' ? path : '',
    message: typeof message === 'string' && message !== '' ? message : 'The value is not valid.',
  }
}

function isIssue(value: unknown): value is Issue {
  const constraint = peek(value, 'constraint')
  if (typeof constraint !== 'string' || !Object.hasOwn(FACTS, constraint)) return false
  if (!text(peek(value, 'path')) || !text(peek(value, 'message'))) return false
  if (!absentOr(text)(peek(value, 'description'))) return false
  const facts = Object.entries(FACTS[constraint as Constraint])
  return facts.every(([fact, test]) => test(peek(value, fact)))
}

function areIssues(value: unknown): boolean {
  return Array.isArray(value) && value.every(isIssue)
}

function isDiscriminator(value: unknown): boolean {
  return text(peek(value, 'field')) && list(peek(value, 'allowed')) && absentOr(number)(peek(value, 'more'))
}
