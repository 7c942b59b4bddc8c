import type { JsonText, StandardCheck } from './json.js'
import type { Provenance } from './outcome.js'
import type { AgentToolSpec, ToolCallMeta } from './tool.js'

/** Tool call, as the executor of a toolset receives it. */
export interface ExecutorRequest {
  /** Spec of the called tool: its id, names, schemas and annotations. */
  readonly tool: AgentToolSpec
  /** Metadata of the call, for example its ids, labels and abort signal. Models cannot set this metadata. */
  readonly meta: ToolCallMeta
  /** Returns the arguments as JSON text, with the changes of the registration's option `payloadAdapter`. */
  json(): Promise<JsonText>
  /**
   * Returns the decoded and validated payload, including the fields that only the runtime sets. Decodes the arguments
   * only once. Rejects if the arguments are invalid. Do not catch this error: the runtime converts the error to a
   * message for the model.
   */
  payload(): Promise<unknown>
  /**
   * Reports an update of a streaming tool. Resolves when the listeners are ready for the next update. If the tool does
   * not stream or the update is invalid, the promise rejects and the call fails. The promise also rejects after the end
   * of the call.
   */
  emit(update: unknown): Promise<void>
}

/** Object with the metadata of a call (`meta`), for example an {@link ExecutorRequest}. */
export type MetaSource = Pick<ExecutorRequest, 'meta'>

/** Runs the tools of a toolset. Implement this interface to run tools with your own code. */
export interface ToolExecutor {
  /**
   * Name of the service that the tools use. When a call ends, the runtime copies this name to `provenance.service` of
   * the result. A name that `provenanced(...)` sets takes precedence. Default: no name.
   *
   * @example
   * const executor: ToolExecutor = { service: 'billing', execute: async (request) => bill(await request.payload()) }
   */
  readonly service?: string | undefined
  /**
   * Tools that the executor can run, by their name in the toolset. Each value is a schema that validates the payload after the tool's own schema, or
   * `undefined` for no second schema. The registration of a `fromExecutor` toolset rejects a tool that is missing in `tools`. Default: the
   * registration accepts all tools.
   */
  readonly tools?: Readonly<Record<string, StandardCheck | undefined>>
  /**
   * Executes a call. Returns the result or a value of `provenanced(...)`, directly or as a promise.
   *
   * For a streaming tool, the method can be an async generator: yielded values are updates, and the returned value is
   * the result. The generator continues when the listeners are ready for the next update. If the call is aborted, the
   * runtime closes the generator, so that its `finally` blocks run.
   *
   * The method can also return an async iterable that is not a generator. In this case, the result is the array of all items. If the iterable is
   * itself an iterator (an object with the method `next`) and returns a value, the result is this value.
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
 * Receives the updates and the result of a tool that works with callbacks; see `sinkExecutor`. Each of the methods
 * `complete`, `fail` and `close` ends the tool call. An abort also ends the tool call. After the end of the tool call,
 * these methods have no effect.
 */
export interface UpdateSink {
  /** Signal of the call. When the signal is aborted, release the resources of the tool, for example subscriptions. */
  readonly signal: AbortSignal
  /** Reports an update in the same way as {@link ExecutorRequest.emit}. Rejects after the end of the call. You need not await the promise. */
  emit(update: unknown): Promise<void>
  /**
   * Ends the call with a result or a value of `provenanced(...)`.
   *
   * @returns `false` if the call had ended before, `true` in all other cases
   */
  complete(result: unknown): boolean
  /**
   * Ends the call with an error, as if the executor had thrown this error.
   *
   * @returns `false` if the call had ended before, `true` in all other cases
   */
  fail(error: unknown): boolean
  /** Ends the tool call. If the tool has used neither `complete` nor `fail` before, the tool call fails with the reason `internal`. */
  close(): void
}

/** Fields that an executor can add to the provenance (the recorded origin and cost) of a result. */
export type ProvenanceDetail = Pick<Provenance, 'model' | 'service' | 'extra'>
