import type { Decoded, Issue } from './codec.js'
import type { JsonText } from './json.js'
import type { PendingAnswer, ToolOutcome } from './outcome.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from './run.js'
import type { AgentToolSpec, Service, ToolCallMeta, ToolCallRef } from './tool.js'

/** Function that wraps a service: it receives the next service and returns the wrapped one. */
export type Layer<Request, Response> = (next: Service<Request, Response>) => Service<Request, Response>

/** Service that handles a tool call. */
export type ToolService<Env = unknown> = Service<ToolRequest<Env>, ToolOutcome>

/**
 * A layer around tool calls. `Env` is the type that it requires of `request.env`; calls and runs then require an `env`
 * option of this type. The function is generic in the actual `env`, so that different layers can be combined.
 *
 * A layer is applied once per tool for each agent or run configuration that has it. Variables inside the outer function
 * are shared by the calls of one tool; variables of a factory function around it are shared by all tools. It calls
 * `next` at most once per attempt; `request.again()` creates another attempt. It returns the outcome of `next`,
 * `request.complete(...)`, `request.fail(...)` or `request.suspend(...)`. If it throws, the call fails.
 *
 * @example
 * const audit: ToolLayer<HasLogger> = (next) => async (request) => {
 *   request.env.logger.info(`calling ${request.tool.id}`)
 *   return next(request)
 * }
 */
export type ToolLayer<in Env = unknown> = <E extends Env>(next: ToolService<E>) => ToolService<E>

/**
 * A layer around steps of an agent: one decision with the calls that it requests. It may call `next` several times;
 * calls, tokens and outcomes of all attempts count.
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
 * A layer around runs of an agent. It may call `next` again after the first call has ended. Limits, usage, outcomes and
 * step numbers cover all calls of `next`.
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

/** Tool call as layers see it. A layer passes it on, or a copy from one of its methods. */
export interface ToolRequest<out Env = unknown> {
  /** Called tool. */
  readonly tool: AgentToolSpec
  /** Id of the call and of its tool. */
  readonly call: ToolCallRef
  /** Metadata of the call. */
  readonly meta: ToolCallMeta
  /** Env of the caller. An empty object if untyped code passed none. */
  readonly env: Env
  /** Arguments as sent, before the payload adapter. */
  readonly arguments: JsonText
  /** Start of the call, in milliseconds since the epoch. */
  readonly startedAt: number
  /** True after the first update. The call is then not retried. */
  readonly emitted: boolean
  /**
   * Answer to a suspended call in a resumed run; otherwise absent. `approve` is present only with the approved
   * arguments. If a nested run continues, it is present only in the first attempt.
   */
  readonly answer?: PendingAnswer | undefined
  /** Returns the arguments after the payload adapter, which runs once. Rejects if the adapter fails. */
  json(): Promise<JsonText>
  /**
   * Returns the payload after the payload adapter and the codec, without server-owned fields. Decoding happens once for
   * all copies of a request. Returns a frozen copy; `withArguments` changes the arguments. Rejects if the adapter
   * fails.
   */
  decode(): Promise<Decoded<unknown>>
  /**
   * Reports an update of a streaming tool. Resolves when listeners can receive more. Rejects, and fails the call, if
   * the tool does not stream or the update does not match its schema. Rejects after the call has ended.
   */
  emit(update: unknown): Promise<void>
  /** Returns a copy for another attempt, which counts in `provenance.attempts` and shares the decoded payload. */
  again(): ToolRequest<Env>
  /** Returns a copy with other metadata, which shares the decoded payload. */
  withMeta(meta: ToolCallMeta): ToolRequest<Env>
  /** Returns a copy with other arguments, which are adapted and decoded again. They need a new approval. */
  withArguments(json: JsonText): ToolRequest<Env>
  /**
   * Returns a completed outcome with a result, without the executor. The value passes the result codec and the result
   * adapter. Never rejects: an invalid value makes a failed outcome.
   */
  complete(value: unknown): Promise<ToolOutcome>
  /** Returns a failed outcome. Never rejects. Classifies the error like errors of the executor. */
  fail(error: unknown): Promise<ToolOutcome>
  /**
   * Returns a failed outcome for invalid arguments; `internal` if the payload adapter caused the issues. Never rejects.
   */
  failInvalid(issues: readonly Issue[]): Promise<ToolOutcome>
  /**
   * Returns a suspended outcome: the call needs an approval, or its result comes later. Never rejects. If the call was
   * resumed with a denial, a result or a failure, returns the corresponding outcome instead.
   */
  suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome>
}
