import type { ChatFields, ChatMessage, ChatRequest } from './chat.js'
import type { Issue } from './codec.js'
import type { FailureReason, ToolError } from './failure.js'
import type { JsonText, JsonValue } from './json.js'
import type { RunProgress, RunSuspension, StepSuspension, StopSignal, ToolOutcome } from './outcome.js'
import type { PlanRequest, RunMeta, TokenUsage } from './planner.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef } from './tool.js'

/**
 * Input of a run: text of the user, an array of messages, or a raw chat request, whose other fields are passed on
 * unchanged.
 */
export type RunInput = string | readonly ChatMessage[] | ChatRequest

/** Run as run layers see it. */
export interface RunRequest<out Env = unknown> {
  /** Env of the caller. */
  readonly env: Env
  /** Metadata of the run. */
  readonly meta: RunMeta
  /** Conversation at the start of the run, beginning with the instructions of the agent. */
  readonly messages: readonly ChatMessage[]
  /** Combined limits of the design, the registration and the run. */
  readonly policy: RunPolicy
  /** Other fields of the chat request that started the run. */
  readonly fields?: ChatFields
  /** `true` if a suspended run continues. */
  readonly isResumed?: boolean
}

/** Usage of a run, over all passes that layers around it make. `durationMs` is in milliseconds. */
export interface RunUsage extends StepUsage {
  /** Number of steps. */
  readonly turns: number
  /** Duration in milliseconds. */
  readonly durationMs: number
}

/**
 * Status of a run: `completed` with a result, `stopped` by a limit (with a result if the planner gave one),
 * `suspended` until somebody answers, `cancelled`, or `failed`.
 */
export type RunStatus = 'completed' | 'stopped' | 'suspended' | 'cancelled' | 'failed'

/** Result of a run. */
export interface AgentRun {
  /** Id of the run. */
  readonly runId: string
  /** Name of the agent. */
  readonly agent: string
  /** Status of the run. */
  readonly status: RunStatus
  /** Result of a completed run, or of a run that stopped with a final answer. */
  readonly result?: RunResult
  /** Reason why the run ended. */
  readonly stop: StopSignal
  /** All reasons that applied, including the reported one, in the order in which they occurred. */
  readonly stops: readonly StopSignal[]
  /** Complete conversation. Each call has exactly one response, except suspended calls. */
  readonly messages: readonly ChatMessage[]
  /** Outcomes in call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** Events in the order in which they occurred. */
  readonly events: readonly RunEvent[]
  /** Tokens, calls, steps and duration. */
  readonly usage: RunUsage
  /** Error of a failed run; absent otherwise. */
  readonly error?: ToolError
  /** Suspension of a suspended run; absent otherwise. */
  readonly suspension?: RunSuspension
}

/**
 * Step of a run as step layers see it: one decision with the calls that it requests. `outcomes` are those of earlier
 * steps.
 */
export interface StepRequest<out Env = unknown> extends PlanRequest {
  /** Env of the caller. */
  readonly env: Env
  /** Number of calls that the policy still allows. Default: no limit. */
  readonly callsLeft?: number
  /** `true` if the calls of a suspended step continue; otherwise the planner decides. */
  readonly isResumed?: boolean
}

/** Usage of a step. */
export interface StepUsage extends TokenUsage {
  /** Number of calls. */
  readonly toolCalls: number
  /** Name of the model, as reported by the model. Absent if unknown. */
  readonly model?: string
}

