import type { AgentRun, RunRequest } from './agent-run.js'
import type { ToolOutcome } from './outcome.js'
import type { Service } from './service.js'
import type { StepRequest, StepResult } from './step.js'
import type { ToolRequest } from './tool-request.js'

/** A wrapper around a service: takes what comes next, gives what is called in its place. */
export type Layer<Request, Response> = (next: Service<Request, Response>) => Service<Request, Response>

/** What answers a tool call. */
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
