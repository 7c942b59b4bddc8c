import { AbortListeners } from '../call/call-group.js'
import { joinPolicies } from '../call/run-config.js'
import { systemEffects, TimeSlice, untilAborted } from '../call/timers.js'
import { GRACE_MS } from '../call/tool-call.js'
import { isConversation } from '../chat/messages.js'
import { shallowCopy } from '../schema/json-values.js'
import type { Effects } from '../types/call-options.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { LimitReason, StopSignal, ToolOutcome } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type {
  AgentRun,
  EventSink,
  RunPolicy,
  RunRequest,
  RunState,
  StepRequest,
  StepResult,
  StopCondition,
} from '../types/run.js'
import type { AgentToolSpec, Service } from '../types/tool.js'
import { Run } from './run.js'
import { endedRun } from './run-result.js'
import { RunSignal } from './run-signal.js'
import type { DoneStep } from './step-attempts.js'
import { initialState } from './step-attempts.js'

export interface LoopOptions {
  /** Name of the agent in events and in the run. In a registered agent, the agent's own name replaces this name. Default: `agent`. */
  readonly agent?: string
  /** Tools that each step receives as `request.tools`. Default: the tools of the registered agent; without a registered agent, no tools. */
  readonly tools?: readonly AgentToolSpec[]
  /** Limits in addition to `policy` of the request. If `policy` of the request sets the same limit, the smaller number applies. Default: none. */
  readonly policy?: RunPolicy
  /** Conditions that end the run, in addition to the policy and the guards of the agent. Default: none. */
  readonly guards?: readonly StopCondition[]
  /** Function that receives each event of the run. In a registered agent, the event sinks of the agent replace this function. Default: none. */
  readonly onEvent?: EventSink
}

export type LoopRequest<Env = unknown> = Pick<RunRequest<Env>, 'messages'> &
  Partial<Omit<RunRequest<Env>, 'messages' | 'meta' | 'env'>> & {
    /** Metadata of the run. Defaults: a new run id, the `agent` option of the loop, no labels, and a signal that is never aborted. */
    readonly meta?: Partial<RunMeta>
  } & (unknown extends Env ? { readonly env?: Env } : { readonly env: Env })

const RUN: unique symbol = Symbol('run')

/** If a layer copies the request with a spread, the copy also contains the property with the symbol key. */
export function inRun<Request extends RunRequest<any>>(request: Request, run: Run): Request {
  return runOf(request) === run ? request : Object.assign(shallowCopy(request), { [RUN]: run })
}

function runOf(request: LoopRequest<any> & { readonly [RUN]?: Run }): Run | undefined {
  return request[RUN]
}

/**
 * Creates an agent loop that calls your own `step` function. The loop runs steps until a step returns `done`, or until a limit or a guard
 * applies. Run layers can wrap the returned function. If a step throws, the returned function does not reject: the run fails. The function
 * rejects only for an invalid request.
 *
 * If you call the returned function yourself, the function creates a new run. You can also add the loop to an agent as a run layer:
 * `.runLayer(() => agentLoop(step))`. This layer replaces the loop of the agent's runs. The limits and the session of a run then apply to the new
 * loop, and the `RunHandle` emits the loop's events and messages. If another run layer calls the loop several times, limits and usage include all
 * executions of the loop.
 *
 * @param step runs one step: appends its messages to the messages of the request, and returns `next` or `done` with its usage
 * @throws {TypeError} if `step` is not a function, or if a limit of the policy is not a number.
 *
 * @example
 * const step: Service<StepRequest, StepResult> = async ({ messages }) => {
 *   const { message, usage } = await complete(messages)
 *   const base = { messages: [...messages, message], outcomes: [], refused: 0, usage: { ...usage, toolCalls: 0 } }
 *   return { ...base, kind: 'done', stop: { reason: 'answered' }, result: { text: message.content } }
 * }
 * const loop = agentLoop(step, { policy: { maxTurns: 10 } })
 * const run = await loop({ messages: [{ role: 'user', content: 'Where is A-1001?' }] })
 */
