import { addTokens, type CallResumption, type TokenLedger } from '../call/nested-run.js'
import type { ChatFields, ChatMessage } from '../types/chat.js'
import type { StopSignal, SuspendedCall, ToolOutcome } from '../types/outcome.js'
import type { ResponseFormat } from '../types/planner.js'
import type { RunState, StepResult } from '../types/run.js'
import type { ModelUsage } from '../types/token-usage.js'

export type DoneStep = Extract<StepResult, { readonly kind: 'done' }>

export type AskAgain = (
  state: RunState,
  answer: DoneStep,
) => { readonly question: ChatMessage; readonly responseFormat: ResponseFormat } | undefined

export interface RunStart {
  readonly state: RunState
  /** Recorded before the suspension of the run. */
  readonly stops: readonly StopSignal[]
  readonly fields?: ChatFields
  readonly step?: ResumedStep
}

export interface ResumedStep {
  readonly calls: readonly SuspendedCall[]
  readonly outcomes: readonly ToolOutcome[]
  /** Call id → state from which the suspended call continues. Contains only answered calls. */
  readonly resumptions: ReadonlyMap<string, CallResumption>
}

const NO_OUTCOMES: readonly ToolOutcome[] = Object.freeze([])

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

/** Each call of `next` by a step layer starts a new attempt. */
export class StepAttempts {
  attempts: readonly StepAttempt[] = []
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
    // Most steps have one attempt. Unlike an array literal, `push` reserves memory for 17 elements.
    this.attempts = this.attempts.length === 0 ? [attempt] : [...this.attempts, attempt]
    return attempt
  }

  sum(name: 'toolCalls' | 'refused'): number {
    let total = 0
    for (const attempt of this.attempts) total += attempt[name]
    return total
  }

  droppedOutcomes(returned: readonly ToolOutcome[]): readonly ToolOutcome[] {
    if (this.attempts.length < 2) return NO_OUTCOMES
    const ids = new Set(returned.map(({ call }) => call.toolCallId))
    return this.outcomes.filter(({ call }) => !ids.has(call.toolCallId))
  }
}

/** The usage of the attempt counts even if a step layer ignores the result of the attempt. */
export class StepAttempt {
  promptTokens = 0
  completionTokens = 0
  cachedPromptTokens?: number
  cacheWritePromptTokens?: number
  reasoningTokens?: number
  cost?: number
  toolCalls = 0
  refused = 0
  #ended: ToolOutcome[] | undefined = undefined
  /** Outcomes of the calls that have ended so far. After the attempt: the outcomes of all calls, in the order of the calls. */
  outcomes: readonly ToolOutcome[] = NO_OUTCOMES
  readonly #step: StepAttempts

  constructor(step: StepAttempts) {
    this.#step = step
  }

  spend(usage: ModelUsage): void {
    this.#step.tokens.spend(usage)
    addTokens(this, usage)
  }

  /** The run contains `outcome` even if the step fails. */
  record(outcome: ToolOutcome): void {
    if (this.#ended !== undefined) this.#ended.push(outcome)
    else {
      this.#ended = [outcome]
      this.outcomes = this.#ended
    }
  }

  allow(requested: number, limit: number = Number.POSITIVE_INFINITY): number {
    const left = this.#step.callsLeft - this.#step.sum('toolCalls')
    const allowed = Math.max(0, Math.min(requested, limit - this.toolCalls, left))
    this.toolCalls += allowed
    this.refused += requested - allowed
    return allowed
  }
}
