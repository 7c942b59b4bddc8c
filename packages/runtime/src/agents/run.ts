import { CallGroup } from '../call/call-group.js'
import type { RunSession } from '../call/call-target.js'
import { type Classifier, classify } from '../call/classify.js'
import { EventScope } from '../call/events.js'
import { copyTokenDetails, mostTokens, type NestedItems, TokenLedger, tokensSince } from '../call/nested-run.js'
import type { Redaction } from '../call/redaction.js'
import type { ToolTable } from '../call/served-tool.js'
import { toolError } from '../call/tool-error.js'
import { FIXED_MESSAGES } from '../call/tool-failure.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { ToolError } from '../types/failure.js'
import type { Mutable } from '../types/json.js'
import type { RunProgress, RunSuspension, StepSuspension, StopSignal, ToolOutcome } from '../types/outcome.js'
import type { RunMeta } from '../types/planner.js'
import type { AgentRun, EventSink, RunPolicy, RunState, RunUsage, StepResult, StopCondition } from '../types/run.js'
import type { AgentToolSpec } from '../types/tool.js'
import { requestMessage } from './model-response-error.js'
import { EventLog, ItemLog, PartLog } from './run-log.js'
import { endedRun, type RunEnd, usageOf, withEvents, withoutWaiting } from './run-result.js'
import type { RunSignal } from './run-signal.js'
import type { AskAgain, RunStart } from './step-attempts.js'
import { initialState, type StepAttempt, StepAttempts } from './step-attempts.js'
import { storedOutcome } from './stored-outcome.js'

export interface RunSetup {
  readonly meta: RunMeta
  readonly policy: RunPolicy
  readonly signal: RunSignal
  readonly sinks: readonly EventSink[]
  /** Omitted for an outermost run, and for a nested run without the option `deepTracing`. */
  readonly nestedItems?: NestedItems | undefined
  /** In milliseconds since the Unix epoch. */
  readonly now: () => number
  readonly newId: () => string
  readonly eventsBefore?: number | undefined
  /** The run uses the codecs of these tools to encode results in a suspension. */
  readonly table?: Pick<ToolTable, 'find'>
  readonly classifier?: Classifier
  readonly guards?: readonly StopCondition[]
  readonly session?: RunSession | undefined
  readonly askAgain?: AskAgain | undefined
  readonly redaction?: Redaction | undefined
}
const USAGE_COUNTS = ['turns', 'toolCalls', 'durationMs'] as const
const COUNTS = ['promptTokens', 'completionTokens', 'toolCalls'] as const

/**
 * If run layers call `next` several times, the limits apply to all executions of the loop together, and the usage and outcomes include all
 * executions.
 */
export class Run {
  readonly meta: RunMeta
  readonly policy: RunPolicy
  readonly signal: RunSignal
  readonly log: EventLog = new EventLog()
  readonly items: ItemLog = new ItemLog()
  readonly parts: PartLog
  readonly events: EventScope
  /** A layer may end the run while calls continue. */
  readonly calls: CallGroup = new CallGroup()
  readonly setup: RunSetup
  tools: readonly AgentToolSpec[] = []
  tokens: TokenLedger
  start: RunStart = { state: initialState([]), stops: [] }
  #startedAt = Number.POSITIVE_INFINITY
  #state = this.start.state
  #stops: readonly StopSignal[] = []
  #late: readonly ChatMessage[] = []
  #passes = 0
  #isInPass = false
  #isClosed = false
  #step: StepAttempts | undefined
  #callsLeft: number | undefined
  /** If a run layer calls `next` again, the failed step counts as a turn. */
  #hasFailedStep = false

  constructor(setup: RunSetup) {
    const { meta, policy, signal, sinks, now, eventsBefore, nestedItems } = setup
    const { labels: _labels, signal: _signal, ...origin } = meta
    this.setup = setup
    this.meta = meta
    this.policy = policy
    this.signal = signal
    this.parts = new PartLog(this.log, this.items, meta, nestedItems && { runId: meta.runId, nestedItems })
    this.events = new EventScope(origin, { now, sinks, log: this.log }, eventsBefore)
    this.tokens = new TokenLedger(policy, undefined)
    this.items.redaction = setup.redaction
  }

  startClock(): void {
    this.#startedAt = this.setup.now()
  }

  /** @param parentTokens token counter of the parent run; the run adds its own tokens to this counter */
  begin(start: RunStart, parentTokens?: TokenLedger): void {
    this.start = start
    this.#stops = start.stops
    this.tokens = new TokenLedger(this.policy, parentTokens, start.state)
    // A nested run of a parent at its limit sends no request.
    this.#state = parentTokens === undefined ? start.state : { ...start.state, ...this.#exhaustedParents() }
  }