export function agentLoop<Env = unknown>(
  step: Service<StepRequest<Env>, StepResult>,
  options: LoopOptions = {},
): Service<LoopRequest<Env>, AgentRun> {
  if (typeof step !== 'function') {
    throw new TypeError('`agentLoop` expects a step function, such as async (request) => ({ kind: ... }).')
  }
  const limits = options.policy && joinPolicies(options.policy)
  let effects: Effects | undefined
  return async (request) => {
    const run = runOf(request)
    if (run === undefined) {
      // Created here, because the loops of registered agents do not need their own ids.
      effects ??= systemEffects()
      return ownRun(step, request, { ...options, policy: limits ?? {} }, effects)
    }
    // `any`: a request with a run is complete.
    const whole: RunRequest<any> = request as any
    const policy = limits === undefined ? whole.policy : joinPolicies(limits, whole.policy)
    return new Pass(step, { ...whole, policy }, options, run).run()
  }
}

async function ownRun<Env>(
  step: Service<StepRequest<Env>, StepResult>,
  request: LoopRequest<Env>,
  options: LoopOptions,
  { newId }: Effects,
): Promise<AgentRun> {
  const { messages } = request
  if (!isConversation(messages))
    throw new TypeError('`agentLoop`: `messages` of the request must be an array of chat messages.')
  const policy = joinPolicies(options.policy, request.policy)
  const signal = new RunSignal(request.meta?.signal, policy.timeBudgetMs, new AbortListeners())
  const agent = options.agent ?? 'agent'
  const meta = Object.freeze({ runId: newId('run'), agent, labels: {}, ...request.meta, signal: signal.signal })
  const run = new Run({
    meta,
    policy,
    signal,
    sinks: options.onEvent === undefined ? [] : [options.onEvent],
    now: Date.now,
    newId: () => newId('suspension'),
  })
  run.startClock()
  run.begin({ state: initialState(messages), stops: [] })
  run.events.publish({ type: 'run_started' })
  // `any`: the step accepts the `env` of the request by type.
  const whole: RunRequest<any> = { env: undefined, ...request, meta, policy }
  const pass = new Pass(step, whole, options, run)
  return run.close(await withGrace(signal, pass.run()).catch((error) => run.failed(error)))
}

export function withGrace(signal: RunSignal, work: Promise<AgentRun>): Promise<AgentRun> {
  return untilAborted(signal, () => work, 2 * GRACE_MS)
}

/**
 * Stop reasons of limits that prevent or abort calls. A run that ends without an answer records such a reason in addition to the stop reason of
 * its last step.
 */
const CUTS: ReadonlySet<StopSignal['reason']> = new Set<StopSignal['reason']>(['max_tool_calls', 'time_budget'])

/** Stop reasons after which a run cannot be resumed. */
const ENDS: ReadonlySet<StopSignal['reason']> = new Set<StopSignal['reason']>(['failed', 'cancelled', 'guardrail'])

/** Maximum time that an aborted run waits for the results of calls that continued in its session, in milliseconds. */
const LATE_GRACE_MS = 500

const NO_TOOLS: readonly AgentToolSpec[] = Object.freeze([])

type StepMode = Pick<StepRequest, 'tools'> &
  Partial<Pick<StepRequest, 'callsLeft' | 'responseFormat' | 'isResumed' | 'isCorrection'>>

class Pass {
  // `any`: `env` is only passed through.
  readonly #step: Service<StepRequest<any>, StepResult>
  readonly #request: RunRequest<any>
  readonly #run: Run
  readonly #tools: readonly AgentToolSpec[]
  readonly #conditions: readonly StopCondition[]
  readonly #slice = new TimeSlice()

  constructor(
    step: Service<StepRequest<any>, StepResult>,
    request: RunRequest<any>,
    { tools, guards = [] }: LoopOptions,
    run: Run,
  ) {
    this.#step = step
    this.#request = request
    this.#run = run
    this.#tools = tools ?? run.tools
    this.#conditions = [...policyConditions(request.policy), ...(run.setup.guards ?? []), ...guards]
  }

