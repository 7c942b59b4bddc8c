import type { CallResumption, TokenLedger } from '../call/nested-run.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { StopSignal, SuspendedCall, ToolOutcome } from '../types/outcome.js'
import type { ResponseFormat, TokenUsage } from '../types/planner.js'
import type { RunState, StepResult } from '../types/run.js'

/** A step that ended its run. */
export type DoneStep = Extract<StepResult, { readonly kind: 'done' }>

/** Decides whether the planner is asked once more for an answer. */
export type AskAgain = (
  state: RunState,
  answer: DoneStep,
) => { readonly question: ChatMessage; readonly responseFormat: ResponseFormat } | undefined

/** The point at which a run starts or continues. */
export interface RunStart {
  readonly state: RunState
  /** Reasons to end that were recorded before the run was suspended. */
  readonly stops: readonly StopSignal[]
  /** Other fields of the chat request. */
  readonly fields?: ChatFields
  /** The suspended step; absent if the planner decides next. */
  readonly step?: ResumedStep
}

/** A suspended step, ready to continue. */
export interface ResumedStep {
  readonly calls: readonly SuspendedCall[]
  /** Outcomes of all calls of the step, as they were stored. */
  readonly outcomes: readonly ToolOutcome[]
  /** Data with which suspended calls continue, by call id; a call without an answer is absent. */
  readonly resumptions: ReadonlyMap<string, CallResumption>
}

const NO_OUTCOMES: readonly ToolOutcome[] = Object.freeze([])

/** Returns the state of a run before its first step. */
export function initialState(messages: readonly ChatMessage[]): RunState {
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

/** The attempts at one step: a layer around the step may call `next` several times. */
export class StepAttempts {
  readonly attempts: StepAttempt[] = []
  readonly tokens: TokenLedger
  readonly callsLeft: number

  constructor(tokens: TokenLedger, callsLeft: number = Number.POSITIVE_INFINITY) {
    this.tokens = tokens
    this.callsLeft = callsLeft
  }

  get outcomes(): readonly ToolOutcome[] {
    return this.attempts.flatMap(({ outcomes }) => outcomes)
  }

  add(): StepAttempt {
    const attempt = new StepAttempt(this)
    this.attempts.push(attempt)
    return attempt
  }

  sum(name: 'toolCalls' | 'refused'): number {
    return this.attempts.reduce((total, attempt) => total + attempt[name], 0)
  }

  /** Returns the outcomes of the attempts whose result a layer did not return. */
  droppedOutcomes(returned: readonly ToolOutcome[]): readonly ToolOutcome[] {
    if (this.attempts.length < 2) return NO_OUTCOMES
    const ids = new Set(returned.map(({ call }) => call.toolCallId))
    return this.outcomes.filter(({ call }) => !ids.has(call.toolCallId))
  }
}

/** One attempt at a step. Its usage counts even if a layer drops its result. */
export class StepAttempt {
  promptTokens = 0
  completionTokens = 0
  toolCalls = 0
  refused = 0
  readonly #ended: ToolOutcome[] = []
  /** Outcomes of the calls that have ended; when the attempt has ended, of all calls in call order. */
  outcomes: readonly ToolOutcome[] = this.#ended
  readonly #step: StepAttempts

  constructor(step: StepAttempts) {
    this.#step = step
  }

  /** Counts the tokens of a decision. */
  spend({ promptTokens, completionTokens }: TokenUsage): void {
    this.#step.tokens.spend({ promptTokens, completionTokens })
    this.promptTokens += promptTokens
    this.completionTokens += completionTokens
  }

  /** Records a call that has ended, so that it counts even if the step does not end. */
  record(outcome: ToolOutcome): void {
    this.#ended.push(outcome)
  }

  /**
   * Counts calls and returns the number of them that may run.
   *
   * @param limit `callsLeft` of the request
   */
  allow(requested: number, limit: number = Number.POSITIVE_INFINITY): number {
    const left = this.#step.callsLeft - this.#step.sum('toolCalls')
    const allowed = Math.max(0, Math.min(requested, limit, left))
    this.toolCalls += allowed
    this.refused += requested - allowed
    return allowed
  }
}
