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
   * Returns the decoded payload with server-owned fields, after all checks. Decodes only once. Rejects if the arguments
   * are invalid: do not catch this error, the runtime turns it into a hint.
   */
  payload(): Promise<unknown>
  /**
   * Reports an update of a streaming tool. Resolves when listeners can receive more. Rejects, and fails the call, if
   * the tool does not stream or the update does not match its schema. Rejects after the call has ended.
   */
  emit(update: unknown): Promise<void>
}

/** Object with the metadata of a call. */
export type MetaSource = Pick<ExecutorRequest, 'meta'>

/** Runs tools. */
export interface ToolExecutor {
  /**
   * Name of the service behind the tools, read when a call ends. It becomes `service` in the provenance of every call,
   * unless `provenanced(...)` sets another name. Default: none.
   *
   * @example
   * const executor: ToolExecutor = { service: 'billing', execute: async (request) => bill(await request.payload()) }
   */
  readonly service?: string | undefined
  /**
   * Tools of the executor by name in the toolset, each with a schema that also validates its payload, if there is one.
   * If set, registering a toolset with other tools fails. Default: not known.
   */
  readonly tools?: Readonly<Record<string, StandardCheck | undefined>>
  /**
   * Executes a call. Returns the plain result or a value of `provenanced(...)`, or a promise of it.
   *
   * For a streaming tool, it can be an async generator: yielded values are updates, the returned value is the result.
   * The generator continues when listeners can receive more. If the call is aborted, it is closed, so `finally` blocks
   * run. Other async iterables work too; their result is a value that the iterator returns, otherwise the array of
   * items.
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
 * Receiver for updates and the end of a callback-based source; see `sinkExecutor`. Only the first of `complete`,
 * `fail`, `close` and the abort of the call has an effect.
 */
export interface UpdateSink {
  /** Aborted with the call. Release the source then. */
  readonly signal: AbortSignal
  /** Reports an update, as {@link ExecutorRequest.emit} does. Rejects after the end. Awaiting it is optional. */
  emit(update: unknown): Promise<void>
  /**
   * Ends the call with a result, plain or from `provenanced(...)`.
   *
   * @returns true unless the call has already ended
   */
  complete(result: unknown): boolean
  /**
   * Ends the call with an error, as if the executor had thrown it.
   *
   * @returns true unless the call has already ended
   */
  fail(error: unknown): boolean
  /** Marks the source as ended. Without an earlier result or error, the call fails as `internal`. */
  close(): void
}

/** Fields that an executor can add to the provenance of a result. */
export type ProvenanceDetail = Pick<Provenance, 'model' | 'service' | 'extra'>