  /** Rejects only if another execution of the same run is still in progress. */
  async run(): Promise<AgentRun> {
    const run = this.#run
    const { meta, policy, messages } = this.#request
    run.beginPass(messages)
    try {
      let isResumed = run.start.step !== undefined
      // With `maxTurns: 0`, no step runs, except that a suspended step always continues.
      while (isResumed || this.#stops().length === 0) {
        if (!isResumed && run.setup.session !== undefined) await this.#receiveLate()
        const first = await this.#take({ tools: this.#tools, isResumed })
        const result = isCorrected(first) ? await this.#correct(first) : first
        isResumed = false
        if (result.kind === 'done') return this.#end(await this.#checked(result))
        meta.signal.throwIfAborted()
        if (policy.onMissingFields === 'finalize' && lacksFields(result) && this.#stops().length === 0) {
          const last = await this.#correct(await this.#take({ tools: NO_TOOLS, callsLeft: 0 }))
          const stops: readonly StopSignal[] = [{ reason: 'missing_fields' }, ...run.recordedStops]
          return endedRun(meta, run.state, stops, { result: last.kind === 'done' ? last.result : undefined })
        }
      }
      return endedRun(meta, run.state, this.#stops())
    } catch (error) {
      run.failStep()
      return run.failed(error)
    } finally {
      run.endPass()
    }
  }

  #stops(): readonly StopSignal[] {
    const { recordedStops, state } = this.#run
    let stops = recordedStops
    for (const condition of this.#conditions) {
      // Conditions in plain JavaScript may return `null`.
      const stop = condition(state) ?? undefined
      if (stop !== undefined) stops = [...stops, stop]
    }
    return stops
  }

  async #correct(first: StepResult): Promise<StepResult> {
    let result = first
    while (isCorrected(result) && this.#stops().length === 0) {
      this.#request.meta.signal.throwIfAborted()
      this.#run.append([result.correction])
      result = await this.#take({ tools: NO_TOOLS, callsLeft: 0, isCorrection: true })
    }
    return result
  }

  async #checked(done: DoneStep): Promise<DoneStep> {
    const again = this.#stops().length === 0 ? this.#run.setup.askAgain?.(this.#run.state, done) : undefined
    if (again === undefined) return done
    this.#run.append([again.question])
    const last = await this.#take({ tools: NO_TOOLS, callsLeft: 0, responseFormat: again.responseFormat })
    return last.kind === 'done' ? last : done
  }

  async #take(mode: StepMode): Promise<StepResult> {
    const { events } = this.#run
    const request = this.#stepRequest(mode)
    const { turn, meta } = request
    events.publish({ type: 'step_started', turn })
    this.#run.beginStep(request.callsLeft)
    const result = requireStep(await this.#step(request))
    this.#run.endStep(result)
    // The end of the run stores the messages of its last step.
    const conversation = result.kind === 'next' ? this.#run.setup.session?.conversation : undefined
    if (conversation !== undefined) await conversation.afterStep(this.#run.state.messages)
    events.publish({ type: 'step_ended', turn, usage: result.usage })
    const room = events.room()
    if (room !== undefined) await untilAborted(meta.signal, () => room)
    // Without this, steps that only await resolved promises would block timers and signals.
    const turnOfLoop = this.#slice.turn()
    if (turnOfLoop !== undefined) await turnOfLoop
    return result
  }

  #stepRequest({ tools, callsLeft, responseFormat, isResumed, isCorrection }: StepMode): StepRequest {
    const { env, meta, fields, policy } = this.#request
    const { turns, messages, outcomes, toolCalls, runStart } = this.#run.state
    const request: Mutable<StepRequest> = { env, meta, turn: turns + 1, messages, tools, outcomes, runStart }
    if (callsLeft !== undefined) request.callsLeft = callsLeft
    else if (policy.maxToolCalls !== undefined) request.callsLeft = Math.max(0, policy.maxToolCalls - toolCalls)
    if (fields !== undefined) request.fields = fields
    if (responseFormat !== undefined) request.responseFormat = responseFormat
    if (isResumed === true) request.isResumed = true
    if (isCorrection === true) request.isCorrection = true
    return request
  }

  /**
   * Appends the results of calls that continued in the session after the end of an earlier run. Results that arrive after the end of this run
   * remain in the session.
   */
  async #receiveLate(): Promise<void> {
    const { signal } = this.#request.meta
    let isOver = false
    const late = signal.aborted
      ? undefined
      : this.#run.setup.session?.late(this.#run.state.messages, (messages: readonly ChatMessage[]) => {
          if (!isOver) this.#run.receiveLate(messages)
          return !isOver
        })
    if (late === undefined) return
    await untilAborted(signal, () => late, LATE_GRACE_MS).catch(() => undefined)
    isOver = true
    signal.throwIfAborted()
  }

  #end(last: DoneStep): AgentRun {
    const run = this.#run
    // The run ends with its answer even if the last step reached a limit. Exceptions: a finish reason, and the limits
    // in `CUTS` if there is no answer.
    const cuts = this.#stops()
      .slice(run.recordedStops.length)
      .filter(({ reason }) => reason === 'finish_reason' || (last.stop.reason !== 'answered' && CUTS.has(reason)))
    const stops = [last.stop, ...run.recordedStops, ...cuts]
    const suspension =
      last.suspension === undefined || stops.some(({ reason }) => ENDS.has(reason))
        ? undefined
        : run.suspend(last.suspension, stops, this.#request.fields)
    return endedRun(this.#request.meta, run.state, stops, { result: last.result, suspension })
  }
}

