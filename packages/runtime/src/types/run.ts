import type { ChatFields, ChatMessage, ChatRequest } from './chat.js'
import type { Issue } from './codec.js'
import type { JsonText, JsonValue } from './json.js'
import type {
  FailureReason,
  RunProgress,
  RunSuspension,
  StepSuspension,
  StopSignal,
  ToolError,
  ToolOutcome,
} from './outcome.js'
import type { PlanRequest, RunMeta, TokenUsage } from './planner.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef } from './tool.js'

/** Input of a run: a text of the user, a conversation, or a raw chat request, whose other fields are passed on unchanged. */
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
  /** `true` if a suspended run continues. */
  readonly isResumed?: boolean
}

/** Usage of a run, over all passes that layers around it make. `durationMs` is in milliseconds. */
export interface RunUsage extends StepUsage {
  readonly turns: number
  readonly durationMs: number
}

/**
 * Status of a run: `completed` with a result, `stopped` by a limit (with a result if the planner gave one),
 * `suspended` until somebody answers, `cancelled`, or `failed`.
 */
export type RunStatus = 'completed' | 'stopped' | 'suspended' | 'cancelled' | 'failed'

/** Result of a run. */
export interface AgentRun {
  readonly runId: string
  readonly agent: string
  readonly status: RunStatus
  /** Present for a completed run, and for a stopped one whose planner had last words. */
  readonly result?: RunResult
  /** Reason why the run ended. */
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

/** One step of a run: one decision and the calls that it asks for. `outcomes` are those of earlier steps. */
export interface StepRequest<out Env = unknown> extends PlanRequest {
  readonly env: Env
  /** Number of calls that the policy still allows. Default: no limit. */
  readonly callsLeft?: number
  /** `true` if the calls of a suspended step continue; otherwise the planner decides. */
  readonly isResumed?: boolean
}

/** Usage of a step. */
export interface StepUsage extends TokenUsage {
  readonly toolCalls: number
  /** The model that decided, as it calls itself; absent where no model said so. */
  readonly model?: string
}

/** Final answer of a run: text, a value, or both. */
export interface RunResult {
  readonly text?: string
  readonly value?: JsonValue
}

/** Result of a step. Its messages are the whole conversation; those that the step added are at the end. */
export type StepResult = {
  readonly messages: readonly ChatMessage[]
  /** The outcomes of this step's calls, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  readonly usage: StepUsage
  /** Number of calls that were refused because of the policy. */
  readonly refused: number
  /** Reason why the model stopped. */
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
export interface RunState extends Omit<RunProgress, 'events' | 'stops' | 'outcomes' | 'fields'> {
  /** Of the whole run, in call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** The whole conversation. */
  readonly messages: readonly ChatMessage[]
  /**
   * Messages of earlier passes that are not in `messages` any more. Present after a layer around the run has called `next`
   * again with another conversation.
   */
  readonly earlierMessages?: readonly ChatMessage[]
  /** The limit of tokens of a run above this one, where it is used up. */
  readonly exhaustedParentLimit?: number
  /** Reason why the model stopped in the last step. */
  readonly finishReason?: string
  /** The model that was asked last, as it calls itself. */
  readonly model?: string
}

/**
 * Returns a signal if the run ends after a step: a pure function of its state.
 *
 * @example
 * const patience: StopCondition = ({ turns }) =>
 *   turns < 10 ? undefined : { reason: 'stopped', by: 'patience', message: 'This takes too long.' }
 */
export type StopCondition = (state: RunState) => StopSignal | undefined

/** The limits of an agent's runs as data; every field may be left out. */
export interface RunPolicy {
  /** Behaviour for a call that lacks required fields. */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  readonly maxToolCalls?: number
  readonly maxTurns?: number
  readonly maxConsecutiveFailures?: number
  readonly maxTokens?: number
  /** In milliseconds. */
  readonly timeBudgetMs?: number
  /** In milliseconds. */
  readonly toolTimeoutMs?: number
  /** Maximum number of parallel calls. */
  readonly parallelism?: number
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** Maximum number of parent agents of a run: with 0 an agent can call no other agent. Default 8. */
  readonly maxDepth?: number
}

/** Origin of an event. */
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

/** Type and data of an event. */
export type EventBody =
  | { readonly type: 'run_started' }
  /** Replaces `run_started` when a suspended run continues. */
  | { readonly type: 'run_resumed'; readonly suspension: string }
  | { readonly type: 'step_started'; readonly turn: number }
  | {
      readonly type: 'call_started'
      readonly call: ToolCallRef
      /** For people: the tool's title; its name as it was asked for where there is no such tool. */
      readonly title: string
      /** The arguments as they were sent. */
      readonly arguments: JsonText
      /** The call hint of the design with the payload filled in; absent without one, or if the arguments are invalid. */
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
      /** The result hint of the design with the result filled in; absent without one, or if the call did not complete. */
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
 * Receives each event. The runtime does not wait for it and ignores what it returns, throws or rejects with:
 * a sink never harms a call.
 */
export type EventSink = (event: RunEvent) => unknown

/** Telemetry of an ended call. It is the same for all providers of tools. */
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
  /** The issues of a failed call, as its error lists them. */
  readonly issues?: readonly Issue[]
  /** `true` if the result is an object or an array. */
  readonly structured: boolean
  /** Attributes that the builder of the registration adds. */
  readonly attributes?: Readonly<Record<string, JsonValue>>
}

/** Input of a telemetry builder. */
export interface TelemetryInput {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
  /** In milliseconds since the epoch. */
  readonly start: number
  /** In milliseconds since the epoch. */
  readonly end: number
  readonly outcome: ToolOutcome
  /** Details of the result that the executor gave, without model and service. */
  readonly extras: Readonly<Record<string, JsonValue>>
}

/** Returns attributes for the telemetry of a registration's tools. Errors that it throws are ignored. */
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
  /** Accompanies one run, with its calls and nested runs. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun>
}
