import { peek } from './peek.js'
import {
  BROKEN_OFF,
  CANCELLED,
  DENIED,
  RATE_LIMITED,
  REJECTED,
  type Row,
  TIMEOUT,
  UNAVAILABLE,
  type Verdict,
  verdictsOf,
} from './verdict.js'

/** Names of errors: as `name`, as the name of the class, or as the `type` that Stripe gives. */
export const NAME_ROWS: readonly Row<string>[] = [
  [TIMEOUT, 'TimeoutError', 'ConnectTimeoutError', 'HeadersTimeoutError', 'BodyTimeoutError'],
  [TIMEOUT, 'APIConnectionTimeoutError'],
  [CANCELLED, 'AbortError', 'APIUserAbortError', 'CanceledError', 'RequestAbortedError'],
  [BROKEN_OFF, 'APIConnectionError', 'StripeConnectionError'],
  [DENIED, 'UnauthorizedError'],
  [RATE_LIMITED, 'ThrottlingException', 'Throttling', 'TooManyRequestsException', 'SlowDown'],
  [RATE_LIMITED, 'ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'LimitExceededException'],
]

/** What AWS answers with a status that says too little, mostly 400. Read only of errors with `$metadata`. */
export const AWS_ROWS: readonly Row<string>[] = [
  [DENIED, 'AccessDeniedException', 'UnrecognizedClientException', 'ExpiredTokenException', 'ExpiredToken'],
  [DENIED, 'InvalidSignatureException', 'MissingAuthenticationTokenException', 'IncompleteSignatureException'],
  [REJECTED, 'ResourceNotFoundException', 'ResourceInUseException', 'ConditionalCheckFailedException'],
  [REJECTED, 'TransactionCanceledException'],
  [UNAVAILABLE, 'TransactionConflictException', 'TransactionInProgressException'],
  [TIMEOUT, 'RequestTimeout', 'RequestTimeoutException'],
]

/** Properties that are `true` on the errors of cockatiel, whose classes have no other name than that of their code. */
export const FLAG_ROWS: readonly Row<string>[] = [
  [UNAVAILABLE, 'isBrokenCircuitError', 'isBulkheadRejectedError'],
  [TIMEOUT, 'isTaskCancelledError'],
]

const BY_NAME = verdictsOf(NAME_ROWS)
const BY_AWS_NAME = verdictsOf(AWS_ROWS)
const BY_FLAG = [...verdictsOf(FLAG_ROWS)]

/** What the name of an error, or of its class, says; `undefined` where it says nothing. */
export function verdictOfName(error: unknown): Verdict | undefined {
  const names = [peek(error, 'name'), className(error), peek(error, 'type')]
  return names.map((name) => lookUp(BY_NAME, name)).find((verdict) => verdict !== undefined) ?? verdictOfFlag(error)
}

/** What the name of an exception that AWS answered says; `undefined` for all other errors. */
export function verdictOfAwsName(error: unknown): Verdict | undefined {
  return peek(error, '$metadata') === undefined ? undefined : lookUp(BY_AWS_NAME, peek(error, 'name'))
}

/** The name of the class of an error. */
export function className(error: unknown): unknown {
  return peek(peek(error, 'constructor'), 'name')
}

function verdictOfFlag(error: unknown): Verdict | undefined {
  return BY_FLAG.find(([flag]) => peek(error, flag) === true)?.[1]
}

function lookUp(table: ReadonlyMap<string, Verdict>, name: unknown): Verdict | undefined {
  return typeof name === 'string' ? table.get(name) : undefined
}
