import { peek } from './peek.js'
import {
  BROKEN_OFF,
  CANCELLED,
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

/** The codes of JSON-RPC 2.0 and of the Model Context Protocol. */
export const JSON_RPC_ROWS: readonly Row<number>[] = [
  [INTERNAL, -32700, -32600, -32601, -32603],
  [WRONG_VALUES, -32602],
  [BROKEN_OFF, -32000],
  [TIMEOUT, -32001],
  [REJECTED, -32002],
  [DENIED, -32042],
  [CANCELLED, -32800],
]

/** The status codes of gRPC, in the order of their numbers from 0. */
export const GRPC_NAMES: readonly string[] = [
  ...['OK', 'CANCELLED', 'UNKNOWN', 'INVALID_ARGUMENT', 'DEADLINE_EXCEEDED', 'NOT_FOUND', 'ALREADY_EXISTS'],
  ...['PERMISSION_DENIED', 'RESOURCE_EXHAUSTED', 'FAILED_PRECONDITION', 'ABORTED', 'OUT_OF_RANGE', 'UNIMPLEMENTED'],
  ...['INTERNAL', 'UNAVAILABLE', 'DATA_LOSS', 'UNAUTHENTICATED'],
]

/** The status codes of gRPC by name. */
export const GRPC_ROWS: readonly Row<string>[] = [
  [WRONG_VALUES, 'INVALID_ARGUMENT', 'OUT_OF_RANGE'],
  [REJECTED, 'NOT_FOUND', 'ALREADY_EXISTS', 'FAILED_PRECONDITION'],
  [DENIED, 'PERMISSION_DENIED', 'UNAUTHENTICATED'],
  [RATE_LIMITED, 'RESOURCE_EXHAUSTED'],
  [BROKEN_OFF, 'UNAVAILABLE'],
  [UNAVAILABLE, 'ABORTED'],
  [TIMEOUT, 'DEADLINE_EXCEEDED'],
  [CANCELLED, 'CANCELLED'],
  [INTERNAL, 'UNKNOWN', 'UNIMPLEMENTED', 'INTERNAL', 'DATA_LOSS'],
]

const BY_JSON_RPC = verdictsOf(JSON_RPC_ROWS)
const BY_GRPC = verdictsOf(GRPC_ROWS)

/** What a numeric `code` says; `undefined` where it is of neither protocol. */
export function verdictOfNumber(error: unknown, code: number): Verdict | undefined {
  if (code < 0) return BY_JSON_RPC.get(code) ?? (isServerCode(code) ? BROKEN_OFF : undefined)
  const name = isGrpc(error) ? GRPC_NAMES[code] : undefined
  return name === undefined ? undefined : BY_GRPC.get(name)
}

/** JSON-RPC leaves -32099 to -32000 to servers. */
function isServerCode(code: number): boolean {
  return Number.isInteger(code) && code >= -32099 && code <= -32000
}

/** Small numbers are everybody's codes: gRPC's come with details as text or with metadata that can be asked. */
function isGrpc(error: unknown): boolean {
  return typeof peek(error, 'details') === 'string' || typeof peek(peek(error, 'metadata'), 'get') === 'function'
}
