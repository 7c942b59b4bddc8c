import type { FailureReason } from '../../contract/retry-hint.js'
import { verdictOfCode } from './error-codes.js'
import { verdictOfAwsName, verdictOfName } from './error-names.js'
import { hasResponse, httpStatus, verdictOfStatus } from './http-status.js'
import { type KnownFailure, knownFailure } from './known-failure.js'
import { verdictOfFault } from './mcp-faults.js'
import { peek } from './peek.js'
import { FIXED_MESSAGES, isFailureReason } from './reasons.js'
import { responseHeader, retryAfterMs } from './retry-after.js'
import { isToolFailure, type ToolFailure } from './tool-failure.js'
import { DENIED, RATE_LIMITED, type Verdict } from './verdict.js'

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
  const links = [...causes(error)]
  if (typeof known === 'string') {
    const asking = links.find((link) => retryAfterMs(link, now) !== undefined)
    return failureOf(known, verdictOf(error), asking, now)
  }
  const told = known ?? links.find(isToolFailure)
  if (told !== undefined) return knownFailure(told)
  for (const [at, link] of links.entries()) {
    const verdict = verdictOf(link)
    if (verdict === undefined) continue
    const final = isVague(link, verdict) ? (endOf(links.slice(at + 1)) ?? verdict) : verdict
    return failureOf(final.reason, final, link, now)
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
  if (status === undefined) return verdictOfCode(error) ?? verdictOfFault(error) ?? verdictOfName(error)
  const verdict = verdictOfAnswer(error, status)
  const named = isVague(error, verdict) ? verdictOfName(error) : undefined
  return named !== undefined && isEnd(named) ? named : verdict
}

function verdictOfAnswer(error: unknown, status: number): Verdict {
  // An empty account does not fill up by waiting.
  if (status === 429 && peek(error, 'code') === 'insufficient_quota') return DENIED
  if (isRateLimit(error, status)) return RATE_LIMITED
  return verdictOfAwsName(error) ?? verdictOfStatus(status)
}

/** Some services answer 403 or 400 for a limit that was reached; headers and flags tell. */
function isRateLimit(error: unknown, status: number): boolean {
  if (peek(peek(error, '$retryable'), 'throttling') === true) return true
  if (verdictOfName(error)?.reason === 'rate_limited') return true
  if (status !== 403) return false
  return responseHeader(error, 'retry-after') !== undefined || responseHeader(error, 'x-ratelimit-remaining') === '0'
}

/**
 * Whether an error says only that there was no answer, or that this side gave up: its causes may know that this side
 * stopped waiting, or that the reason of its giving up was a time-out.
 */
function isVague(error: unknown, { reason, isExact }: Verdict): boolean {
  if (isExact === true) return false
  return reason === 'cancelled' || (reason === 'unavailable' && !hasResponse(error))
}

/** How this side ended the call, as its causes tell: a time-out before a cancellation. */
function endOf(links: readonly unknown[]): Verdict | undefined {
  const ends = links.map(verdictOf).filter(isEnd)
  return ends.find(({ reason }) => reason === 'timeout') ?? ends[0]
}

function isEnd(verdict: Verdict | undefined): verdict is Verdict {
  return verdict?.reason === 'timeout' || verdict?.reason === 'cancelled'
}

function* causes(error: unknown): Generator<unknown> {
  let link = error
  for (let depth = 0; depth < MAX_CAUSES && link !== undefined && link !== null; depth += 1) {
    yield link
    link = peek(link, 'cause') ?? peek(peek(link, 'errors'), 0) ?? stripeCause(link)
  }
}

/** Stripe keeps the cause of a lost connection as its detail; elsewhere a detail is text or the application's own. */
function stripeCause(error: unknown): unknown {
  return peek(error, 'type') === 'StripeConnectionError' ? peek(error, 'detail') : undefined
}

function failureOf(reason: PlainReason, verdict: Verdict | undefined, error: unknown, now: number): KnownFailure {
  const message = FIXED_MESSAGES[reason]
  switch (reason) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return { reason, message, retryAfterMs: retryAfterMs(error, now), mayHaveRun: verdict?.mayHaveRun }
    case 'domain_rejection':
      return { reason, message, action: verdict?.action }
    default:
      return { reason, message }
  }
}
