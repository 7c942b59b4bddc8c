import type { Budget } from '../call/budget.js'
import type { CallTarget, ResolvedOptions } from '../call/call-target.js'
import { messageSources, outcomeSources } from '../call/data-sources.js'
import type { ParentRun } from '../call/nested-run.js'
import { DEFAULT_MAX_DEPTH } from '../call/nested-run.js'
import { runForTelemetry } from '../call/redacted-outcome.js'
import { RedactedRunMeta, type Redaction } from '../call/redaction.js'
import { scopeOf } from '../call/redactions.js'
import { missingRunOptions } from '../call/required-options.js'
import { joinPolicies } from '../call/run-config.js'
import { traced } from '../call/telemetry.js'
import { untilAborted } from '../call/timers.js'
import { ToolFailure } from '../call/tool-failure.js'
import { isConversation } from '../chat/messages.js'
import { isFields, shallowCopy } from '../schema/json-values.js'
import type { ChatMessage } from '../types/chat.js'
import type { Mutable } from '../types/json.js'
import type { RunSuspension } from '../types/outcome.js'
import type { ModelLayer, Planner, RunMeta } from '../types/planner.js'
import type { AgentDescriptor } from '../types/registration.js'
import type {
  AgentRun,
  EventSink,
  RunInput,
  RunPolicy,
  RunRequest,
  RunUsage,
  StopCondition,
  Tracer,
} from '../types/run.js'
import type { Service } from '../types/tool.js'
import { agentLoop, inRun, withGrace } from './loop.js'
import { budgetedPlanner } from './model-cost.js'
import { claimSuspension, requireOrigin, resumedStart } from './resume.js'
import { Run } from './run.js'
import { RunHandle } from './run-handle.js'
import { endedRun, usageOf } from './run-result.js'
import { RunSignal } from './run-signal.js'
import { stepService } from './step.js'
import type { AskAgain, RunStart } from './step-attempts.js'
import { initialState } from './step-attempts.js'
import { jsonOf, readSuspension } from './suspension.js'
import { SuspensionError } from './suspension-error.js'
import { signedSuspension } from './suspension-signature.js'

export interface RunnableAgent {
  readonly descriptor: AgentDescriptor
  readonly target: CallTarget
  readonly planner: Planner
  readonly budgets: readonly Budget[]
  /**
   * True if `planner` itself adds the usage of its decisions to the budgets. The planner of a durable run does so, because a replayed decision must
   * not add usage again.
   */
  readonly spendsBudgets?: boolean
  readonly policy: RunPolicy
  readonly guards: readonly StopCondition[]
  /** For nested runs of this agent. All other runs use `target.context.sinks`, which contains the sinks of the runtime and these sinks. */
  readonly sinks: readonly EventSink[]
}

export interface NestedRunOptions {
  readonly parent: ParentRun
  readonly askAgain: AskAgain
  /** The runtime calls `progress` when the tool call ends or is aborted, even if the nested run has not ended. */
  readonly observe: (progress: () => NestedRunProgress) => void
}

export interface NestedRunProgress extends Pick<AgentRun, 'runId' | 'agent' | 'outcomes'> {
  readonly usage: Pick<RunUsage, 'turns' | 'promptTokens' | 'completionTokens' | 'model'>
}

/** The handle never rejects: a failed run has the status `failed`. */
export function startRun(
  agent: RunnableAgent,
  input: RunInput,
  options: ResolvedOptions,
  nested?: NestedRunOptions,
): RunHandle {
  return new AgentRunner(agent, options, nested, () => ({ input: readInput(input) })).handle
}

export function resumeRun(
  agent: RunnableAgent,
  { suspension, answers }: { readonly suspension: unknown; readonly answers: unknown },
  options: ResolvedOptions,
  nested?: NestedRunOptions,
): RunHandle {
  const read = (): RunSource => ({ suspension: readSuspension(suspension, agent.descriptor.name), answers })
  return new AgentRunner(agent, options, nested, read).handle
}

