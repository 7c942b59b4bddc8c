import type { ToolCallRef } from './call.js'
import type { ChatFields, ChatMessage, ChatRequest } from './chat.js'
import type { FailureReason, StopSignal } from './errors.js'
import type { Issue } from './issue.js'
import type { JsonText, JsonValue } from './json.js'
import type { RunSuspension, StepSuspension, ToolError, ToolOutcome } from './outcome.js'
import type { ResponseFormat, RunMeta, TokenUsage } from './planner.js'
import type { AgentToolSpec, ToolCallMeta } from './tool.js'

/** What a run begins with: the user's words, a conversation, or a raw chat request, whose other fields travel unchanged. */
export type RunInput = string | readonly ChatMessage[] | ChatRequest

/** A whole run on its way through the layers. */
export interface RunRequest<out Env = unknown> {
  readonly env: Env
  readonly meta: RunMeta
  /** The conversation that the run goes on with, the instructions of the agent first. */
  readonly messages: readonly ChatMessage[]
  /** The limits of the design, the binding and the run, joined. */
  readonly policy: RunPolicy
  /** The other fields of the chat request that the run began with: as the caller set them. */
  readonly fields?: ChatFields
  /** Whether a suspended run goes on; absent: it begins. */
  readonly isResumed?: boolean
}

/** Use of a run, over all passes that layers around it make. `durationMs` is in milliseconds. */
export interface RunUsage extends TokenUsage {
  readonly turns: number
  readonly toolCalls: number
  readonly durationMs: number
  /** The model that was asked last, as it calls itself; absent where no model said so. */
  readonly model?: string
}

/**
 * How a run ended: `completed` with a result, `stopped` by a limit (with a result where the planner gave one),
 * `suspended` until somebody answers, `cancelled`, or `failed`.
 */
export type RunStatus = 'completed' | 'stopped' | 'suspended' | 'cancelled' | 'failed'

/** What became of a run. */
export interface AgentRun {
  readonly runId: string
  readonly agent: string
  readonly status: RunStatus
  /** Present for a completed run, and for a stopped one whose planner had last words. */
  readonly result?: RunResult
  /** Why the run ended. */
  readonly stop: StopSignal
  /** All reasons to end that were met, the reported one included, in the order in which they were met. */
  readonly stops: readonly StopSignal[]
  /** The whole conversation. Each call in it has exactly one answer, except those of a suspension. */
  readonly messages: readonly ChatMessage[]
  /** In call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** In the order in which they happened. */
  readonly events: readonly RunEvent[]
  readonly usage: RunUsage
  /** Present exactly for a failed run. */
  readonly error?: ToolError
  /** Present exactly for a suspended run. */
  readonly suspension?: RunSuspension
}

/** One step of a run: one decision and the calls that it asks for. */
export interface StepRequest<out Env = unknown> {
  readonly env: Env
  readonly meta: RunMeta
  /** 1 for the first step of the run. */
  readonly turn: number
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly AgentToolSpec[]
  /** The outcomes of earlier steps, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** How many calls the policy still allows; absent: any number. */
  readonly callsLeft?: number
  /** The other fields of the chat request that the run began with: as the caller set them. */
  readonly fields?: ChatFields
  /** How many of the messages the run began with; those behind them are its own. */
  readonly runStart?: number
  /** Whether the calls of a step that waited go on; absent: the planner is asked. */
  readonly isResumed?: boolean
  /** Present when the final answer is asked for in this form. */
  readonly responseFormat?: ResponseFormat
  /** `true` when the answer of the step before has to be corrected: the last message says what is wrong. Else absent. */
  readonly isCorrection?: boolean
}

/** What a step cost. */
export interface StepUsage extends TokenUsage {
  readonly toolCalls: number
  /** The model that decided, as it calls itself; absent where no model said so. */
  readonly model?: string
}

/** What a run answers in the end: text, a value, or both. */
export interface RunResult {
  readonly text?: string
  readonly value?: JsonValue
}

/** How a step ended. Its messages are the whole conversation, what the step added at the end. */
export type StepResult = {
  readonly messages: readonly ChatMessage[]
  /** The outcomes of this step's calls, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  readonly usage: StepUsage
  /** How many calls were refused since the policy allows no more. */
  readonly refused: number
  /** Why the model stopped, where it said so. */
  readonly finishReason?: string
  /** Reasons to end the run that layers around the step recorded, the outermost first. */
  readonly stops?: readonly StopSignal[]
} & (
  | {
      readonly kind: 'next'
      /**
       * Asks for a correction of the answer of this step: the loop adds the message and takes one more step without tools,
       * unless the run has reached a limit.
       */
      readonly correction?: ChatMessage
    }
  | {
      readonly kind: 'done'
      readonly stop: StopSignal
      readonly result?: RunResult
      readonly suspension?: StepSuspension
    }
)

/** State of a run after a step. It covers all passes: a layer around the run may call `next` several times. */
export interface RunState {
  readonly turns: number
  readonly toolCalls: number
  /** Calls that the policy did not allow any more. */
  readonly refused: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** In milliseconds. */
  readonly elapsedMs: number
  /** Of the whole run, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** The whole conversation. */
  readonly messages: readonly ChatMessage[]
  /** How many of the messages the run began with. */
  readonly runStart: number
  /**
   * Messages of earlier passes that are not in `messages` any more. Present after a layer around the run has called `next`
   * again with another conversation.
   */
  readonly earlierMessages?: readonly ChatMessage[]
  /** The limit of tokens of a run above this one, where it is used up. */
  readonly exhaustedParentLimit?: number
  /** Why the model stopped in the last step, where it said so. */
  readonly finishReason?: string
  /** The model that was asked last, as it calls itself. */
  readonly model?: string
}

