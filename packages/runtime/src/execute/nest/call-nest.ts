import type { ToolCallRef } from '../../contract/call.js'
import type { Decoded } from '../../contract/codec.js'
import type { ExecutorRequest } from '../../contract/executor.js'
import type { JsonText, JsonValue } from '../../contract/json.js'
import type { CallDetail } from '../result/provenance-detail.js'
import type { NestedResumption } from './call-resumption.js'
import type { RunAbove } from './run-above.js'

/** What the executor of an agent's tools knows beside what other executors do: how to run something beneath the call. */
export interface CallNest {
  readonly call: ToolCallRef
  /** The arguments as they were sent. */
  readonly arguments: JsonText
  /** What the caller gave: it holds for runs beneath the call too. */
  readonly env: unknown
  readonly above: RunAbove
  /** Present for the attempt that continues a suspended nested run. */
  readonly resumption: NestedResumption | undefined
  /** Gives the facts of the run that serves the call, as of now; they are read when the call ends, also by an abort. */
  describe(detail: () => CallDetail): void
  /** A result as JSON, as the tool declares it. */
  decodeResult(value: JsonValue): Decoded<unknown>
}

/** Under which the runtime's requests have the door to runs beneath their call. */
export const NEST: unique symbol = Symbol('nest')

/** A request of the runtime's own making. */
export interface NestingRequest extends ExecutorRequest {
  readonly [NEST]: { nest(): CallNest }
}

/**
 * The door to runs beneath the call of a request.
 *
 * @throws {TypeError} for a request that no runtime made.
 */
export function nestOf(request: ExecutorRequest): CallNest {
  if (isNesting(request)) return request[NEST].nest()
  throw new TypeError(
    'the executor of an agent takes the request of a runtime: pass on what execute(request) was given',
  )
}

function isNesting(request: ExecutorRequest): request is NestingRequest {
  return NEST in request
}
