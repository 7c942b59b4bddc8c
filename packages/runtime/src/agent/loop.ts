import type { AgentRun, RunRequest } from '../contract/agent-run.js'
import type { ChatMessage } from '../contract/chat-message.js'
import type { AnswerForm } from '../contract/model-driver.js'
import type { Mutable } from '../contract/mutable.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Service } from '../contract/service.js'
import type { AgentToolSpec } from '../contract/spec.js'
import type { StepRequest, StepResult } from '../contract/step.js'
import type { LoopState, StopCondition } from '../contract/stop-condition.js'
import type { StopSignal } from '../contract/stop-signal.js'
import type { RunSuspension } from '../contract/suspension.js'
import type { EventScope } from '../event/event-scope.js'
import type { RunSession } from '../execute/call/run-session.js'
import type { TokenLedger } from '../execute/nest/token-ledger.js'
import { endedRun, type RunEnd } from './ended-run.js'
import { hearLate } from './hear-late.js'
import { policyConditions } from './stop-conditions.js'
import type { SuspendedRun } from './suspension/run-suspension.js'
import { untilSignal } from './until-signal.js'

/** A step that ended its run. */
export type DoneStep = Extract<StepResult, { readonly kind: 'done' }>

/** What the loop needs of its run. */
export interface LoopContext {
  readonly tools: readonly AgentToolSpec[]
  /** What ends the run beside the policy. */
  readonly guards: readonly StopCondition[]
  readonly events: EventScope
  /** What the run and those beneath it spend. */
  readonly tokens: TokenLedger
  /** Where the run stands when it begins; its messages are those of the request. */
  readonly begin: LoopState
  /** Whether the first step is what is left of one that waited: it is gone through whatever limit is reached. */
  readonly isResumed: boolean
  /** Reasons to end that were recorded before the run was suspended. */
  readonly stops: readonly StopSignal[]
  /** The suspended run as plain data. */
  readonly suspend: (run: Omit<SuspendedRun, 'meta'>) => RunSuspension
  /** Since the run began, in milliseconds. */
  readonly elapsedMs: () => number
  /** Told how far the run has come. */
  readonly reached: (state: LoopState) => void
  /** The run that an error of a step ends, as far as it has come. */
  readonly ended: (error: unknown) => AgentRun
  /** Has what earlier calls have come to since; absent where the run is in none. */
  readonly session: Pick<RunSession, 'late'> | undefined
  /** How an answer is asked for again, once; `undefined` where it will do. */
  readonly askAgain: (state: LoopState, answer: DoneStep) => AskAgain | undefined
}

/** A second question for an answer. */
export interface AskAgain {
  readonly question: ChatMessage
  readonly form: AnswerForm
}

/** After so many milliseconds without a wait a run lets others have their turn. */
const TURN_MS = 20

/** What cuts something off, so that it counts beside a final value too. */
const CUTS: ReadonlySet<StopSignal['reason']> = new Set<StopSignal['reason']>(['max_tool_calls', 'time_budget'])

/** What a run is never taken up after. */
const ENDS: ReadonlySet<StopSignal['reason']> = new Set<StopSignal['reason']>(['failed', 'cancelled'])

/** What a step is asked beside what follows from the state of the run. */
type StepMode = Pick<StepRequest, 'tools' | 'callsLeft' | 'answer' | 'isResumed'>

/**
 * The agent loop, a layer over the step service: step after step until one is done or a condition of the policy or of a
 * guard holds. Never rejects: a step that throws ends the run, which keeps what was reached.
 */
export function agentLoop(
  step: Service<StepRequest<any>, StepResult>, // `any`: the env passes through to the layers that asked for it by type
  context: LoopContext,
): Service<RunRequest, AgentRun> {
  const { tools, guards, events, tokens, elapsedMs, isResumed } = context
  // A layer around the run may call it twice; what it hears is given to it once.
  let heardBefore: readonly ChatMessage[] = []
  return async (request) => {
    const { meta, policy, fields } = request
    const conditions = [...policyConditions(policy), ...guards]
    let recorded = context.stops
    const reached = (): readonly StopSignal[] => withMet(recorded, conditions, state)
    const run = async (mode: StepMode): Promise<StepResult> => {
      const turn = state.turns + 1
      events.publish({ type: 'step_started', turn })
      const result = await step(stepRequest(request, state, mode))
      tokens.settle(result.account)
      state = after(state, result, { tokens, elapsedMs: elapsedMs() })
      if (result.stops !== undefined) recorded = [...recorded, ...result.stops]
      context.reached(state)
      events.publish({ type: 'step_ended', turn, account: result.account })
      const room = events.room()
      if (room !== undefined) await untilSignal(meta.signal, () => room)
      // Steps that never wait would keep timers and signals from being heard.
      if (state.elapsedMs - rested >= TURN_MS) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        rested = elapsedMs()
      }
      return result
    }
    const hear = (messages: readonly ChatMessage[]): void => {
      heardBefore = [...heardBefore, ...messages]
      state = withMessages(state, messages)
      context.reached(state)
    }
    const answered = async (done: DoneStep): Promise<DoneStep> => {
      // A second question is a step like any other: a run that has reached a limit makes none.
      const again = reached().length === 0 ? context.askAgain(state, done) : undefined
      if (again === undefined) return done
      state = { ...state, messages: Object.freeze([...state.messages, again.question]) }
      const last = await run({ tools: [], callsLeft: 0, answer: again.form })
      return last.kind === 'done' ? last : done
    }
    const done = (last: DoneStep): AgentRun => {
      const stops = lastStops(last, recorded, reached())
      const waits = last.suspension
      const end = endOf(last)
      if (waits !== undefined && stops.every(({ reason }) => !ENDS.has(reason)))
        end.suspension = context.suspend({ waits, state, stops, fields })
      return endedRun(meta, state, stops, end)
    }
    let state = withMessages(begunWith(request.messages, context.begin), heardBefore)
    let rested = state.elapsedMs
    try {
      // A policy may allow no turn at all.
      let isFirst = isResumed
      while (isFirst || reached().length === 0) {
        const heard = isFirst ? undefined : hearLate(context.session, meta.signal, hear)
        if (heard !== undefined) {
          await heard
          meta.signal.throwIfAborted()
        }
        const result = await run({ tools, isResumed: isFirst })
        isFirst = false
        if (result.kind === 'done') return done(await answered(result))
        meta.signal.throwIfAborted()
        if (policy.onMissingFields === 'finalize' && lacksFields(result) && reached().length === 0) {
          const last = await run({ tools: [], callsLeft: 0 })
          return endedRun(meta, state, [{ reason: 'missing_fields' }, ...recorded], endOf(last))
        }
      }
      return endedRun(meta, state, reached())
    } catch (error) {
      return context.ended(error)
    }
  }
}

