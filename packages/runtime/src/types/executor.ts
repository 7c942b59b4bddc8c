import type { JsonText, StandardCheck } from './json.js'
import type { Provenance } from './outcome.js'
import type { AgentToolSpec, ToolCallMeta } from './tool.js'

/** Call as an executor receives it. */
export interface ExecutorRequest {
  /** Called tool. */
  readonly tool: AgentToolSpec
  /** Metadata of the call. */
  readonly meta: ToolCallMeta
  /** Returns the arguments as JSON text after the payload adapter. */
  json(): Promise<JsonText>
  /**
   * Returns the decoded payload with server-owned fields, after all checks. Decoding happens once. Rejects if the
   * arguments are invalid; let the error pass, the runtime turns it into a hint.
   */
  payload(): Promise<unknown>
  /**
   * Reports an update of a streaming tool. Resolves when listeners can receive more. Rejects, and fails the call, if
   * the tool does not stream or the update does not match its schema. Rejects after the call has ended.
   */
  emit(update: unknown): Promise<void>
}

/** The meta of a call. */
export type MetaSource = Pick<ExecutorRequest, 'meta'>

/** Runs tools. */
export interface ToolExecutor {
  /**
   * Name of the service behind the tools, read when a call ends. It is the `service` in the provenance of every call, however
   * the call ends, unless `provenanced(...)` gives another name. Default: none.
   *
   * @example
   * const executor: ToolExecutor = { service: 'billing', execute: async (request) => bill(await request.payload()) }
   */
  readonly service?: string | undefined
  /**
   * The tools that it runs, by name within the toolset, each with a schema that also checks its payload if there is one.
   * The registration of a toolset of the design fails for other tools. Default: not known.
   */
  readonly tools?: Readonly<Record<string, StandardCheck | undefined>>
  /**
   * Answers a call, at once or as a promise, with the bare result or with what `provenanced(...)` made of it.
   *
   * A streaming tool may be answered with an async generator: what it yields are updates, what it returns is the result.
   * It goes on when listeners have room for more, and is closed (`finally` blocks run) when the call is aborted. Any
   * other async iterable is read in the same way, and the result is the list of its items; one that is an iterator
   * itself may end with a result of its own.
   *
   * @example
   * async *execute(request) {
   *   for (let done = 1; done <= 3; done += 1) yield { done: await step(done, request.meta.signal) }
   *   return { done: 3 }
   * }
   */
  execute(request: ExecutorRequest): unknown
}

/**
 * Receiver for updates and the end of a callback-based source; see `sinkExecutor`. The first of `complete`, `fail`,
 * `close` and the abort of the call counts.
 */
export interface UpdateSink {
  /** Aborted with the call. Release the source then. */
  readonly signal: AbortSignal
  /** Reports an update, as {@link ExecutorRequest.emit} does. Rejects after the end. You do not have to await it. */
  emit(update: unknown): Promise<void>
  /**
   * Ends the call with a result, plain or from `provenanced(...)`.
   *
   * @returns whether it counts
   */
  complete(result: unknown): boolean
  /**
   * Ends the call with an error, as if the executor had thrown it.
   *
   * @returns whether it counts
   */
  fail(error: unknown): boolean
  /** Ends the source. A call without a result or an error then fails as `internal`. */
  close(): void
}

/** Fields that an executor can add to the provenance of a result. */
export type ProvenanceDetail = Pick<Provenance, 'model' | 'service' | 'extra'>