/** Final answer of a run: text, a value, or both. */
export interface RunResult {
  /** Text of the answer. */
  readonly text?: string
  /** Value of the answer, e.g. of a structured answer. */
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
  /** Outcomes of the whole run in call order. */
  readonly outcomes: readonly ToolOutcome[]
  /** Complete conversation. */
  readonly messages: readonly ChatMessage[]
  /**
   * Messages of earlier passes that are no longer in `messages`. Present if a run layer has called `next` again with
   * another conversation.
   */
  readonly earlierMessages?: readonly ChatMessage[]
  /** Token limit of a parent run that is used up. */
  readonly exhaustedParentLimit?: number
  /** Reason why the model stopped in the last step. */
  readonly finishReason?: string
  /** Name of the last model, as reported by the model. */
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

/** Limits of an agent's runs. All fields are optional. */
export interface RunPolicy {
  /**
   * Behaviour after a step in which a call lacked required fields: `resume` (default) lets the planner continue,
   * `finalize` asks for a final answer, `await_clarification` suspends the run with a question.
   */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  /**
   * Maximum number of calls. Further calls end as `cancelled`, and the run stops after the step. Default: unlimited.
   */
  readonly maxToolCalls?: number
  /** Maximum number of steps. Default: unlimited. */
  readonly maxTurns?: number
  /** Stops the run after this number of consecutive failed calls. 0 counts as 1. Default: unlimited. */
  readonly maxConsecutiveFailures?: number
  /** Stops the run after the step in which the total token usage reaches it. Default: unlimited. */
  readonly maxTokens?: number
  /** Time limit of the run in milliseconds. Running calls end as `timeout`. Default: unlimited. */
  readonly timeBudgetMs?: number
  /** Time limit of a call with its layers and attempts, in milliseconds. The run continues. Default: unlimited. */
  readonly toolTimeoutMs?: number
  /** Maximum number of calls of a step that run at the same time. Default: unlimited. */
  readonly parallelism?: number
  /**
   * `fail_fast` cancels the other calls of a step after the first failed call; the run continues. Default `join_all`.
   */
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** Maximum depth of nested agents. 0 forbids calls of other agents. Default 8. */
  readonly maxDepth?: number
}

/** Origin of an event. */
export interface EventOrigin {
  /** Id of the run. Absent for a call outside a run. */
  readonly runId?: string
  /** Name of the agent. Absent for a toolset without an agent. */
  readonly agent?: string
  /** Id of the user's session. */
  readonly sessionId?: string
  /** Id of the turn of the conversation. */
  readonly turnId?: string
  /** Id of the call that caused the run, or the call outside a run. */
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

/** Event of a run or a call. All kinds of tools have the same events. */
export type RunEvent = EventOrigin & {
  /** In milliseconds since the epoch. */
  readonly at: number
  /** 1 for the first event of its run, or of its call outside a run; counts up. */
  readonly sequence: number
} & EventBody

/** Receives events. The runtime does not wait for it and ignores its result and its errors. */
export type EventSink = (event: RunEvent) => unknown

/** Telemetry of an ended call. It is the same for all providers of tools. */
export interface ToolTelemetry {
  /** Status of the outcome. */
  readonly status: ToolOutcome['status']
  /** Reason of a failed call; absent otherwise. */
  readonly reason?: FailureReason
  /** Duration of the call in milliseconds. */
  readonly durationMs: number
  /** Number of attempts of the executor. */
  readonly attempts: number
  /** Name of the model, if known. */
  readonly model?: string
  /** Service that ran the tool, if known. */
  readonly service?: string
  /** Prompt tokens of the nested run. */
  readonly promptTokens?: number
  /** Completion tokens of the nested run. */
  readonly completionTokens?: number
  /** Number of calls of the nested run. Absent if no agent serves the tool. */
  readonly children?: number
  /** Issues of a failed call, as in its error. Absent without issues. */
  readonly issues?: readonly Issue[]
  /** `true` if the result is an object or an array. */
  readonly structured: boolean
  /** Attributes that the builder of the registration adds. */
  readonly attributes?: Readonly<Record<string, JsonValue>>
}

/** Input of a telemetry builder. */
export interface TelemetryInput {
  /** Called tool. */
  readonly tool: AgentToolSpec
  /** Metadata of the call. */
  readonly meta: ToolCallMeta
  /** Start of the call, in milliseconds since the epoch. */
  readonly start: number
  /** End of the call, in milliseconds since the epoch. */
  readonly end: number
  /** Outcome of the call. */
  readonly outcome: ToolOutcome
  /** Details that the executor added to the result, without model and service. */
  readonly extras: Readonly<Record<string, JsonValue>>
}

/** Returns attributes for the telemetry of a registration's tools. Errors that it throws are ignored. */
export type TelemetryBuilder = (facts: TelemetryInput) => Readonly<Record<string, JsonValue>>

/** Call for which a tracer records a span. */
export interface TracedCall {
  /** Called tool. Absent if there is no such tool. */
  readonly tool?: AgentToolSpec
  /** Id of the call and of its tool. */
  readonly call: ToolCallRef
  /** Metadata of the call. */
  readonly meta: ToolCallMeta
  /** Arguments as sent. */
  readonly arguments: JsonText
}

/** Ended call with its telemetry. */
export interface TracedOutcome {
  /** Outcome of the call. */
  readonly outcome: ToolOutcome
  /** Telemetry of the call. */
  readonly telemetry: ToolTelemetry
}

/**
 * Records spans of calls and runs. It must call `work` immediately and return its result. Its own errors never change
 * an outcome.
 */
export interface Tracer {
  /** Records a call, also inside a run. */
  call(call: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome>
  /** Records a run, with its calls and nested runs. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun>
}