/** The reasons to end that were recorded, and those that hold where the run stands. */
function withMet(
  recorded: readonly StopSignal[],
  conditions: readonly StopCondition[],
  state: LoopState,
): readonly StopSignal[] {
  let stops = recorded
  for (const condition of conditions) {
    // Plain JavaScript may say `null`.
    const stop = condition(state) ?? undefined
    if (stop !== undefined) stops = [...stops, stop]
  }
  return stops
}

const NO_OUTCOMES: readonly ToolOutcome[] = Object.freeze([])

/** A run before its first step. */
export function atStart(messages: RunRequest['messages']): LoopState {
  return {
    turns: 0,
    toolCalls: 0,
    refused: 0,
    promptTokens: 0,
    completionTokens: 0,
    elapsedMs: 0,
    outcomes: NO_OUTCOMES,
    messages,
    runStart: messages.length,
  }
}

function withMessages(state: LoopState, messages: readonly ChatMessage[]): LoopState {
  return messages.length === 0 ? state : { ...state, messages: Object.freeze([...state.messages, ...messages]) }
}

/** Where a run stands when layers around it have changed what it begins with: what it has added itself stays as long. */
function begunWith(messages: RunRequest['messages'], begin: LoopState): LoopState {
  const runStart = Math.max(0, begin.runStart + messages.length - begin.messages.length)
  return { ...begin, messages, runStart }
}

function stepRequest(
  { env, meta, fields, policy: { maxToolCalls } }: RunRequest,
  { turns, messages, outcomes, toolCalls, runStart }: LoopState,
  { tools, callsLeft, answer, isResumed }: StepMode,
): StepRequest {
  const request: Mutable<StepRequest> = { env, meta, turn: turns + 1, messages, tools, outcomes, runStart }
  if (callsLeft !== undefined) request.callsLeft = callsLeft
  else if (maxToolCalls !== undefined) request.callsLeft = Math.max(0, maxToolCalls - toolCalls)
  if (fields !== undefined) request.fields = fields
  if (answer !== undefined) request.answer = answer
  if (isResumed === true) request.isResumed = true
  return request
}

function after(
  state: LoopState,
  { messages, outcomes, account, refused, finishReason }: StepResult,
  { tokens, elapsedMs }: { readonly tokens: TokenLedger; readonly elapsedMs: number },
): LoopState {
  const next: Mutable<LoopState> = {
    turns: state.turns + 1,
    toolCalls: state.toolCalls + account.toolCalls,
    refused: state.refused + refused,
    promptTokens: tokens.promptTokens,
    completionTokens: tokens.completionTokens,
    elapsedMs,
    outcomes: outcomes.length === 0 ? state.outcomes : Object.freeze([...state.outcomes, ...outcomes]),
    messages,
    runStart: state.runStart,
  }
  const spentAbove = tokens.spentAbove()
  if (spentAbove !== undefined) next.spentAbove = spentAbove
  if (finishReason !== undefined) next.finishReason = finishReason
  const model = account.model ?? state.model
  if (model !== undefined) next.model = model
  return next
}

/** An answer stands, whatever limit its step reached, unless it was cut off or somebody stopped the run. */
function lastStops(
  { stop }: DoneStep,
  recorded: readonly StopSignal[],
  reached: readonly StopSignal[],
): readonly StopSignal[] {
  const cut = reached.filter(
    ({ reason }) => reason === 'finish_reason' || (stop.reason !== 'answered' && CUTS.has(reason)),
  )
  return [stop, ...recorded, ...cut]
}

function endOf(last: StepResult): Mutable<RunEnd> {
  return last.kind === 'done' && last.result !== undefined ? { result: last.result } : {}
}

function lacksFields({ outcomes }: StepResult): boolean {
  return outcomes.some((outcome) => outcome.status === 'failed' && outcome.hint.reason === 'missing_fields')
}