  requireOpen(): void {
    if (this.#isClosed) throw new TypeError('A layer called `next` after its run had ended.')
  }

  async closeCalls(): Promise<void> {
    this.#isClosed = true
    if (this.calls.isEmpty) return
    this.calls.abort(new DOMException('The run has ended.', 'AbortError'))
    await this.calls.empty()
  }

  /** Excludes the time in which the run was suspended. */
  get elapsedMs(): number {
    return this.#elapsedAt(this.setup.now())
  }

  #elapsedAt(now: number): number {
    return this.start.state.elapsedMs + Math.max(0, now - this.#startedAt)
  }

  get state(): RunState {
    return this.#state
  }

  /** State after the most recent step, plus the time and tokens of the current or failed step. */
  get currentState(): RunState {
    const elapsedMs = Math.max(this.#state.elapsedMs, this.#elapsedAt(this.events.now()))
    return { ...this.#state, ...this.tokens.usage, elapsedMs }
  }

  get recordedStops(): readonly StopSignal[] {
    return this.#stops
  }

  /** Called each time a run layer calls `next`. */
  beginPass(messages: readonly ChatMessage[]): void {
    if (this.#isInPass) {
      throw new TypeError('A run layer called `next` again before its first call had ended. Await the first call.')
    }
    this.#isInPass = true
    this.#passes += 1
    this.#state = this.#passes === 1 ? startingWith(messages, this.#state) : this.#nextPass(messages)
    this.#append(this.#late.filter((message) => !messages.includes(message)))
  }

  endPass(): void {
    this.#isInPass = false
  }

  beginStep(callsLeft: number | undefined): void {
    this.#callsLeft = callsLeft
    this.#step = new StepAttempts(this.tokens, callsLeft)
  }

  attempt(): StepAttempt {
    return (this.#step ?? new StepAttempts(this.tokens, this.#callsLeft)).add()
  }

  endStep(result: StepResult): void {
    const step = this.#step
    // The run has failed in the meantime, and this step is already counted.
    if (step === undefined) return
    this.#step = undefined
    const { messages, outcomes, usage, refused, finishReason, stops } = result
    const { tokens } = this
    // Layers may have increased the usage of the result. Only this increase is added, because attempts count their own
    // tokens.
    const { attempts } = step
    const equal =
      attempts.length > 1 ? attempts.find((use) => COUNTS.every((name) => use[name] === usage[name])) : undefined
    const reported = equal ?? attempts.at(-1)
    tokens.spend(tokensSince(usage, reported))
    const before = this.#state
    const { runStart, earlierMessages } = before
    // Built without a spread: objects that spreads create are slower in each later access.
    const next: Mutable<RunState> = {
      turns: before.turns + 1,
      toolCalls: before.toolCalls + step.sum('toolCalls') + usage.toolCalls - (reported?.toolCalls ?? 0),
      refused: before.refused + step.sum('refused') + refused - (reported?.refused ?? 0),
      promptTokens: tokens.usage.promptTokens,
      completionTokens: tokens.usage.completionTokens,
      elapsedMs: this.elapsedMs,
      outcomes: joined(joined(before.outcomes, step.droppedOutcomes(outcomes)), outcomes),
      messages,
      runStart,
    }
    copyTokenDetails(next, tokens.usage)
    if (earlierMessages !== undefined) next.earlierMessages = earlierMessages
    const exhausted = this.#exhaustedParents()
    if (exhausted !== undefined) Object.assign(next, exhausted)
    if (finishReason !== undefined) next.finishReason = finishReason
    const model = usage.model ?? before.model
    if (model !== undefined) next.model = model
    this.#state = next
    if (stops !== undefined) this.#stops = [...this.#stops, ...stops]
    this.items.addNew(before.messages, messages)
  }

  /** Also called for a step that was still in progress when its run failed. */
  failStep(): void {
    const step = this.#step
    if (step === undefined) return
    this.#step = undefined
    this.#hasFailedStep = true
    const { toolCalls, refused, outcomes } = this.#state
    this.#state = {
      ...this.#state,
      toolCalls: toolCalls + step.sum('toolCalls'),
      refused: refused + step.sum('refused'),
      outcomes: joined(outcomes, step.outcomes),
    }
    this.items.addNew([], [])
  }

  append(messages: readonly ChatMessage[]): void {
    this.#append(messages)
    this.items.addNew([], messages)
  }

  receiveLate(messages: readonly ChatMessage[]): void {
    this.#late = [...this.#late, ...messages]
    this.append(messages)
  }

  failure(thrown: unknown): RunEnd & { readonly stop: StopSignal } {
    if (this.signal.isTimedOut) return { stop: { reason: 'time_budget', limit: this.policy.timeBudgetMs ?? 0 } }
    if (this.signal.signal.aborted) return { stop: { reason: 'cancelled' } }
    const failure = classify(thrown, 0, this.setup.classifier)
    const { reason } = failure
    if (reason === 'cancelled') return { stop: { reason } }
    // The fixed messages are about tools. Here, a planner, a layer or an option can have failed, so another message
    // is used.
    const isOwn = failure.message !== '' && failure.message !== FIXED_MESSAGES[reason]
    const fixed = reason === 'internal' ? 'The run failed because of an internal error.' : FIXED_MESSAGES[reason]
    const message = isOwn ? failure.message : (requestMessage(thrown, reason) ?? fixed)
    const error: ToolError<never> = toolError({ reason, message }, failure, thrown)
    return { stop: { reason: 'failed', message: error.message }, error }
  }

  failed(thrown: unknown): AgentRun {
    const { stop, ...end } = this.failure(thrown)
    return endedRun(this.meta, this.currentState, [stop], end)
  }

  suspend(waits: StepSuspension, stops: readonly StopSignal[], fields: ChatFields | undefined): RunSuspension {
    const { newId, now, table = { find: () => undefined }, redaction } = this.setup
    const { turns, toolCalls, refused, promptTokens, completionTokens, elapsedMs, runStart, messages } = this.#state
    const { runId, agent, sessionId } = this.meta
    const progress: Mutable<RunProgress> = {
      turns,
      toolCalls,
      refused,
      promptTokens,
      completionTokens,
      elapsedMs,
      runStart,
      events: this.events.count,
      // After a resume, all other stop signals are derived from the state again.
      stops: stops.filter(({ reason }) => reason === 'stopped'),
      outcomes: this.#state.outcomes.map((outcome) => storedOutcome(table, outcome, redaction)),
      ...(fields !== undefined && { fields }),
    }
    copyTokenDetails(progress, this.#state)
    const session = sessionId === undefined ? {} : { sessionId }
    return { version: 1, id: newId(), runId, agent, ...session, suspendedAt: now(), messages, progress, ...waits }
  }

  /** @param run result of the run layers; possibly contains the usage and outcomes of only one execution of the loop */
  withAllPasses(run: AgentRun): AgentRun {
    if (this.#passes < 2) return run
    const { outcomes } = this.currentState
    // A layer may add usage, or return the run of an earlier call of `next`. So the greater numbers apply.
    const usage: Mutable<RunUsage> = usageOf(this.currentState)
    Object.assign(usage, mostTokens(run.usage, usage))
    for (const name of USAGE_COUNTS) usage[name] = Math.max(run.usage?.[name] ?? 0, usage[name])
    const isEarlier = run.outcomes.every(({ call }, index) => call.toolCallId === outcomes[index]?.call.toolCallId)
    const all = isEarlier ? Object.freeze([...run.outcomes, ...outcomes.slice(run.outcomes.length)]) : run.outcomes
    return { ...run, usage, outcomes: all }
  }

  close(run: AgentRun): AgentRun {
    const { status, stop, result } = run
    this.signal.release()
    const end = { status, stop, ...(result !== undefined && { result }) }
    const { redaction } = this.setup
    const shown = redaction?.hides('events') === true ? redaction.structure(end, 'events') : end
    this.events.publish({ type: 'run_ended', ...shown })
    this.events.close()
    this.log.close()
    this.items.close()
    this.parts.close()
    return withEvents(run, this.log)
  }

  #exhaustedParents(): Pick<RunState, 'exhaustedParentLimit' | 'exhaustedParentCost'> | undefined {
    const limit = this.tokens.exhaustedParentLimit()
    const cost = this.tokens.exhaustedParentCost()
    if (limit === undefined && cost === undefined) return undefined
    return {
      ...(limit !== undefined && { exhaustedParentLimit: limit }),
      ...(cost !== undefined && { exhaustedParentCost: cost }),
    }
  }

  #append(messages: readonly ChatMessage[]): void {
    if (messages.length === 0) return
    for (const message of messages) Object.freeze(message)
    this.#state = { ...this.#state, messages: Object.freeze([...this.#state.messages, ...messages]) }
  }

  #nextPass(messages: readonly ChatMessage[]): RunState {
    const { state: first } = this.start
    const state = this.currentState
    const outcomes = withoutWaiting(state.outcomes)
    const turns = state.turns + (this.#hasFailedStep ? 1 : 0)
    this.#hasFailedStep = false
    if (state.messages.every((message, index) => message === messages[index])) {
      return { ...state, turns, outcomes, messages }
    }
    const earlierMessages = Object.freeze([...(state.earlierMessages ?? []), ...state.messages.slice(state.runStart)])
    const restarted = startingWith(messages, { ...state, messages: first.messages, runStart: first.runStart })
    return { ...restarted, turns, outcomes, earlierMessages }
  }
}

function startingWith(messages: readonly ChatMessage[], state: RunState): RunState {
  return { ...state, messages, runStart: Math.max(0, state.runStart + messages.length - state.messages.length) }
}

function joined(before: readonly ToolOutcome[], added: readonly ToolOutcome[]): readonly ToolOutcome[] {
  return added.length === 0 ? before : Object.freeze([...before, ...added])
}