/**
 * Says whether a run ends after a step: a pure function of where it stands.
 *
 * @example
 * const patience: StopCondition = ({ turns }) =>
 *   turns < 10 ? undefined : { reason: 'stopped', by: 'patience', message: 'This takes too long.' }
 */
export type StopCondition = (state: RunState) => StopSignal | undefined

/** The limits of an agent's runs as data; every field may be left out. */
export interface RunPolicy {
  /** What happens when a call lacks required fields. */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  readonly maxToolCalls?: number
  readonly maxTurns?: number
  readonly maxConsecutiveFailures?: number
  readonly maxTokens?: number
  /** In milliseconds. */
  readonly timeBudgetMs?: number
  /** In milliseconds. */
  readonly toolTimeoutMs?: number
  /** How many calls run at once. */
  readonly parallelism?: number
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** How many agents may stand above a run: 0 lets an agent call no other. Default 8. */
  readonly maxDepth?: number
}

/** What each event says of where it comes from. */
export interface EventOrigin {
  /** Absent for a call outside a run. */
  readonly runId?: string
  /** Absent for a toolset without an agent. */
  readonly agent?: string
  readonly sessionId?: string
  readonly turnId?: string
  /** The call that caused the run, or the call outside a run. */
  readonly parentToolCallId?: string
}

/** What happened, beside when and where. */
export type EventBody =
  | { readonly type: 'run_started' }
  /** In place of `run_started`, where a suspended run goes on. */
  | { readonly type: 'run_resumed'; readonly suspension: string }
  | { readonly type: 'step_started'; readonly turn: number }
  | {
      readonly type: 'call_started'
      readonly call: ToolCallRef
      /** For people: the tool's title; its name as it was asked for where there is no such tool. */
      readonly title: string
      /** The arguments as they were sent. */
      readonly arguments: JsonText
      /** The call hint of the design with the payload filled in; absent where there is none or the arguments are invalid. */
      readonly hint?: string
    }
  | {
      readonly type: 'call_updated'
      readonly call: ToolCallRef
      /** 1 for the call's first update. */
      readonly index: number
      readonly update: JsonText
    }
  | {
      readonly type: 'call_ended'
      readonly call: ToolCallRef
      readonly title: string
      readonly outcome: ToolOutcome
      /** The result hint of the design with the result filled in; absent where there is none or the call did not complete. */
      readonly hint?: string
      readonly telemetry: ToolTelemetry
    }
  | {
      /** One agent handed over to another: when a call of an agent's tool begins its run, and when that run has ended. */
      readonly type: 'handoff'
      readonly call: ToolCallRef
      readonly fromAgent: string
      readonly toAgent: string
      readonly reason?: string
    }
  | { readonly type: 'step_ended'; readonly turn: number; readonly usage: StepUsage }
  | {
      readonly type: 'run_ended'
      readonly status: RunStatus
      readonly stop: StopSignal
      readonly result?: RunResult
    }

/** One thing that happened. Events have one shape, whoever provides the tools. */
export type RunEvent = EventOrigin & {
  /** In milliseconds since the epoch. */
  readonly at: number
  /** 1 for the first event of its run, or of its call outside a run; counts up. */
  readonly sequence: number
} & EventBody

/**
 * Is told of each event. It is not waited for; what it gives back is ignored, and what it throws or rejects with is dropped:
 * a sink never harms a call.
 */
export type EventSink = (event: RunEvent) => unknown

/** What an ended call tells operators; the same whoever provides the tool. */
export interface ToolTelemetry {
  readonly status: ToolOutcome['status']
  /** Present exactly for a failed call. */
  readonly reason?: FailureReason
  readonly durationMs: number
  readonly attempts: number
  readonly model?: string
  readonly service?: string
  readonly promptTokens?: number
  readonly completionTokens?: number
  /** The number of calls of the run that served the call; absent for a tool that no agent serves. */
  readonly children?: number
  /** The issues of a failed call, as its error lists them; absent where there are none. */
  readonly issues?: readonly Issue[]
  /** Whether the result is an object or a list, not text or a number alone. */
  readonly structured: boolean
  /** What the registration's own builder adds. */
  readonly attributes?: Readonly<Record<string, JsonValue>>
}

/** What a telemetry builder is given. */
export interface TelemetryInput {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
  /** In milliseconds since the epoch. */
  readonly start: number
  /** In milliseconds since the epoch. */
  readonly end: number
  readonly outcome: ToolOutcome
  /** What the executor said of the result beside model and service. */
  readonly extras: Readonly<Record<string, JsonValue>>
}

/** Says what telemetry adds for the tools of a registration. What it throws is dropped. */
export type TelemetryBuilder = (facts: TelemetryInput) => Readonly<Record<string, JsonValue>>

/** A call that a tracer accompanies. */
export interface TracedCall {
  /** Absent where there is no such tool. */
  readonly tool?: AgentToolSpec
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  readonly arguments: JsonText
}

/** A call that has ended, with its telemetry. */
export interface TracedOutcome {
  readonly outcome: ToolOutcome
  readonly telemetry: ToolTelemetry
}

/**
 * Accompanies calls and runs with spans, so that what happens inside belongs to them. Calls `work` at once
 * and passes its answer on; whatever else it does never changes an outcome.
 */
export interface Tracer {
  /** Accompanies one call, also within a run. */
  call(call: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome>
  /** Accompanies one run, with the calls and runs beneath it. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun>
}
