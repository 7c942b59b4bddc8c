import type { JsonText, StandardCheck } from './json.js'
import type { Provenance } from './outcome.js'
import type { AgentToolSpec, ToolCallMeta } from './tool.js'

/** Tool call as an executor receives it. */
export interface ExecutorRequest {
  /** Spec of the called tool: its id, names, schemas and annotations. */
  readonly tool: AgentToolSpec
  /** Ids of the call, its run and its session, with labels, abort signal, deadline and attempt number. Models cannot set them. */
  readonly meta: ToolCallMeta
  /** Returns the arguments as JSON text after the payload adapter. */
  json(): Promise<JsonText>
  /**
   * Returns the decoded and checked payload with its server-owned fields. Decodes only once. Rejects if the arguments
   * are invalid. Do not catch this error: the runtime turns it into a hint for the model.
   */
  payload(): Promise<unknown>
  /**
   * Reports an update of a streaming tool. Resolves when the listeners are ready for the next update. If the tool does
   * not stream or the update does not match its schema, rejects and the call fails. Also rejects after the call has
   * ended.
   */
  emit(update: unknown): Promise<void>
}

/** Object from which only the metadata of a call is read, for example an {@link ExecutorRequest}. */
export type MetaSource = Pick<ExecutorRequest, 'meta'>

/** Runs the tools of a toolset. Implement it to run tools in your own way. */
export interface ToolExecutor {
  /**
   * Name of the service that the tools use. The runtime reads the name when a call ends and records it as
   * `provenance.service`, unless `provenanced(...)` sets another name. Default: no name.
   *
   * @example
   * const executor: ToolExecutor = { service: 'billing', execute: async (request) => bill(await request.payload()) }
   */
  readonly service?: string | undefined
  /**
   * Tools that the executor can run: name in the toolset → schema that additionally validates the payload, or `undefined`. If set, the
   * generated registration of a `fromExecutor` toolset rejects a tool that is missing here. Default: no tool is rejected.
   */
  readonly tools?: Readonly<Record<string, StandardCheck | undefined>>
  /**
   * Executes a call. Returns the plain result or a value of `provenanced(...)`, or a promise of one of these.
   *
   * For a streaming tool, the method can be an async generator: yielded values are updates, the returned value is the
   * result. The generator continues when the listeners are ready for the next update. If the call is aborted, the
   * runtime closes the generator, so that its `finally` blocks run. Other async iterables work too. Their result is the
   * array of items, unless the object is itself an iterator (it has `next`) and returns a value.
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
 * Receives the updates and the result of a callback-based source; see `sinkExecutor`. The first call of `complete`,
 * `fail` or `close`, or an abort, ends the tool call; later calls of these methods have no effect.
 */
export interface UpdateSink {
  /** Signal that is aborted when the call is aborted. Release the resources of the source when this happens. */
  readonly signal: AbortSignal
  /** Reports an update, as {@link ExecutorRequest.emit} does. Rejects after the call has ended. You need not await the promise. */
  emit(update: unknown): Promise<void>
  /**
   * Ends the call with a result: a plain result or a value of `provenanced(...)`.
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
  /** Ends the source. If neither `complete` nor `fail` was called before, the call fails with the reason `internal`. */
  close(): void
}

/** Fields that an executor can add to the provenance of a result. */
export type ProvenanceDetail = Pick<Provenance, 'model' | 'service' | 'extra'>
