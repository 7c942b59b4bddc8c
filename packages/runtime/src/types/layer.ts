import type { Service, ToolCallRef } from './call.js'
import type { Decoded } from './codec.js'
import type { Issue } from './issue.js'
import type { JsonText } from './json.js'
import type { PendingAnswer, ToolOutcome } from './outcome.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from './run.js'
import type { AgentToolSpec, ToolCallMeta } from './tool.js'

/** A wrapper around a service: takes what comes next, gives what is called in its place. */
export type Layer<Request, Response> = (next: Service<Request, Response>) => Service<Request, Response>

/** Service that handles a tool call. */
export type ToolService<Env = unknown> = Service<ToolRequest<Env>, ToolOutcome>

/**
 * A layer around tool calls. `Env` names the capabilities that it takes from the call's `env`; whoever attaches it makes
 * them required where calls and runs begin. It is generic in the env that it really gets, so that layers with different
 * needs can be chained.
 *
 * A layer is applied once for each tool beneath its scope, for each agent or configuration that it is part of; what the
 * outer function holds is shared by the calls of one tool there, what the factory around it holds by all of them. It calls `next` at most once an attempt (`request.again()`
 * makes another), and answers with what `next` answered or with `request.complete(...)`,
 * `request.fail(...)`, `request.suspend(...)`. What it throws becomes a failure of the call, for outer layers too.
 *
 * @example
 * const audit: ToolLayer<HasLogger> = (next) => async (request) => {
 *   request.env.logger.info(`calling ${request.tool.id}`)
 *   return next(request)
 * }
 */
export type ToolLayer<in Env = unknown> = <E extends Env>(next: ToolService<E>) => ToolService<E>

/**
 * A layer around whole steps of an agent: one decision with the calls that it asks for. It may call `next` several times; calls,
 * tokens and outcomes of all attempts count.
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
 * A layer around whole runs of an agent. It may call `next` again when its first call has ended: limits, usage, outcomes and the
 * numbers of steps cover all passes.
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

/** One call on its way to its tool. Layers pass it on, or a copy made by one of its methods. */
export interface ToolRequest<out Env = unknown> {
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  /** The capabilities that the caller gave. An empty object where untyped code gave none. */
  readonly env: Env
  /** The arguments as they were sent, before the payload adapter. */
  readonly arguments: JsonText
  /** When the call began, in milliseconds since the epoch. */
  readonly startedAt: number
  /** Whether an update was emitted. From then on the call is not retried. */
  readonly emitted: boolean
  /**
   * The answer to a call that was suspended, in a resumed run; else absent. `approve` only with the arguments that were
   * approved. Where a nested run continues, `approve` for the first attempt with the arguments that started that run.
   * Whatever layers do, a call that was denied, or whose result came from elsewhere, never reaches its tool.
   */
  readonly answer?: PendingAnswer | undefined
  /** The arguments after the payload adapter, which runs once however many ask. Rejects when the adapter fails. */
  json(): Promise<JsonText>
  /**
   * Payload adapter and codec. The first to ask causes the one decode; all copies of a request share it. Server-owned
   * fields are not in it yet. Resolves to a frozen copy: to assign to it throws, and `withArguments` changes what the tool
   * runs with. Rejects when the adapter fails.
   */
  decode(): Promise<Decoded<unknown>>
  /**
   * Reports an update of a streaming tool. Resolves when listeners have room for more; rejects, and fails the call,
   * when the tool does not stream or the update breaks its schema, and after the call has ended.
   */
  emit(update: unknown): Promise<void>
  /** A copy for another attempt, which counts in `provenance.attempts` and shares the decode. */
  again(): ToolRequest<Env>
  /** A copy with other meta, which shares the decode. */
  withMeta(meta: ToolCallMeta): ToolRequest<Env>
  /** A copy with other arguments, which are adapted and decoded again. No earlier approval covers them. */
  withArguments(json: JsonText): ToolRequest<Env>
  /**
   * A completed outcome with a result that the executor was not asked for: through the result codec and the result
   * adapter. Never rejects: a value that breaks the declared result makes a failed outcome.
   */
  complete(value: unknown): Promise<ToolOutcome>
  /**
   * A failed outcome. Never rejects. The error is classified as if the executor had thrown it: a `ToolFailure` speaks
   * for itself.
   */
  fail(error: unknown): Promise<ToolOutcome>
  /**
   * A failed outcome for arguments with these issues. Never rejects. Where the payload adapter is to blame, the model is
   * not.
   */
  failInvalid(issues: readonly Issue[]): Promise<ToolOutcome>
  /**
   * A suspended outcome: somebody will approve, or the result will come from elsewhere. Never rejects. Of a call that was
   * resumed with a denial, a result or a failure the outcome that follows from that.
   */
  suspend(kind: 'approval' | 'external', prompt?: string): Promise<ToolOutcome>
}
