import type { FailureReason } from '../../contract/retry-hint.js'
import { verdictOfCode, verdictOfName } from './error-codes.js'
import { httpStatus, type Verdict, verdictOfStatus } from './http-status.js'
import { type KnownFailure, knownFailure } from './known-failure.js'
import { peek } from './peek.js'
import { FIXED_MESSAGES, isFailureReason } from './reasons.js'
import { responseHeader, retryAfterMs } from './retry-after.js'
import { isToolFailure, type ToolFailure } from './tool-failure.js'

/**
 * What an application knows of its own errors: a {@link ToolFailure}, whose message the model sees, or a reason alone.
 * `undefined` leaves the error to the runtime's table. May throw; then it said nothing.
 */
export type Classify = (error: unknown) => ToolFailure | PlainReason | undefined

/** A reason that needs no further facts. */
export type PlainReason = Exclude<FailureReason, 'missing_fields' | 'invalid_arguments'>

/** How many causes are looked at. */
const MAX_CAUSES = 8

/**
 * Turns whatever was thrown into a failure that a model may see. A `ToolFailure` speaks for itself. Of anything else
 * the application is asked first; then a `ToolFailure` among the causes counts, since somebody threw it for the model;
 * then a table of typed facts (HTTP status, codes, names), for the error and its causes in turn. Messages of other
 * errors are never read and never shown.
 *
 * @param now milliseconds since the epoch
 */
export function classify(error: unknown, now: number, application?: Classify): KnownFailure {
  if (isToolFailure(error)) return knownFailure(error)
  const known = application && ask(application, error)
  if (typeof known === 'string') return failureOf(known, verdictOf(error), error, now)
  const links = [...causes(error)]
  const told = known ?? links.find(isToolFailure)
  if (told !== undefined) return knownFailure(told)
  for (const link of links) {
    const verdict = verdictOf(link)
    if (verdict !== undefined) return failureOf(verdict.reason, verdict, link, now)
  }
  return { reason: 'internal', message: FIXED_MESSAGES.internal }
}

function ask(application: Classify, error: unknown): ToolFailure | PlainReason | undefined {
  try {
    const answer: unknown = application(error)
    if (isToolFailure(answer)) return answer
    return isFailureReason(answer) && answer !== 'missing_fields' && answer !== 'invalid_arguments' ? answer : undefined
  } catch {
    // Documented: a classifier that throws said nothing; the table decides.
    return undefined
  }
}

function verdictOf(error: unknown): Verdict | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const status = httpStatus(error)
  if (status !== undefined) return isRateLimit(error, status) ? { reason: 'rate_limited' } : verdictOfStatus(status)
  return verdictOfCode(error) ?? verdictOfName(error)
}

/** Some services answer 403 or 400 for a limit that was reached; headers and flags tell. */
function isRateLimit(error: unknown, status: number): boolean {
  if (peek(peek(error, '$retryable'), 'throttling') === true) return true
  if (verdictOfName(error)?.reason === 'rate_limited') return true
  if (status !== 403) return false
  return responseHeader(error, 'retry-after') !== undefined || responseHeader(error, 'x-ratelimit-remaining') === '0'
}

function* causes(error: unknown): Generator<unknown> {
  let link = error
  for (let depth = 0; depth < MAX_CAUSES && link !== undefined && link !== null; depth += 1) {
    yield link
    link = peek(link, 'cause') ?? peek(peek(link, 'errors'), 0)
  }
}

function failureOf(reason: PlainReason, verdict: Verdict | undefined, error: unknown, now: number): KnownFailure {
  const message = FIXED_MESSAGES[reason]
  switch (reason) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return { reason, message, retryAfterMs: retryAfterMs(error, now) }
    case 'domain_rejection':
      return { reason, message, action: verdict?.action }
    default:
      return { reason, message }
  }
}
