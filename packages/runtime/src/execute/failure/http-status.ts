import { className } from './error-names.js'
import { peek, peekFirst } from './peek.js'
import {
  BROKEN_OFF,
  DENIED,
  INTERNAL,
  RATE_LIMITED,
  REJECTED,
  type Row,
  TIMEOUT,
  UNAVAILABLE,
  type Verdict,
  verdictsOf,
  WRONG_VALUES,
} from './verdict.js'

const STATUS_PATHS = ['status', 'statusCode', 'response.status', 'response.statusCode', '$metadata.httpStatusCode']

const RESPONSE_PATHS = ['response', 'headers', 'responseHeaders', '$response', '$metadata']

/** The errors of the Model Context Protocol's HTTP transports: their `code` is a status. */
const CODE_IS_STATUS: ReadonlySet<unknown> = new Set(['StreamableHTTPError', 'SseError'])

/** What the statuses of HTTP mean; those not listed are told by their first digit. */
export const STATUS_ROWS: readonly Row<number>[] = [
  [WRONG_VALUES, 400, 413, 414, 422],
  [DENIED, 401, 403, 407, 451],
  [INTERNAL, 405, 406, 411, 415, 426, 428, 431, 501, 505],
  [TIMEOUT, 408, 504, 524],
  [UNAVAILABLE, 423, 425, 503],
  [RATE_LIMITED, 429],
]

const BY_STATUS = verdictsOf(STATUS_ROWS)

/** The HTTP status (400 to 599) that an error carries, wherever its library puts it. */
export function httpStatus(error: unknown): number | undefined {
  for (const path of STATUS_PATHS) {
    const status = peekFirst(error, path)
    if (isFailedStatus(status)) return status
  }
  const code = peek(error, 'code')
  return isFailedStatus(code) && CODE_IS_STATUS.has(className(error)) ? code : undefined
}

/** What an HTTP status says of a failed call. */
export function verdictOfStatus(status: number): Verdict {
  return BY_STATUS.get(status) ?? (status >= 500 ? BROKEN_OFF : REJECTED)
}

/** Whether an error carries what a service answered; some libraries put a status 500 where there was no answer. */
export function hasResponse(error: unknown): boolean {
  return peekFirst(error, ...RESPONSE_PATHS) !== undefined
}

function isFailedStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
}
