import type { Approval } from './approval.js'
import type { Decoded, Issue } from './codec.js'
import type { McpAnswer } from './elicitation.js'
import type { JsonText } from './json.js'
import type { PendingAnswer, ToolOutcome } from './outcome.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from './run.js'
import type { AgentToolSpec, Service, ToolCallMeta, ToolCallRef } from './tool.js'

/** Function that wraps a service: receives the next service, and returns a service that can call the next one. */
export type Layer<Request, Response> = (next: Service<Request, Response>) => Service<Request, Response>

/** Service that handles a tool call: turns a {@link ToolRequest} into an outcome. */
export type ToolService<Env = unknown> = Service<ToolRequest<Env>, ToolOutcome>

/**
 * A layer around tool calls. `Env` is the type of `request.env` that the layer requires; calls and runs then require an
 * `env` option of this type. The function is generic in the actual `env`, so that different layers can be combined.
 *
 * The runtime calls this outer function once per tool for each agent or run configuration that contains the layer.
 * Variables inside the outer function are shared by the calls of one tool; variables of a factory function around it
 * are shared by all tools. The returned function calls `next` at most once per attempt; `request.again()` creates
 * another attempt. It must return the outcome of `next`, `request.complete(...)`, `request.fail(...)` or
 * `request.suspend(...)`. If it throws, the call fails with the classified error. If it returns anything else, or calls
 * `next` twice with the same request or after an update, the call fails with the reason `internal`.
 *
 * @example
 * const audit: ToolLayer<HasLogger> = (next) => async (request) => {
 *   request.env.logger.info(`calling ${request.tool.id}`)
 *   return next(request)
 * }
 */
export type ToolLayer<in Env = unknown> = <E extends Env>(next: ToolService<E>) => ToolService<E>

/**
 * A layer around the steps of an agent. A step is one decision of the planner with the calls that it requests. The
 * layer may call `next` several times; the run counts the calls, tokens and outcomes of all attempts.
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

/** Tool call as a layer receives it. The layer passes to `next` this request, or a copy from one of its methods. */
export interface ToolRequest<out Env = unknown> {
  /** Spec of the called tool: its id, names, schemas and annotations. */
  readonly tool: AgentToolSpec
  /** Id of the call, and id of its tool. */
  readonly call: ToolCallRef
  /** Ids of the call, its run and its session, with labels, abort signal, deadline and attempt number. Models cannot set them. */
  readonly meta: ToolCallMeta
  /** The option `env` of the caller. An empty object if untyped code passed no `env`. */
  readonly env: Env
  /** Arguments as sent, before the payload adapter. */
  readonly arguments: JsonText
  /** Time at which the call started, in milliseconds since the Unix epoch. */
  readonly startedAt: number
  /** True after the tool has emitted its first update. `retry` does not repeat such a call. */
  readonly emitted: boolean
  /**
   * Answer to this call if the call was suspended and its run was resumed; otherwise absent. An approval is always
   * `approve`, even if it changes the arguments. An approval covers only the suspended arguments: the property is
   * absent if the arguments of this request differ. If a nested run of the call continues, only the first attempt has
   * an answer. If the call continues after questions of an MCP server, the answer is `approve`.
   */
  readonly answer?: Exclude<PendingAnswer, McpAnswer | Approval> | undefined
  /**
   * Returns the arguments as the payload adapter of the registration has changed them. The adapter runs once per call.
   * Rejects if the adapter fails.
   */
  json(): Promise<JsonText>
  /**
   * Returns the payload after the payload adapter and the codec, without server-owned fields. Copies of a request share
   * the decoded payload. Returns a frozen copy: to change the arguments, use `withArguments`. Rejects if the adapter
   * fails.
   */
  decode(): Promise<Decoded<unknown>>
  /**
   * Reports an update of a streaming tool. Resolves when listeners can receive more. If the tool does not stream or the
   * update does not match its schema, the promise rejects and the call fails. The promise also rejects after the call
   * has ended.
   */
  emit(update: unknown): Promise<void>
  /**
   * Waits. Resolves with true after the whole time, or with false as soon as the call is cancelled. A durable run
   * records waits of at least 10 seconds, so that they survive a crash. After a crash, the call starts again at its
   * outermost layer.
   */
  sleep(milliseconds: number): Promise<boolean>
  /**
   * Returns a copy of the request for another attempt. The copy shares the decoded payload. `provenance.attempts`
   * counts the new attempt.
   */
  again(): ToolRequest<Env>
  /** Returns a copy of the request with other metadata and the same decoded payload. */
  withMeta(meta: ToolCallMeta): ToolRequest<Env>
  /**
   * Returns a copy of the request with other arguments. The payload adapter and the codec process the new arguments. If the call needs an
   * approval, it must be approved again with the new arguments.
   */
  withArguments(json: JsonText): ToolRequest<Env>
  /**
   * Returns a completed outcome with a result, without the executor. The result codec validates the value, and the
   * result adapter may change its JSON. Never rejects: an invalid value makes a failed outcome.
   */
  complete(value: unknown): Promise<ToolOutcome>
  /** Returns a failed outcome. Classifies the error in the same way as errors of the executor. Never rejects. */
  fail(error: unknown): Promise<ToolOutcome>
  /**
   * Returns a failed outcome for invalid arguments with these issues. Its reason is `internal` if the payload adapter
   * caused all of these issues. Never rejects.
   */
  failInvalid(issues: readonly Issue[]): Promise<ToolOutcome>
  /**
   * Returns a suspended outcome: the call needs an approval, or its result comes later. Never rejects. If the suspended call was already
   * answered with a denial, a result or a failure, returns the outcome for this answer instead.
   */
  suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome>
}
