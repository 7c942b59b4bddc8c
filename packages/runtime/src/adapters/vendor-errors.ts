import type { ErrorRule } from '../call/classify.js'
import {
  BROKEN_OFF,
  CANCELLED,
  DENIED,
  type ErrorMeaning,
  httpStatus,
  INTERNAL,
  isFailedStatus,
  meaningOfCode,
  meaningOfResponse,
  meaningsOf,
  RATE_LIMITED,
  REJECTED,
  type Row,
  TIMEOUT,
  UNAVAILABLE,
  WRONG_VALUES,
} from '../call/error-meanings.js'
import { peek, peekFirst } from '../call/tool-failure.js'
import { parseJson } from '../schema/parse-json.js'

/**
 * Rules that classify the errors of common libraries. The comment of each property lists failure reasons, the recommended actions in
 * parentheses, and then the errors with this reason and action. `wait`/`replan` means `wait` for `readOnly` or `idempotent` tools, and `replan`
 * for all other tools.
 */
export interface VendorRules {
  /**
   * Classifies errors of the Vercel AI SDK. `AI_LoadAPIKeyError` is `denied`. An `AI_APICallError` without an HTTP status is `unavailable` if
   * its property `isRetryable` is `true`.
   */
  readonly aiSdk: ErrorRule
  /**
   * Classifies exceptions of the AWS SDK, that is, errors with `$metadata`, by their `name`. The name takes precedence over the HTTP status. Errors
   * with `$retryable.throttling` are `rate_limited`. The names listed for `rate_limited` also apply to errors without `$metadata`. Failure reasons,
   * with the action in parentheses, and the names: `rate_limited` (`wait`): `ThrottlingException`, `Throttling`, `TooManyRequestsException`,
   * `SlowDown`, `ProvisionedThroughputExceededException`, `RequestLimitExceeded`, `LimitExceededException`. `denied` (`replan`):
   * `AccessDeniedException`, `UnrecognizedClientException`, `ExpiredTokenException`, `ExpiredToken`, `InvalidSignatureException`,
   * `MissingAuthenticationTokenException`, `IncompleteSignatureException`. `domain_rejection` (`replan`): `ResourceNotFoundException`,
   * `ResourceInUseException`, `ConditionalCheckFailedException`, `TransactionCanceledException`. `unavailable` (`wait`):
   * `TransactionConflictException`, `TransactionInProgressException`. `timeout` (`wait`/`replan`): `RequestTimeout`, `RequestTimeoutException`.
   */
  readonly aws: ErrorRule
  /**
   * Classifies errors of axios without an HTTP status by their `code`. Failure reasons, with the action in parentheses, and the codes:
   * `unavailable` (`wait`/`replan`): `ERR_NETWORK`, `ERR_BAD_RESPONSE`. `timeout` (`wait`/`replan`): `ECONNABORTED`. `cancelled` (`finish`):
   * `ERR_CANCELED`. Exceptions: if the error has the property `syscall`, `ECONNABORTED` is `unavailable`. If the `name` of the error is
   * `SyntaxError`, `ERR_BAD_RESPONSE` is `internal`.
   */
  readonly axios: ErrorRule
  /**
   * Classifies errors of cockatiel by properties with the value `true`, because bundlers can rename classes. Failure reasons, with the action in
   * parentheses, and the properties: `unavailable` (`wait`): `isBrokenCircuitError`, `isBulkheadRejectedError`. `timeout` (`wait`/`replan`):
   * `isTaskCancelledError`.
   */
  readonly cockatiel: ErrorRule
  /**
   * Classifies errors of `@google/genai`: an `ApiError` for an invalid API key is `denied`. The rule also reads the wait time before a retry
   * from the message of the error.
   */
  readonly gemini: ErrorRule
  /**
   * Classifies errors of `@grpc/grpc-js`, nice-grpc and Connect by their numeric `code`. Failure reasons, with the action in parentheses, and
   * the codes: `domain_rejection` (`correct_call`): `INVALID_ARGUMENT` (3), `OUT_OF_RANGE` (11). `domain_rejection` (`replan`): `NOT_FOUND` (5),
   * `ALREADY_EXISTS` (6), `FAILED_PRECONDITION` (9). `denied` (`replan`): `PERMISSION_DENIED` (7), `UNAUTHENTICATED` (16). `rate_limited`
   * (`wait`): `RESOURCE_EXHAUSTED` (8). `unavailable` (`wait`/`replan`): `UNAVAILABLE` (14). `unavailable` (`wait`): `ABORTED` (10). `timeout`
   * (`wait`/`replan`): `DEADLINE_EXCEEDED` (4). `cancelled` (`finish`): `CANCELLED` (1). `internal` (`replan`): `UNKNOWN` (2), `UNIMPLEMENTED`
   * (12), `INTERNAL` (13), `DATA_LOSS` (15).
   */
  readonly grpc: ErrorRule
  /**
   * Classifies errors of the MCP SDK (version 1 and 2) and of its HTTP transports. `UnauthorizedError` is `denied`. The `code` of
   * `StreamableHTTPError` and `SseError` is an HTTP status. For an `SdkError`, the `code` determines the reason: `REQUEST_TIMEOUT` is `timeout`;
   * `CONNECTION_CLOSED`, `NOT_CONNECTED` and `SEND_FAILED` are `unavailable`. JSON-RPC errors do not need a rule.
   */
  readonly mcpSdk: ErrorRule
  /**
   * Classifies errors of the OpenAI SDK by their `name` or class. The rule also applies to other SDKs whose error classes have these names.
   * Failure reasons, with the action in parentheses, and the names: `timeout` (`wait`/`replan`): `APIConnectionTimeoutError`. `cancelled`
   * (`finish`): `APIUserAbortError`. `unavailable` (`wait`/`replan`): `APIConnectionError`. An error with the status 429 and the code
   * `insufficient_quota` is `denied`, because waiting does not help.
   */
  readonly openAi: ErrorRule
  /**
   * Classifies errors of the Slack SDK without an HTTP status by their `code`. Failure reasons, with the action in parentheses, and the codes:
   * `unavailable` (`wait`/`replan`): `slack_webapi_request_error`. `rate_limited` (`wait`): `slack_webapi_rate_limited_error`.
   */
  readonly slack: ErrorRule
  /**
   * Classifies errors of PostgreSQL clients (pg, PGlite, postgres.js and others) and of PostgREST by their SQLSTATE, a `code` of five
   * characters. The first two characters are the class of the code. An entry for a complete code takes precedence over an entry for its class.
   * Failure reasons, with the action in parentheses, and the codes: `domain_rejection` (`correct_call`): class `22`. `domain_rejection`
   * (`replan`): class `23`, class `44`, `P0001`, `P0002`. `denied` (`replan`): class `28`, `42501`. `unavailable` (`wait`): class `40`, class
   * `53`, `55006`, `55P03`. `unavailable` (`wait`/`replan`): class `08`, class `57`, class `58`. `timeout` (`wait`/`replan`): `25P03`, `25P04`,
   * `57014`, `57P05`. `internal` (`replan`): class `0A`, class `25`, class `42`, class `54`, class `XX`. Timeout errors of the library pg itself
   * have no code, so their default reason is `internal`. To change this reason, use the option `classify` of the runtime.
   */
  readonly sqlState: ErrorRule
  /**
   * Classifies errors of the Stripe SDK. `StripeConnectionError` is `unavailable`. The rule reads the cause of such an error from its property
   * `detail`.
   */
  readonly stripe: ErrorRule
  /** Reads the wait time before a retry from the property `parameters.retry_after` of errors of the Telegram API. */
  readonly telegram: ErrorRule
  /**
   * Classifies errors of undici and similar HTTP clients without a `code` by their `name` or class. Failure reasons, with the action in
   * parentheses, and the names: `timeout` (`wait`/`replan`): `ConnectTimeoutError`, `HeadersTimeoutError`, `BodyTimeoutError`. `cancelled`
   * (`finish`): `CanceledError`, `RequestAbortedError`.
   */
  readonly undici: ErrorRule
}

