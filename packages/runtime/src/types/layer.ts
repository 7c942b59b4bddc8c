import type { Approval } from './approval.js'
import type { Decoded, Issue } from './codec.js'
import type { McpAnswer } from './elicitation.js'
import type { JsonText } from './json.js'
import type { PendingAnswer, ToolOutcome } from './outcome.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from './run.js'
import type { AgentToolSpec, Service, ToolCallMeta, ToolCallRef } from './tool.js'

/**
 * Function that wraps a service, which is an async function from a request to a response. The layer receives the next
 * service, and returns a service that can call the next service.
 */
export type Layer<Request, Response> = (next: Service<Request, Response>) => Service<Request, Response>

/** Service that handles a tool call: receives a {@link ToolRequest} and returns an outcome. */
export type ToolService<Env = unknown> = Service<ToolRequest<Env>, ToolOutcome>

/**
 * A layer around tool calls. `Env` is the type of `request.env` that the layer requires. Calls and runs with this layer
 * must pass an option `env` of this type. The type parameter `E` is the type of the passed `env`, so that layers with
 * different requirements can be combined.
 *
 * The runtime calls the layer function once per tool, for each agent or run configuration (`runConfig()`) that contains the
 * layer. All calls of one tool share the variables of the layer function. If a factory function creates the layer, all tools share
 * the variables of the factory function.
 *
 * The returned service calls `next` at most once per attempt; `request.again()` creates a request for another attempt.
 * The service must return the outcome of `next`, `request.complete(...)`, `request.fail(...)` or
 * `request.suspend(...)`. If the service throws an error, the runtime classifies the error, and the call fails. In
 * these cases, the call fails with the reason `internal`:
 *
 * - The service returns any other value.
 * - The service calls `next` twice with the same request.
 * - The service calls `next` again after the tool has emitted an update.
 *
 * @example
 * const audit: ToolLayer<HasLogger> = (next) => async (request) => {
 *   request.env.logger.info(`calling ${request.tool.id}`)
 *   return next(request)
 * }
 */
export type ToolLayer<in Env = unknown> = <E extends Env>(next: ToolService<E>) => ToolService<E>

/**
 * A layer around the steps of an agent. A step is one decision of the planner, together with the tool calls of this
 * decision. The layer may call `next` several times. The run counts the calls, tokens and outcomes of all attempts.
 *
 * @example
 * const timed: StepLayer = (next) => async (request) => {
 *   const startedAt = Date.now()
 *   const result = await next(request)
 *   console.log(request.turn, Date.now() - startedAt)
 *   return result
 * }
 */
export type StepLayer<in Env = unknown> = <E extends Env>(
  next: Service<StepRequest<E>, StepResult>,
) => Service<StepRequest<E>, StepResult>

/**
 * A layer around runs of an agent. The layer may call `next` again after the first call has ended. Limits, usage,
 * outcomes and step numbers cover all calls of `next`.
 *
 * @example
 * const twice: RunLayer = (next) => async (request) => {
 *   const run = await next(request)
 *   return run.status === 'failed' ? next(request) : run
 * }
 */
export type RunLayer<in Env = unknown> = <E extends Env>(
  next: Service<RunRequest<E>, AgentRun>,
) => Service<RunRequest<E>, AgentRun>

/** Tool call, as a layer receives it. The layer passes to `next` either this request or a copy, for example the result of `withArguments`. */
export interface ToolRequest<out Env = unknown> {
  /** Spec of the called tool: its id, names, schemas and annotations. */
  readonly tool: AgentToolSpec
  /** Id of the call, and id of its tool. */
  readonly call: ToolCallRef
  /** Metadata of the call, for example its ids, labels and abort signal. Models cannot set this metadata. */
  readonly meta: ToolCallMeta
  /** The option `env` of the call or run. An empty object if untyped code passed no `env`. */
  readonly env: Env
  /** Arguments as JSON text, before the registration's option `payloadAdapter` changes them. */
  readonly arguments: JsonText
  /** Time at which the call started, in milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** True after the tool has emitted its first update. The layer `retry` does not repeat a call that has emitted an update. */
  readonly emitted: boolean
  /**
   * Answer that resumed this suspended call. Absent if the call was not suspended. An approval is always the string
   * `approve`, even if the approver changed the arguments. An approval covers only the suspended arguments: if the
   * arguments of this request are different, the property is absent. If a nested run or an MCP server suspended the
   * call, the answer is `approve`. A retry of a call with a nested run has no answer: the retry starts a new run.
   */
  readonly answer?: Exclude<PendingAnswer, McpAnswer | Approval> | undefined
  /**
   * Returns the arguments as JSON text, with the changes of `payloadAdapter`. This function runs only once per call.
   * Rejects if the adapter fails.
   */
  json(): Promise<JsonText>
  /**
   * Applies `payloadAdapter` and the codec, and returns the payload without the fields that only the runtime sets.
   * Copies of a request share the decoded payload. The payload is a frozen copy: to change the arguments, use
   * `withArguments`. Rejects if the adapter fails.
   */
  decode(): Promise<Decoded<unknown>>
  /**
   * Reports an update of a streaming tool. Resolves when the listeners are ready for the next update. If the tool does
   * not stream or the update does not match its schema, the promise rejects and the call fails. The promise also
   * rejects after the end of the call.
   */
  emit(update: unknown): Promise<void>
  /**
   * Waits for a time in milliseconds. Resolves with `true` after the whole time, or with `false` as soon as the call is
   * cancelled. A durable run records waits of at least 10 seconds, so that these waits survive a crash. After a crash,
   * the call starts again at its outermost layer.
   */
  sleep(milliseconds: number): Promise<boolean>
  /**
   * Returns a copy of the request for another attempt. The copy shares the decoded payload. `provenance.attempts`
   * counts the new attempt if the tool runs again.
   */
  again(): ToolRequest<Env>
  /** Returns a copy of the request with other metadata and the same decoded payload. */
  withMeta(meta: ToolCallMeta): ToolRequest<Env>
  /**
   * Returns a copy of the request with other arguments. `payloadAdapter` and the codec process the new arguments. If
   * the call needs an approval, the new arguments need a new approval.
   */
  withArguments(json: JsonText): ToolRequest<Env>
  /**
   * Returns a completed outcome with the result `value`, without running the tool. The result codec validates the
   * value, and `resultAdapter` may change the JSON of the value. Never rejects: for an invalid value, returns a
   * failed outcome.
   */
  complete(value: unknown): Promise<ToolOutcome>
  /** Returns a failed outcome for an error. Classifies this error in the same way as errors of the executor. Never rejects. */
  fail(error: unknown): Promise<ToolOutcome>
  /**
   * Returns a failed outcome that reports invalid arguments with `issues`. The reason of the failure is `internal` if `payloadAdapter` caused all
   * issues. Never rejects.
   */
  failInvalid(issues: readonly Issue[]): Promise<ToolOutcome>
  /**
   * Returns a suspended outcome. `approval`: the call waits for an approval. `external`: the application supplies the
   * result later. If the call was resumed with a denial, a result or a failure, returns the outcome for this answer
   * instead. Never rejects.
   */
  suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome>
}
