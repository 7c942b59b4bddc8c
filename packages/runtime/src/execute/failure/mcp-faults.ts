import { peek } from './peek.js'
import { type Row, type Verdict, verdictsOf } from './verdict.js'

/** The faults of an `McpCallError` that have neither a code nor a status to be told by. */
const FAULT_ROWS: readonly Row<unknown>[] = [
  // However it came that there was no connection: nothing was sent.
  [{ reason: 'unavailable', isExact: true }, 'unreachable'],
  [{ reason: 'malformed_result' }, 'malformed', 'too_large'],
]

const BY_FAULT = verdictsOf(FAULT_ROWS)

/** What the fault of an `McpCallError` says, also of one of another copy of this package. */
export function verdictOfFault(error: unknown): Verdict | undefined {
  return peek(error, 'name') === 'McpCallError' ? BY_FAULT.get(peek(error, 'fault')) : undefined
}