type ErrorTable = 'awsLimits' | Exclude<keyof VendorRules, 'aiSdk' | 'gemini' | 'mcpSdk' | 'stripe' | 'telegram'>

/** The comments of {@link VendorRules} list the same codes and names. */
export const errorTables: Readonly<Record<ErrorTable, readonly Row<string>[]>> = {
  /** These names take precedence over the HTTP status of the error. */
  awsLimits: [
    [RATE_LIMITED, 'ThrottlingException', 'Throttling', 'TooManyRequestsException', 'SlowDown'],
    [RATE_LIMITED, 'ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'LimitExceededException'],
  ],
  /** Most of these exceptions have the HTTP status 400, so only the name distinguishes them. */
  aws: [
    [DENIED, 'AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException', 'ExpiredToken'],
    [DENIED, 'InvalidSignatureException', 'MissingAuthenticationTokenException', 'IncompleteSignatureException'],
    [REJECTED, 'ResourceNotFoundException', 'ResourceInUseException', 'ConditionalCheckFailedException'],
    [REJECTED, 'TransactionCanceledException'],
    [UNAVAILABLE, 'TransactionConflictException', 'TransactionInProgressException'],
    [TIMEOUT, 'RequestTimeout', 'RequestTimeoutException'],
  ],
  axios: [
    [BROKEN_OFF, 'ERR_NETWORK', 'ERR_BAD_RESPONSE'],
    [TIMEOUT, 'ECONNABORTED'],
    [CANCELLED, 'ERR_CANCELED'],
  ],
  cockatiel: [
    [UNAVAILABLE, 'isBrokenCircuitError', 'isBulkheadRejectedError'],
    [TIMEOUT, 'isTaskCancelledError'],
  ],
  grpc: [
    [WRONG_VALUES, 'INVALID_ARGUMENT', 'OUT_OF_RANGE'],
    [REJECTED, 'NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
    [DENIED, 'PERMISSION_DENIED', 'UNAUTHENTICATED'],
    [RATE_LIMITED, 'RESOURCE_EXHAUSTED'],
    [BROKEN_OFF, 'UNAVAILABLE'],
    [UNAVAILABLE, 'ABORTED'],
    [TIMEOUT, 'DEADLINE_EXCEEDED'],
    [CANCELLED, 'CANCELLED'],
    [INTERNAL, 'UNKNOWN', 'UNIMPLEMENTED', 'INTERNAL', 'DATA_LOSS'],
  ],
  openAi: [
    [TIMEOUT, 'APIConnectionTimeoutError'],
    [CANCELLED, 'APIUserAbortError'],
    [BROKEN_OFF, 'APIConnectionError'],
  ],
  slack: [
    [BROKEN_OFF, 'slack_webapi_request_error'],
    [RATE_LIMITED, 'slack_webapi_rate_limited_error'],
  ],
  /** SQLSTATE codes: whole codes (five characters) or classes (their first two characters). */
  sqlState: [
    [WRONG_VALUES, '22'],
    [REJECTED, '23', '44', 'P0001', 'P0002'],
    [DENIED, '28', '42501'],
    [UNAVAILABLE, '40', '53', '55006', '55P03'],
    [BROKEN_OFF, '08', '57', '58'],
    [TIMEOUT, '25P03', '25P04', '57014', '57P05'],
    [INTERNAL, '0A', '25', '42', '54', 'XX'],
  ],
  undici: [
    [TIMEOUT, 'ConnectTimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError'],
    [CANCELLED, 'CanceledError', 'RequestAbortedError'],
  ],
}

const nameOf = (error: unknown): unknown => peek(error, 'name')
const classOf = (error: unknown): unknown => peekFirst(error, 'constructor.name')
const typeOf = (error: unknown): unknown => peek(error, 'type')
const codeOf = (error: unknown): unknown => peek(error, 'code')

type Reader = (error: unknown) => ErrorMeaning | undefined

/** The reader skips errors with an HTTP status, because the status says more than a code or name. */
function byFact(rows: readonly Row<string>[], ...facts: readonly ((error: unknown) => unknown)[]): Reader {
  const meanings = meaningsOf(rows)
  return (error) => {
    if (httpStatus(error) !== undefined) return undefined
    return facts.map((fact) => meanings.get(fact(error))).find((meaning) => meaning !== undefined)
  }
}

/** The reader skips errors with a network code such as `ECONNRESET`, because the code says more than the name. */
function byName(rows: readonly Row<string>[]): Reader {
  const read = byFact(rows, nameOf, classOf, typeOf)
  return (error) => (meaningOfCode(error) === undefined ? read(error) : undefined)
}

function isNamed(error: unknown, name: string): boolean {
  return nameOf(error) === name || classOf(error) === name || typeOf(error) === name
}

const awsLimits = meaningsOf(errorTables.awsLimits)
const awsExceptions = meaningsOf(errorTables.aws)
const axiosCodes = byFact(errorTables.axios, codeOf)
const cockatielFlags = [...meaningsOf(errorTables.cockatiel)]
/** Values of `code` in errors that the MCP SDK itself creates. */
const mcpSdkCodes = meaningsOf([
  [TIMEOUT, 'REQUEST_TIMEOUT'],
  [BROKEN_OFF, 'CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED'],
])
const openAiNames = byName(errorTables.openAi)
const sqlStates = meaningsOf(errorTables.sqlState)

/** The array index is the numeric code. */
export const grpcNames: readonly string[] = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
]

/**
 * The rule `sqlState` accepts these codes in every error without an HTTP status. For other SQLSTATE codes, the error must also have properties of a
 * database error, because the `code` of an unrelated error can look like a SQLSTATE.
 */
const COMMON_SQL_STATES: ReadonlySet<string> = new Set([
  ...['08000', '08001', '08003', '08004', '08006', '08P01', '22001', '22003', '22007', '22008', '22012', '22023'],
  ...['22P02', '22P05', '23000', '23502', '23503', '23505', '23514', '23P01', '28000', '28P01', '40001', '40P01'],
  ...['42501', '42601', '42703', '42P01', '53100', '53200', '53300', '55P03', '57014', '57P01', '57P02', '57P03'],
  'P0001',
])

/**
 * Library → rule that classifies the errors of this library. Pass some of the rules to the runtime as `errorRules`.
 *
 * @example
 * const runtime = new Runtime({ errorRules: [vendorRules.axios, vendorRules.stripe] })
 */
export const vendorRules: VendorRules = Object.freeze<VendorRules>({
  aiSdk: {
    classify: (error) => {
      if (httpStatus(error) !== undefined) return undefined
      if (isNamed(error, 'AI_LoadAPIKeyError')) return DENIED
      return isNamed(error, 'AI_APICallError') && peek(error, 'isRetryable') === true ? BROKEN_OFF : undefined
    },
  },
  aws: {
    classify: (error) => {
      const limit = [nameOf, classOf, typeOf].map((read) => awsLimits.get(read(error))).find((found) => found)
      if (limit !== undefined) return limit
      const status = httpStatus(error) ?? peekFirst(error, '$metadata.httpStatusCode')
      if (!isFailedStatus(status)) return undefined
      if (peekFirst(error, '$retryable.throttling') === true) return RATE_LIMITED
      if (peek(error, '$metadata') === undefined) return undefined
      const meaning = awsExceptions.get(nameOf(error)) ?? meaningOfResponse(status, error, peek(error, '$response'))
      return { ...meaning, isExact: true }
    },
    response: (error) => peek(error, '$response'),
  },
  axios: {
    classify: (error) => {
      // For a system call, ECONNABORTED means a lost connection; for axios, a timeout.
      if (codeOf(error) === 'ECONNABORTED' && typeof peek(error, 'syscall') === 'string') return undefined
      // A complete response that cannot be parsed has the name of the parser's error.
      const meaning = axiosCodes(error)
      return meaning !== undefined && nameOf(error) === 'SyntaxError' ? INTERNAL : meaning
    },
  },
  cockatiel: {
    classify: (error) => {
      if (httpStatus(error) !== undefined || meaningOfCode(error) !== undefined) return undefined
      return cockatielFlags.find(([flag]) => peek(error, String(flag)) === true)?.[1]
    },
  },
  gemini: {
    classify: (error) => {
      const isKey = geminiDetails(error).some((detail) => peek(detail, 'reason') === 'API_KEY_INVALID')
      return isKey ? DENIED : undefined
    },
    response: (error) => {
      const delays = geminiDetails(error).map((detail) => /^([\d.]+)s$/.exec(String(peek(detail, 'retryDelay')))?.[1])
      const retryAfter = delays.find((delay) => delay !== undefined)
      return retryAfter === undefined ? undefined : { retryAfter }
    },
  },
  grpc: {
    classify: byFact(errorTables.grpc, (error) => {
      // Many libraries use small numbers as codes. An error is from gRPC only if it also has `details` or `metadata`.
      const isGrpc =
        typeof peek(error, 'details') === 'string' || typeof peekFirst(error, 'metadata.get') === 'function'
      const code = codeOf(error)
      return isGrpc && typeof code === 'number' ? grpcNames[code] : undefined
    }),
  },
  mcpSdk: {
    classify: (error) => {
      if (httpStatus(error) !== undefined) return undefined
      const code = codeOf(error)
      if (isNamed(error, 'SdkError')) return mcpSdkCodes.get(code)
      const isTransport = classOf(error) === 'StreamableHTTPError' || classOf(error) === 'SseError'
      if (isTransport && isFailedStatus(code)) return meaningOfResponse(code, error)
      return isNamed(error, 'UnauthorizedError') ? DENIED : undefined
    },
  },
  openAi: {
    // Waiting does not help if the quota is used up.
    classify: (error) =>
      httpStatus(error) === 429 && codeOf(error) === 'insufficient_quota' ? DENIED : openAiNames(error),
  },
  slack: { classify: byFact(errorTables.slack, codeOf) },
  sqlState: {
    classify: (error) => {
      const code = codeOf(error)
      // A SQLSTATE contains a digit. System error codes of five letters, such as `EPIPE`, do not.
      if (typeof code !== 'string' || !/^(?=.*\d)[0-9A-Z]{5}$/.test(code) || httpStatus(error) !== undefined) {
        return undefined
      }
      // Other code uses codes of five characters too. PostgreSQL adds a severity, PostgREST details and a hint.
      const isOfDatabase =
        typeof peek(error, 'severity') === 'string' ||
        (peek(error, 'hint') !== undefined && peek(error, 'details') !== undefined)
      if (!isOfDatabase && !COMMON_SQL_STATES.has(code)) return undefined
      return sqlStates.get(code) ?? sqlStates.get(code.slice(0, 2))
    },
  },
  stripe: {
    classify: (error) =>
      isNamed(error, 'StripeConnectionError') && httpStatus(error) === undefined ? BROKEN_OFF : undefined,
    // In all other errors of Stripe, `detail` does not contain the cause.
    cause: (error) => (typeOf(error) === 'StripeConnectionError' ? peek(error, 'detail') : undefined),
  },
  telegram: { response: (error) => peek(error, 'parameters') },
  undici: { classify: byName(errorTables.undici) },
})

function geminiDetails(error: unknown): readonly unknown[] {
  const message = nameOf(error) === 'ApiError' ? peek(error, 'message') : undefined
  if (typeof message !== 'string' || !message.includes('{')) return []
  const { value } = { value: undefined, ...parseJson(message.slice(message.indexOf('{'))) }
  const details = peekFirst(value, 'error.details')
  return Array.isArray(details) ? details : []
}

/**
 * All rules in {@link vendorRules} as an array, for the option `errorRules` of the runtime.
 *
 * @example
 * const runtime = new Runtime({ errorRules: vendorErrors })
 */
export const vendorErrors: readonly ErrorRule[] = Object.freeze(Object.values<ErrorRule>({ ...vendorRules }))