export async function answersProblem(
  { descriptor, target }: RunnableAgent,
  { suspension, answers }: { readonly suspension: RunSuspension; readonly answers: unknown },
  { sessionId }: ResolvedOptions,
): Promise<string | undefined> {
  const { redactions } = target.context
  const redaction = redactions.of(scopeOf(suspension.runId, sessionId))
  try {
    const opened = redaction === undefined ? suspension : await redactions.restoreState(redaction, suspension)
    resumedStart({ descriptor, table: target.table }, opened, answers, redaction)
  } catch (error) {
    if (error instanceof SuspensionError && error.code === 'wrong_answers') return error.message
    // The run fails with the error when it continues.
  }
  return undefined
}

type RunSource =
  | { readonly input: ReadInput; readonly suspension?: undefined }
  | { readonly suspension: RunSuspension; readonly answers: unknown }

class AgentRunner {
  readonly handle: RunHandle
  readonly #agent: RunnableAgent
  readonly #options: ResolvedOptions
  readonly #nested: NestedRunOptions | undefined
  readonly #source: RunSource
  readonly #run: Run
  #fault: unknown

  constructor(
    agent: RunnableAgent,
    options: ResolvedOptions,
    nested: NestedRunOptions | undefined,
    read: () => RunSource,
  ) {
    const { context } = agent.target
    this.#agent = agent
    this.#options = options
    this.#nested = nested
    this.#fault = options.error
    this.#source = this.#attempt(read) ?? { input: { messages: [] } }
    const { suspension } = this.#source
    const runId = suspension?.runId ?? options.runId ?? this.#attempt(() => context.effects.newId('run')) ?? ''
    // A run that serves a call may finish after the runtime was closed.
    const isInCall = nested !== undefined && nested.parent.runtime === context.calls
    const isRefused = context.calls.closed && !isInCall
    if (isRefused) this.#fault ??= context.calls.refusal()
    const policy = options.config === undefined ? agent.policy : joinPolicies(agent.policy, options.config.parts.policy)
    const timeLeftMs = timeLeft(policy.timeBudgetMs, suspension?.progress.elapsedMs)
    const { journal, listeners } = context
    const startTimer = journal?.startRunTimer.bind(journal)
    const { redactions } = context
    const redaction = redactions.isUsed
      ? (nested?.parent.redaction ?? redactions.of(scopeOf(runId, options.sessionId)))
      : nested?.parent.redaction
    const signal = new RunSignal(options.signal, timeLeftMs, listeners, startTimer)
    this.#run = new Run({
      meta: runMeta(redaction, agent, runId, options, signal.signal, nested?.parent.runId),
      policy,
      signal,
      sinks: sinksOf(agent, options, nested),
      nestedItems: isTraced(options, nested) ? nested?.parent.nestedItems : undefined,
      now: () => context.effects.now(),
      newId: () => context.effects.newId('suspension'),
      eventsBefore: suspension?.progress.events,
      table: agent.target.table,
      classifier: context,
      guards: agent.guards,
      session: options.session,
      askAgain: nested?.askAgain,
      redaction,
    })
    this.handle = new RunHandle(runId, this.#run, this.#execute(isRefused))
  }

  #attempt<Value>(work: () => Value): Value | undefined {
    try {
      return work()
    } catch (error) {
      this.#fault ??= error
      return undefined
    }
  }

  async #execute(isRefused: boolean): Promise<AgentRun> {
    const run = this.#run
    const { suspension } = this.#source
    const { calls, tracer } = this.#agent.target.context
    const inRuntime = isRefused ? undefined : calls.enter(run.signal)
    const inSession = this.#options.calls?.enter(run.signal)
    // The run starts in a later microtask, so that the caller receives the handle first.
    await undefined
    run.events.publish(suspension ? { type: 'run_resumed', suspension: suspension.id } : { type: 'run_started' })
    this.#nested?.observe(() => {
      const { turns, promptTokens, completionTokens, model } = usageOf(run.currentState)
      const usage = { turns, promptTokens, completionTokens, ...(model !== undefined && { model }) }
      return { runId: run.meta.runId, agent: run.meta.agent, outcomes: run.currentState.outcomes, usage }
    })
    const work = (): Promise<AgentRun> => this.#work()
    const worked = tracer === undefined ? await work() : await this.#traced(tracer, work)
    const ended = await this.#stored(worked)
    if (inRuntime !== undefined) calls.leave(inRuntime)
    if (inSession !== undefined) this.#options.calls?.leave(inSession)
    return run.close(ended)
  }

  async #traced(tracer: Tracer, work: () => Promise<AgentRun>): Promise<AgentRun> {
    const { meta, setup } = this.#run
    const { redaction } = setup
    if (redaction === undefined) return traced((inSpan) => tracer.run(meta, inSpan), work)
    let ended: AgentRun | undefined
    const run = await traced(
      (inSpan) => tracer.run(meta, inSpan),
      async () => {
        ended = await work()
        return runForTelemetry(redaction, ended)
      },
    )
    return ended ?? run
  }

  /** Never rejects: if the store fails, returns a failed run. */
  async #stored(ended: AgentRun): Promise<AgentRun> {
    try {
      await this.#options.session?.conversation?.end(ended)
      return ended
    } catch (error) {
      return this.#run.failed(error)
    }
  }

  /** Never rejects: an error becomes a failed run. */
  async #work(): Promise<AgentRun> {
    const run = this.#run
    const { suspensions, redactions } = this.#agent.target.context
    try {
      run.startClock()
      this.#requireStart()
      const start = await this.#start()
      run.begin(start, this.#nested?.parent.tokens)
      const { env } = this.#options
      const request: Mutable<RunRequest> = { env, meta: run.meta, messages: start.state.messages, policy: run.policy }
      if (start.fields !== undefined) request.fields = start.fields
      if (this.#source.suspension !== undefined) request.isResumed = true
      const service = this.#service()
      const ended = run.withAllPasses(requireRun(await withGrace(run.signal, service(inRun(request, run)))))
      if (ended.suspension === undefined) return ended
      const { redaction } = run.setup
      const suspension =
        redaction === undefined ? ended.suspension : await redactions.hideState(redaction, ended.suspension)
      // Signs after all layers, so that the signature covers their changes.
      if (suspensions !== undefined) return { ...ended, suspension: await signedSuspension(suspension, suspensions) }
      return suspension === ended.suspension ? ended : { ...ended, suspension }
    } catch (error) {
      // Classifies the error before `closeCalls` aborts the signal. If a layer did not await `next`, calls may still be
      // open.
      const { stop, ...end } = run.failure(error)
      await run.closeCalls()
      run.failStep()
      return endedRun(run.meta, run.currentState, [stop], end)
    } finally {
      await run.closeCalls()
    }
  }

  #requireStart(): void {
    if (this.#fault !== undefined) throw this.#fault
    const missing = missingRunOptions(this.#agent.target.table, this.#run.meta)
    if (missing.length > 0) throw wrongOption(missing.join(', '))
  }

  async #start(): Promise<RunStart> {
    const { descriptor, target } = this.#agent
    const { sessionId, signal } = this.#run.meta
    const source = this.#source
    if (source.suspension === undefined) {
      const { messages, fields } = source.input
      const input = withInstructions(messages, descriptor.instructions)
      const state = initialState(this.#options.session?.conversation?.start(input) ?? input)
      return { state, stops: [], ...(fields !== undefined && { fields }) }
    }
    const { suspension, answers } = source
    const { claims, suspensions, redactions } = target.context
    await untilAborted(signal, () => requireOrigin(suspension, suspensions, sessionId))
    const { redaction } = this.#run.setup
    const opened =
      redaction === undefined
        ? suspension
        : await untilAborted(signal, () => redactions.restoreState(redaction, suspension))
    if (suspension.program !== undefined) {
      const message =
        'The suspension belongs to a program, not to a run. Resume the run or the call that called `run_program`.'
      throw new SuspensionError('wrong_agent', message)
    }
    // Reads the suspension first: an invalid suspension must not be claimed.
    const start = resumedStart({ descriptor, table: target.table }, opened, answers, redaction)
    await untilAborted(signal, () => claimSuspension(claims, suspension))
    this.#options.session?.conversation?.resume(opened)
    return start
  }

  #service(): Service<RunRequest, AgentRun> {
    const run = this.#run
    const { target: ofAgent, planner: inner, spendsBudgets = false } = this.#agent
    const { config } = this.#options
    const planner = spendsBudgets ? inner : budgetedPlanner(inner, this.#budgets())
    const target = config === undefined ? ofAgent : ofAgent.under(config)
    run.tools = target.table.specs
    const { step: resumed } = run.start
    const scopes = config === undefined ? [ofAgent.scope] : [ofAgent.scope, config.parts.scope]
    const models = scopes.flatMap(({ wrapModel }) => wrapModel ?? [])
    const modelLayer = models.length === 0 ? {} : { modelLayer: allOf(models) }
    const step = stepService({ run, planner, target, parent: this.#asParent(), ...modelLayer })
    const whileOpen =
      <Request, Response>(service: Service<Request, Response>): Service<Request, Response> =>
      (request) => {
        try {
          run.requireOpen()
          return service(request)
        } catch (error) {
          return Promise.reject(error)
        }
      }
    const loop = agentLoop(scopes.reduce((service, scope) => scope.wrapStep(service), whileOpen(step)))
    let isStarted = false
    const once: Service<RunRequest, AgentRun> = async (request) => {
      if (isStarted && resumed !== undefined) {
        throw new TypeError('A run layer called `next` twice, but a suspended run can continue only once.')
      }
      isStarted = true
      // A layer may have created its own request, which lacks the run.
      return loop(inRun(request, run))
    }
    return scopes.reduce((service, scope) => scope.wrapRun(service), whileOpen(once))
  }

  #budgets(): readonly Budget[] {
    return allBudgets(this.#nested?.parent.budgets, this.#agent.budgets, this.#options.config?.parts.budgets)
  }

  #asParent(): ParentRun {
    const { descriptor, target } = this.#agent
    const {
      agents = [],
      maxDepth = DEFAULT_MAX_DEPTH,
      deepTracing = false,
      confirm,
      approvals,
    } = this.#nested?.parent ?? {}
    const run = this.#run
    const { redaction } = run.setup
    return {
      runtime: target.context.calls,
      runId: run.meta.runId,
      config: this.#options.config,
      agents: [...agents, descriptor],
      maxDepth: Math.min(maxDepth, run.policy.maxDepth ?? maxDepth),
      tokens: run.tokens,
      budgets: this.#budgets(),
      events: run.events,
      items: run.items,
      nestedItems: (runId, read) => run.parts.addNested(runId, read),
      deepTracing: deepTracing || this.#options.deepTracing === true,
      confirm: confirm ?? this.#options.confirm,
      redaction,
      approvals: approvals ?? this.#options.approvals,
      sources: () => {
        const { messages, runStart } = run.start.state
        return [
          ...(this.#nested?.parent.sources() ?? []),
          ...messageSources(messages.slice(0, runStart), target.table, target.context.tools),
          ...outcomeSources(run.state.outcomes),
        ]
      },
    }
  }
}

const NO_BUDGETS: readonly Budget[] = Object.freeze([])

export function allBudgets(...lists: readonly (readonly Budget[] | undefined)[]): readonly Budget[] {
  const all = lists.filter((list) => list !== undefined && list.length > 0).flat() as readonly Budget[]
  return all.length === 0 ? NO_BUDGETS : [...new Set(all)]
}

function sinksOf(
  { target: { context }, sinks }: RunnableAgent,
  options: ResolvedOptions,
  nested: NestedRunOptions | undefined,
): readonly EventSink[] {
  const { onEvent } = options
  if (nested === undefined) return onEvent === undefined ? context.sinks : [...context.sinks, onEvent]
  const { events } = nested.parent
  return events !== undefined && isTraced(options, nested) ? [...sinks, (event) => events.relay(event)] : sinks
}

function isTraced({ deepTracing }: ResolvedOptions, nested: NestedRunOptions | undefined): boolean {
  return nested !== undefined && (nested.parent.deepTracing || deepTracing === true)
}

const NO_LABELS: RunMeta['labels'] = Object.freeze({})

function runMeta(
  redaction: Redaction | undefined,
  { descriptor, target }: RunnableAgent,
  runId: string,
  options: ResolvedOptions,
  signal: AbortSignal,
  parentRunId: string | undefined,
): RunMeta {
  const { sessionId, turnId, parentToolCallId, labels = NO_LABELS } = options
  const facts: RunMeta = { runId, agent: descriptor.name, labels, signal }
  const meta: Mutable<RunMeta> = new RedactedRunMeta(facts, redaction, target.table)
  if (sessionId !== undefined) meta.sessionId = sessionId
  if (turnId !== undefined) meta.turnId = turnId
  if (parentToolCallId !== undefined) meta.parentToolCallId = parentToolCallId
  if (parentRunId !== undefined) meta.parentRunId = parentRunId
  return Object.freeze(meta)
}

/** Returns -1 if the run used up its time before the suspension. */
function timeLeft(budgetMs: number | undefined, elapsedMs: number | undefined): number | undefined {
  if (budgetMs === undefined || elapsedMs === undefined) return budgetMs
  return budgetMs > elapsedMs ? budgetMs - elapsedMs : -1
}

function requireRun(run: AgentRun): AgentRun {
  const names = ['runId', 'status', 'stop', 'stops', 'messages', 'outcomes', 'usage']
  if (isFields(run) && names.every((name) => name in run)) return run
  throw new TypeError('A run layer must return a run. Return the result of next(request).')
}

type ReadInput = Pick<RunRequest, 'messages' | 'fields'>

/**
 * Copies the input, so that later changes by the caller have no effect. Does not copy the content parts of messages.
 *
 * @throws {ToolFailure} if `input` is not a string, an array of chat messages or a chat request. Rethrows errors of getters in `input`.
 */
export function readInput(input: RunInput): ReadInput {
  if (typeof input === 'string') return { messages: copied([{ role: 'user', content: input }]) }
  if (isConversation(input)) return { messages: copied(input) }
  if (!isFields(input) || !isConversation(input.messages)) {
    throw wrongOption('a valid input: a string, an array of chat messages, or a chat request with `messages`')
  }
  const { messages, ...fields } = input
  if (Object.keys(fields).length === 0) return { messages: copied(messages) }
  // Copies as JSON, because requests are sent as JSON and suspended runs are stored as JSON.
  const entries = Object.entries(fields).flatMap(([name, field]) => {
    if (field === undefined) return []
    const json = jsonOf(field)
    if (json === undefined) throw wrongOption(`the field '${name}' of the chat request as JSON`)
    return [[name, JSON.parse(json)] as const]
  })
  return { messages: copied(messages), fields: Object.freeze(Object.fromEntries(entries)) }
}

function copied(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  return Object.freeze(messages.map((message) => Object.freeze(shallowCopy(message))))
}

export function withInstructions(
  messages: readonly ChatMessage[],
  instructions: string | undefined,
): readonly ChatMessage[] {
  const first = messages[0]?.role
  if (instructions === undefined || first === 'system' || first === 'developer') return messages
  const message: ChatMessage = { role: 'system', content: instructions }
  return Object.freeze([Object.freeze(message), ...messages])
}

function wrongOption(expected: string): ToolFailure {
  return new ToolFailure(`The caller of this run must pass ${expected}.`, { reason: 'internal', action: 'finish' })
}

/** The last layer in the array is the outermost. */
function allOf(layers: readonly ModelLayer[]): ModelLayer {
  return (service) => layers.reduce((inner, layer) => layer(inner), service)
}
