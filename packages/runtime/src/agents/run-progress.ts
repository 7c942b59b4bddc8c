import type { TokenLedger } from '../call/nesting.js'
import type { ChatMessage } from '../types/chat.js'
import type { StopSignal } from '../types/errors.js'
import type { Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { TokenUsage } from '../types/planner.js'
import type { AgentRun, RunRequest, RunState, RunUsage, StepResult } from '../types/run.js'
import { withoutWaiting } from './run-calls.js'

/** Parts of a {@link RunProgress}. */
export interface ProgressParts {
  /** State at the start of the run; its messages are those of the first request. */
  readonly begin: RunState
  /** Reasons to end that were recorded before the run was suspended. */
  readonly stops: readonly StopSignal[]
  /** Tokens of the run and of the runs that it calls. */
  readonly tokens: TokenLedger
  /** Milliseconds since the run began. */
  readonly elapsedMs: () => number
}

/** Use of one attempt at a step. */
interface AttemptUse {
  promptTokens: number
  completionTokens: number
  toolCalls: number
  refused: number
  outcomes: readonly ToolOutcome[]
}

/** One attempt at the step under way; counts what it uses even if a layer drops its result. */
export interface StepAttempt {
  /** Counts the tokens of a decision. */
  spend(usage: TokenUsage): void
  /**
   * Counts calls and returns the number of them that may run.
   *
   * @param limit `callsLeft` of the request; absent: no limit
   */
  allow(requested: number, limit: number | undefined): number
  /** Records the outcome of a call that has ended, so that it counts also where the step does not end. */
  record(outcome: ToolOutcome): void
  /** Records the outcomes of all calls, in call order. */
  end(outcomes: readonly ToolOutcome[]): void
}

/**
 * State of one run. It covers all passes of the loop, since a layer around the run may call `next` several times, and all
 * attempts at a step, since a layer around the step may do so too: limits, usage, outcomes and the numbers of steps go on.
 */
export class RunProgress {
  readonly #parts: ProgressParts
  #state: RunState
  #recorded: readonly StopSignal[]
  #late: readonly ChatMessage[] = []
  #passes = 0
  #isInPass = false
  /** Attempts at the step under way; absent between steps. */
  #attempts: AttemptUse[] | undefined
  #callsLeft: number | undefined
  /** A step that failed counts as a turn in the passes after it. */
  #hasFailedStep = false

  constructor(parts: ProgressParts) {
    this.#parts = parts
    this.#state = parts.begin
    this.#recorded = parts.stops
  }

  /** State after the last step. */
  get state(): RunState {
    return this.#state
  }

  /** State with the tokens that a step under way, or one that failed, has spent. */
  get present(): RunState {
    const { promptTokens, completionTokens } = this.#parts.tokens
    return { ...this.#state, promptTokens, completionTokens }
  }

  /** Reasons to end that were recorded by layers and hooks. */
  get recorded(): readonly StopSignal[] {
    return this.#recorded
  }

  /**
   * Starts a pass over the loop with these messages.
   *
   * @throws {TypeError} when another pass has not ended.
   */
  beginPass(messages: RunRequest['messages']): void {
    if (this.#isInPass) {
      throw new TypeError('a layer around the run called next again before its first call had ended: await it first')
    }
    this.#isInPass = true
    this.#passes += 1
    this.#state = this.#passes === 1 ? begunWith(messages, this.#state) : this.#nextPass(messages)
    this.#append(this.#late.filter((message) => !messages.includes(message)))
  }

  endPass(): void {
    this.#isInPass = false
  }

  /**
   * Starts a step.
   *
   * @param callsLeft number of calls that the step may make; absent: any number
   */
  beginStep(callsLeft: number | undefined): void {
    this.#attempts = []
    this.#callsLeft = callsLeft
  }

  /** Starts an attempt at the step under way. */
  attempt(): StepAttempt {
    const use: AttemptUse = { promptTokens: 0, completionTokens: 0, toolCalls: 0, refused: 0, outcomes: NO_OUTCOMES }
    const attempts = this.#attempts ?? []
    const callsLeft = this.#callsLeft
    const recorded: ToolOutcome[] = []
    attempts.push(use)
    return {
      spend: ({ promptTokens, completionTokens }) => {
        this.#parts.tokens.spend({ promptTokens, completionTokens })
        use.promptTokens += promptTokens
        use.completionTokens += completionTokens
      },
      allow: (requested, limit = Number.POSITIVE_INFINITY) => {
        const left = (callsLeft ?? Number.POSITIVE_INFINITY) - sum(attempts, 'toolCalls')
        const allowed = Math.max(0, Math.min(requested, limit, left))
        use.toolCalls += allowed
        use.refused += requested - allowed
        return allowed
      },
      record: (outcome) => {
        recorded.push(outcome)
        use.outcomes = recorded
      },
      end: (outcomes) => {
        use.outcomes = outcomes
      },
    }
  }

  /** Ends the step with the result that its layers returned. */
  endStep({ messages, outcomes, usage, refused, finishReason, stops }: StepResult): void {
    const { tokens, elapsedMs } = this.#parts
    const attempts = this.#attempts
    // The run has failed in the meantime: the step has counted already.
    if (attempts === undefined) return
    this.#attempts = undefined
    // A layer may return an usage of its own: what it adds to that of its attempt counts too.
    const reported = attempts.find((use) => COUNTS.every((name) => use[name] === usage[name])) ?? attempts.at(-1)
    const added = (name: (typeof COUNTS)[number]): number => usage[name] - (reported?.[name] ?? 0)
    tokens.spend({ promptTokens: added('promptTokens'), completionTokens: added('completionTokens') })
    const dropped = attempts.length > 1 ? droppedOutcomes(attempts, outcomes) : NO_OUTCOMES
    const state = this.#state
    const next: Mutable<RunState> = {
      turns: state.turns + 1,
      toolCalls: state.toolCalls + sum(attempts, 'toolCalls') + added('toolCalls'),
      refused: state.refused + sum(attempts, 'refused') + refused - (reported?.refused ?? 0),
      promptTokens: tokens.promptTokens,
      completionTokens: tokens.completionTokens,
      elapsedMs: elapsedMs(),
      outcomes: withOutcomes(state.outcomes, [...dropped, ...outcomes]),
      messages,
      runStart: state.runStart,
    }
    if (state.earlierMessages !== undefined) next.earlierMessages = state.earlierMessages
    const exhaustedParentLimit = tokens.exhaustedParentLimit()
    if (exhaustedParentLimit !== undefined) next.exhaustedParentLimit = exhaustedParentLimit
    if (finishReason !== undefined) next.finishReason = finishReason
    const model = usage.model ?? state.model
    if (model !== undefined) next.model = model
    this.#state = next
    if (stops !== undefined) this.#recorded = [...this.#recorded, ...stops]
  }

  /** Ends a step that threw, or that its run does not wait for: what it has used counts. */
  failStep(): void {
    const attempts = this.#attempts
    if (attempts === undefined) return
    this.#attempts = undefined
    this.#hasFailedStep = true
    const { toolCalls, refused, outcomes } = this.#state
    this.#state = {
      ...this.#state,
      toolCalls: toolCalls + sum(attempts, 'toolCalls'),
      refused: refused + sum(attempts, 'refused'),
      outcomes: withOutcomes(
        outcomes,
        attempts.flatMap((use) => use.outcomes),
      ),
    }
  }

  /** Adds a message that asks the planner for more. */
  ask(message: ChatMessage): void {
    this.#append([message])
  }

  /** Adds results of earlier calls that arrived late. They are given to a run once, so every pass has them. */
  hear(messages: readonly ChatMessage[]): void {
    this.#late = [...this.#late, ...messages]
    this.#append(messages)
  }

  /** Returns the run that its layers returned with the usage and the outcomes of all passes. */
  covering(run: AgentRun): AgentRun {
    // One pass has told everything itself.
    if (this.#passes < 2) return run
    const { turns, toolCalls, outcomes, promptTokens, completionTokens, elapsedMs, model } = this.present
    const own: Mutable<RunUsage> = { turns, toolCalls, promptTokens, completionTokens, durationMs: elapsedMs }
    if (model !== undefined) own.model = model
    return { ...run, usage: mostUsage(run.usage, own), outcomes: allOutcomes(run.outcomes, outcomes) }
  }

  #nextPass(messages: RunRequest['messages']): RunState {
    const state = this.present
    const outcomes = withoutWaiting(state.outcomes)
    const turns = state.turns + (this.#hasFailedStep ? 1 : 0)
    this.#hasFailedStep = false
    const goesOn = state.messages.every((message, index) => message === messages[index])
    if (goesOn) return { ...state, turns, outcomes, messages }
    const earlierMessages = Object.freeze([...(state.earlierMessages ?? []), ...state.messages.slice(state.runStart)])
    return { ...begunWith(messages, { ...state, ...beginning(this.#parts.begin) }), turns, outcomes, earlierMessages }
  }

  #append(messages: readonly ChatMessage[]): void {
    if (messages.length === 0) return
    this.#state = { ...this.#state, messages: Object.freeze([...this.#state.messages, ...messages]) }
  }
}

const NO_OUTCOMES: readonly ToolOutcome[] = Object.freeze([])
const COUNTS = ['promptTokens', 'completionTokens', 'toolCalls'] as const

/** State of a run before its first step. */
export function atStart(messages: RunRequest['messages']): RunState {
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

/** State where layers around the run have changed what it begins with: what the run has added itself stays as long. */
function begunWith(messages: RunRequest['messages'], begin: RunState): RunState {
  const runStart = Math.max(0, begin.runStart + messages.length - begin.messages.length)
  return { ...begin, messages, runStart }
}

function beginning({ messages, runStart }: RunState): Pick<RunState, 'messages' | 'runStart'> {
  return { messages, runStart }
}

function sum(attempts: readonly AttemptUse[], name: 'toolCalls' | 'refused'): number {
  return attempts.reduce((count, use) => count + use[name], 0)
}

function withOutcomes(before: readonly ToolOutcome[], added: readonly ToolOutcome[]): readonly ToolOutcome[] {
  return added.length === 0 ? before : Object.freeze([...before, ...added])
}

/** Outcomes of the attempts whose result a layer did not return. */
function droppedOutcomes(attempts: readonly AttemptUse[], returned: readonly ToolOutcome[]): readonly ToolOutcome[] {
  const ids = new Set(returned.map(({ call }) => call.toolCallId))
  return attempts.flatMap((use) => use.outcomes).filter(({ call }) => !ids.has(call.toolCallId))
}

/** The greater number of each: a layer may add what it has used itself, and may return the run of an earlier pass. */
function mostUsage(given: Partial<RunUsage> | undefined, own: RunUsage): RunUsage {
  const most = (name: Exclude<keyof RunUsage, 'model'>): number => Math.max(given?.[name] ?? 0, own[name])
  return {
    ...own,
    turns: most('turns'),
    toolCalls: most('toolCalls'),
    promptTokens: most('promptTokens'),
    completionTokens: most('completionTokens'),
    durationMs: most('durationMs'),
  }
}

/** The outcomes that a layer returned, and those of the passes after it where they are from an earlier pass. */
function allOutcomes(given: readonly ToolOutcome[], own: readonly ToolOutcome[]): readonly ToolOutcome[] {
  const isEarlier = given.every(({ call }, index) => call.toolCallId === own[index]?.call.toolCallId)
  return isEarlier ? Object.freeze([...given, ...own.slice(given.length)]) : given
}