function requireStep(result: StepResult): StepResult {
  const missing = missingPart(result)
  if (missing === undefined) return result
  throw new TypeError(
    `The step returned no ${missing}. Return a \`StepResult\` with \`kind: 'next'\` or \`kind: 'done'\`.`,
  )
}

function missingPart(result: Partial<StepResult> | null | undefined): string | undefined {
  if (typeof result !== 'object' || result === null) return 'result'
  if (result.kind !== 'next' && result.kind !== 'done') return '`kind`'
  if (result.kind === 'done' && typeof result.stop?.reason !== 'string') return '`stop`'
  if (!Array.isArray(result.messages)) return '`messages`'
  if (!Array.isArray(result.outcomes)) return '`outcomes`'
  return typeof result.usage === 'object' && result.usage !== null ? undefined : '`usage`'
}

function isCorrected(result: StepResult): result is StepResult & { readonly correction: ChatMessage } {
  return result.kind === 'next' && result.correction !== undefined
}

function lacksFields({ outcomes }: StepResult): boolean {
  return outcomes.some((outcome) => outcome.status === 'failed' && outcome.hint.reason === 'missing_fields')
}

const DEFAULT_MAX_TURNS = 100

/** The order of the conditions is the order of simultaneous signals in `stops` of a run. */
export function policyConditions(policy: RunPolicy): readonly StopCondition[] {
  const { timeBudgetMs, maxTokens, maxCost, maxToolCalls, maxConsecutiveFailures, maxTurns } = policy
  return [
    ...limit('time_budget', timeBudgetMs, ({ elapsedMs }, max) => elapsedMs >= max),
    ...limit('max_tokens', maxTokens, (state, max) => state.promptTokens + state.completionTokens >= max),
    ({ exhaustedParentLimit }) =>
      exhaustedParentLimit === undefined ? undefined : { reason: 'max_tokens', limit: exhaustedParentLimit },
    ({ cost = 0, exhaustedParentCost }) => {
      if (maxCost !== undefined && cost >= maxCost) return { reason: 'max_cost', limit: maxCost, used: cost }
      return exhaustedParentCost && { reason: 'max_cost', ...exhaustedParentCost }
    },
    ...limit('max_tool_calls', maxToolCalls, ({ refused }) => refused > 0),
    ...limit(
      'max_consecutive_failures',
      maxConsecutiveFailures,
      ({ outcomes }, max) => failuresAtEnd(outcomes) >= Math.max(1, max),
    ),
    ...limit('max_turns', maxTurns ?? DEFAULT_MAX_TURNS, ({ turns }, max) => turns >= max),
  ]
}

function limit(
  reason: LimitReason,
  max: number | undefined,
  isReached: (state: RunState, max: number) => boolean,
): readonly StopCondition[] {
  return max === undefined ? [] : [(state) => (isReached(state, max) ? { reason, limit: max } : undefined)]
}

function failuresAtEnd(outcomes: readonly ToolOutcome[]): number {
  return outcomes.length - 1 - outcomes.findLastIndex(({ status }) => status !== 'failed')
}
