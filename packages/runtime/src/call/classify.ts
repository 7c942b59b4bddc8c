import type { FailureReason } from '../types/failure.js'
import { BY_NAME, type ErrorMeaning, httpStatus, meaningOfCode, meaningOfResponse } from './error-meanings.js'
import { type Failure, readFailure } from './failure.js'
import { retryAfterMs } from './response-headers.js'
import { FIXED_MESSAGES, isFailureReason, isToolFailure, peek, peekFirst, type ToolFailure } from './tool-failure.js'

/**
 * Classifies errors of an application. The function returns a reason such as `unavailable`, or a {@link ToolFailure} with a message for the model. If
 * the function returns `undefined` or throws an error, the default classification applies.
 */
export type Classify = (error: unknown) => ToolFailure | PlainReason | undefined

export type PlainReason = Exclude<FailureReason, 'missing_fields' | 'invalid_arguments'>

/**
 * Classifies the errors of one library or protocol. `@toolgen/runtime/errors` has rules for common libraries.
 *
 * @example
 * const pool: ErrorRule = { classify: (error) => (error instanceof PoolTimeout ? { reason: 'unavailable' } : undefined) }
 * new Runtime({ errorRules: [pool] })
 */
export interface ErrorRule {
  /**
   * Returns the meaning of an error, with its failure reason. Returns `undefined` for an error that does not belong to the library. The runtime
   * calls the function for the error, and then for each of its causes.
   */
  readonly classify?: (error: unknown) => ErrorMeaning | undefined
  /**
   * Returns the object that contains the response headers or the wait time. Needed only if the error itself does not contain the headers or the wait
   * time.
   */
  readonly response?: (error: unknown) => unknown
  /** Returns the cause of an error. Needed if errors of the library do not store their cause in the property `cause`. */
  readonly cause?: (error: unknown) => unknown
}

export interface Classifier {
  readonly classify?: Classify | undefined
  readonly errorRules?: readonly ErrorRule[] | undefined
}

export const MAX_CAUSES = 8

/** Models never receive the message of an error that is not a `ToolFailure`. */
export function classify(error: unknown, now: number, classifier: Classifier = {}): Failure {
  if (isToolFailure(error)) return readFailure(error)
  const { errorRules = [] } = classifier
  const own: unknown = withoutErrors(classifier.classify, error)
  const chain = causeChain(error, errorRules)
  const waitOf = (link: unknown): number | undefined =>
    [link, ...errorRules.map((rule) => withoutErrors(rule.response, link))]
      .map((each) => retryAfterMs(each, now))
      .find((wait) => wait !== undefined)
  if (isFailureReason(own) && own !== 'missing_fields' && own !== 'invalid_arguments') {
    const wait = chain.map(waitOf).find((each) => each !== undefined)
    return failureOf(own, meaningOf(error, errorRules), wait)
  }
  const failure = isToolFailure(own) ? own : chain.find(isToolFailure)
  if (failure !== undefined) return readFailure(failure)
  for (const [index, link] of chain.entries()) {
    const vague = meaningOf(link, errorRules)
    if (vague === undefined) continue
    const meaning = (isVague(link, vague) && endOf(chain.slice(index + 1), errorRules)) || vague
    return failureOf(meaning.reason, meaning, waitOf(link))
  }
  return { reason: 'internal', message: FIXED_MESSAGES.internal }
}

function withoutErrors<Result>(read: ((error: unknown) => Result) | undefined, error: unknown): Result | undefined {
  try {
    return read?.(error)
  } catch {
    return undefined
  }
}

function causeChain(error: unknown, rules: readonly ErrorRule[]): readonly unknown[] {
  const chain: unknown[] = []
  let link = error
  while (chain.length < MAX_CAUSES && link !== undefined && link !== null) {
    chain.push(link)
    const hidden = (current: unknown): unknown =>
      rules.map((rule) => withoutErrors(rule.cause, current)).find((cause) => cause !== undefined && cause !== null)
    link = peek(link, 'cause') ?? peek(peek(link, 'errors'), 0) ?? hidden(link)
  }
  return chain
}

function failureOf(reason: PlainReason, meaning: ErrorMeaning | undefined, retryAfter: number | undefined): Failure {
  const message = FIXED_MESSAGES[reason]
  switch (reason) {
    case 'rate_limited':
    case 'unavailable':
    case 'timeout':
      return { reason, message, retryAfterMs: retryAfter, mayHaveRun: meaning?.mayHaveRun }
    case 'domain_rejection':
      return { reason, message, action: meaning?.action }
    default:
      return { reason, message }
  }
}

function meaningOf(error: unknown, rules: readonly ErrorRule[]): ErrorMeaning | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  for (const { classify: read } of rules) {
    const meaning = withoutErrors(read, error)
    if (meaning !== undefined && isFailureReason(peek(meaning, 'reason'))) return meaning
  }
  const own = OWN_MEANINGS.get(error)
  if (own !== undefined) return own
  const status = httpStatus(error)
  const named = ['name', 'constructor.name', 'type']
    .map((path) => BY_NAME.get(peekFirst(error, path)))
    .find((meaning) => meaning !== undefined)
  if (status === undefined) return meaningOfCode(error) ?? named
  const meaning = meaningOfResponse(status, error)
  return isEnd(named) && isVague(error, meaning) ? named : meaning
}

const OWN_MEANINGS = new WeakMap<object, ErrorMeaning>()

/** The meaning applies only if no rule of the runtime matches. */
export function withMeaning(error: unknown, rule: ErrorRule): unknown {
  const meaning = withoutErrors(rule.classify, error)
  if (meaning !== undefined && typeof error === 'object' && error !== null) OWN_MEANINGS.set(error, meaning)
  return error
}

/** The causes of a cancellation, and of an error without a response of the service, may be more precise than the error itself. */
function isVague(error: unknown, { reason, isExact }: ErrorMeaning): boolean {
  if (isExact === true) return false
  return reason === 'cancelled' || (reason === 'unavailable' && peekFirst(error, ...RESPONSE_PATHS) === undefined)
}

const RESPONSE_PATHS = ['response', 'headers', 'responseHeaders']

function endOf(chain: readonly unknown[], rules: readonly ErrorRule[]): ErrorMeaning | undefined {
  const ends = chain.map((link) => meaningOf(link, rules)).filter(isEnd)
  return ends.find(({ reason }) => reason === 'timeout') ?? ends[0]
}

function isEnd(meaning: ErrorMeaning | undefined): meaning is ErrorMeaning {
  return meaning?.reason === 'timeout' || meaning?.reason === 'cancelled'
}
