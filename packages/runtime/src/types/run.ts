import type { ChatFields, ChatMessage, ChatRequest, RunItem } from './chat.js'
import type { Issue } from './codec.js'
import type { FailureReason, ToolError } from './failure.js'
import type { JsonText, JsonValue } from './json.js'
import type { GuardrailReport, RunProgress, RunSuspension, StepSuspension, StopSignal, ToolOutcome } from './outcome.js'
import type { ModelDelta, ModelResponse, PlanRequest, RunMeta, TracedModelCall } from './planner.js'
import type { ModelUsage } from './token-usage.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef } from './tool.js'

/** Input of a run: text of the user, an array of messages, or a chat request with messages and fields such as `temperature`. */
export type RunInput = string | readonly ChatMessage[] | ChatRequest

/** Request to start or continue a run, as a run layer receives it. */
export interface RunRequest<out Env = unknown> {
  /** The option `env` of the run. */
  readonly env: Env
  /** Ids, labels and abort signal of the run. */
  readonly meta: RunMeta
  /** Conversation at the start of the run, beginning with the instructions of the agent. */
  readonly messages: readonly ChatMessage[]
  /** Combined limits of the design, the registration and the run. */
  readonly policy: RunPolicy
  /** Fields of the chat request that started the run, except `messages`. Absent if the request contained only `messages`. */
  readonly fields?: ChatFields
  /** `true` if the run continues a suspended run; absent for a new run. */
  readonly isResumed?: boolean
}

/**
 * Usage of a run. If a run layer calls `next` several times, the usage covers all these calls. Token counts are sums over all responses of models,
 * including responses in nested runs. A detail such as `cachedPromptTokens` is absent if no response contains this number.
 */
export interface RunUsage extends StepUsage {
  /** Number of steps of the run. In a step, the planner decides once, and its calls run. */
  readonly turns: number
  /** Duration of the run in milliseconds. */
  readonly durationMs: number
}

/**
 * Status of a run. `completed`: the run has a result. `stopped`: a limit, a guardrail, a hook or a layer ended the run.
 * A stopped run has a result only if the planner returned an answer. `suspended`: the run waits until the application
 * resumes the run. `cancelled` or `failed`: the run has no result.
 */
export type RunStatus = 'completed' | 'stopped' | 'suspended' | 'cancelled' | 'failed'

/** Result of a run: its status, answer, conversation, outcomes of calls, events and usage. */
export interface AgentRun {
  /** Id of the run: the option `runId` of the run, or an id that the runtime created. */
  readonly runId: string
  /** Name of the agent that ran. */
  readonly agent: string
  /** Status with which the run ended, for example `completed` or `suspended`. */
  readonly status: RunStatus
  /** Result of a completed run, or of a run that stopped with a final answer. Absent for all other runs. */
  readonly result?: RunResult
  /** Reason why the run ended. */
  readonly stop: StopSignal
  /** All stop signals of the run, including `stop`. The order has no meaning. */
  readonly stops: readonly StopSignal[]
  /** Complete conversation. Each call has exactly one response, except suspended calls. */
  readonly messages: readonly ChatMessage[]
  /** Outcomes of the run's calls, in the order of the calls. */
  readonly outcomes: readonly ToolOutcome[]
  /** Events of the run in the order in which they occurred. */
  readonly events: readonly RunEvent[]
  /** Number of tokens, calls and steps, and the duration of the run. */
  readonly usage: RunUsage
  /** Error of a failed run. Absent for all other runs. */
  readonly error?: ToolError<never>
  /** Data for `resume(suspension, answers)`, which continues a suspended run. Absent for all other runs. */
  readonly suspension?: RunSuspension
}

/**
 * Request for one step of a run, as a step layer receives it. A step is one decision of the planner, together with the
 * tool calls of this decision. `outcomes` contains the outcomes of earlier steps.
 */
export interface StepRequest<out Env = unknown> extends Omit<PlanRequest, 'traceModel' | 'modelLayer' | 'onDelta'> {
  /** The option `env` of the run. */
  readonly env: Env
  /** Number of calls that this step can make: 0 if the planner must answer, otherwise the rest of `maxToolCalls`. Absent without a limit. */
  readonly callsLeft?: number
  /** `true` if this step continues the calls of a suspended step. `false` or absent if the step starts with a decision of the planner. */
  readonly isResumed?: boolean
}

export interface StepUsage extends ModelUsage {
  /** Number of tool calls of the step. */
  readonly toolCalls: number
  /** Name of the model, as the response reports it. Absent if unknown. */
  readonly model?: string
}

/** Final answer of a run: text, a value, or text and a value. */
export interface RunResult {
  /** Text of the answer. Absent if a planner returned only a value. */
  readonly text?: string
  /** Value of a structured answer, or value that a planner without a model returned. Absent if the answer is only text. */
  readonly value?: JsonValue
}

/** Result of a step. `messages` contains the whole conversation, and ends with the messages of this step. */
export type StepResult = {
  readonly messages: readonly ChatMessage[]
  /** Outcomes of the calls of this step, in the order of the calls. */
  readonly outcomes: readonly ToolOutcome[]
  readonly usage: StepUsage
  /** Number of calls of this step that exceeded `callsLeft` of the request. These calls fail with the reason `cancelled`. */
  readonly refused: number
  /** Reason why the model stopped, e.g. `stop` or `length`. Absent if unknown. */
  readonly finishReason?: string
  /** Stop signals that step layers recorded, the outermost layer first. Absent if no layer recorded a signal. */
  readonly stops?: readonly StopSignal[]
} & (
  | {
      readonly kind: 'next'
      /**
       * Message that asks for a correction of the answer. The agent loop adds the message to the conversation and runs
       * one more step without tools. Absent if the answer needs no correction.
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

/** State of a run after a step, for stop conditions. If a run layer calls `next` several times, the state covers all these calls. */
export interface RunState extends Omit<RunProgress, 'events' | 'stops' | 'outcomes' | 'fields'> {
  /** Outcomes of all calls of the run so far, in the order of the calls. */
  readonly outcomes: readonly ToolOutcome[]
  /** Complete conversation, including the messages of the last step. */
  readonly messages: readonly ChatMessage[]
  /**
   * Messages that the run had added before a run layer called `next` again with a conversation that does not begin with the previous conversation.
   * Absent if no run layer did this.
   */
  readonly earlierMessages?: readonly ChatMessage[]
  /** Token limit that a parent run has reached. Absent if no parent run has reached its limit. */
  readonly exhaustedParentLimit?: number
  /** Cost limit that a parent run has reached, and the cost of this parent run. Absent if no parent run has reached its limit. */
  readonly exhaustedParentCost?: { readonly limit: number; readonly used: number }
  /** Reason why the model stopped in the last step. Absent if unknown. */
  readonly finishReason?: string
  /** Name of the model of the last step, as the response reports it. Absent if unknown. */
  readonly model?: string
}

/**
 * Function that decides after each step whether the run ends. Returns a stop signal to end the run, or `undefined` to
 * continue the run. The result must depend only on `state`.
 *
 * @example
 * const patience: StopCondition = ({ turns }) =>
 *   turns < 10 ? undefined : { reason: 'stopped', by: 'patience', message: 'This takes too long.' }
 */
export type StopCondition = (state: RunState) => StopSignal | undefined

/** Limits of an agent's runs. Each limit is optional. */
export interface RunPolicy {
  /**
   * Reaction to a step in which a call lacked required fields. `resume` (default): the planner continues. `finalize`:
   * the planner must return a final answer. `await_clarification`: the run is suspended with a question.
   */
  readonly onMissingFields?: 'resume' | 'finalize' | 'await_clarification'
  /**
   * Maximum number of tool calls, including the calls of programs in code mode. A call above this number fails with the reason `cancelled`, and the
   * run stops after the step of this call. Default: unlimited.
   */
  readonly maxToolCalls?: number
  /** Maximum number of steps, that is, decisions of the planner. `Infinity` removes the limit. Default: 100. */
  readonly maxTurns?: number
  /** Number of consecutive failed calls after which the run stops. 0 has the same effect as 1. Default: unlimited. */
  readonly maxConsecutiveFailures?: number
  /** Token limit: the run stops after the step in which the total token usage of the run reaches this number. Default: unlimited. */
  readonly maxTokens?: number
  /**
   * Cost limit, in the currency of the option `prices` of the runtime: the run stops after the step in which the total cost of the run reaches this
   * number. A run fails if the cost of a response is unknown. Default: unlimited.
   */
  readonly maxCost?: number
  /** Time limit of the run in milliseconds. At this limit, running calls fail with the reason `timeout`. Default: unlimited. */
  readonly timeBudgetMs?: number
  /**
   * Time limit of a call with all its layers and attempts, in milliseconds. A longer call fails with the reason
   * `timeout`, and the run continues. In code mode, the limit applies to each call of a program, not to the whole
   * program. Default: unlimited.
   */
  readonly toolTimeoutMs?: number
  /** Maximum number of calls of a step, or of a program in code mode, that run at the same time. Default: unlimited. */
  readonly parallelism?: number
  /**
   * Reaction to the first failed call of a step. `fail_fast`: the run cancels the other calls of the step. `join_all`:
   * the other calls continue. The run itself continues in either mode. Default: `join_all`.
   */
  readonly onFailure?: 'join_all' | 'fail_fast'
  /** Maximum depth of nested agents. 0 forbids calls to other agents. Default: 8. */
  readonly maxDepth?: number
}

export interface EventOrigin {
  /** Id of the run. Absent for a call outside a run. */
  readonly runId?: string
  /** Name of the agent. Absent for calls without an agent. */
  readonly agent?: string
  /** Id of the user's session. Absent if the option `sessionId` was not set. */
  readonly sessionId?: string
  /** Id of the conversation turn. Absent if the option `turnId` was not set. */
  readonly turnId?: string
  /**
   * Id of the tool call that started the run. For a call outside a run, the option `parentToolCallId` of this call. Absent if no tool call started
   * the run, or if this option was not set.
   */
  readonly parentToolCallId?: string
  /** Id of the run whose tool call started this run. Absent if no other run started this run, and for calls outside a run. */
  readonly parentRunId?: string
}

export type EventBody =
  | { readonly type: 'run_started' }
  /** First event of a continued run, in place of `run_started`. `suspension` is the id of the suspension that ended. */
  | { readonly type: 'run_resumed'; readonly suspension: string }
  /** `turn` is the number of the step in the run, from 1. */
  | { readonly type: 'step_started'; readonly turn: number }
  | {
      readonly type: 'call_started'
      readonly call: ToolCallRef
      /** Title of the tool for people, or the requested tool name if the tool is unknown. */
      readonly title: string
      readonly arguments: JsonText
      /** Text of the tool's template `callHint`, filled with the payload. Absent if the tool has no `callHint` or the arguments are invalid. */
      readonly hint?: string
    }
  | {
      readonly type: 'call_updated'
      readonly call: ToolCallRef
      /** Number of the update within its call, from 1. */
      readonly index: number
      readonly update: JsonText
    }
  | {
      readonly type: 'call_ended'
      readonly call: ToolCallRef
      readonly title: string
      readonly outcome: ToolOutcome
      /** Text of the tool's template `resultHint`, filled with the result. Absent if the tool has no `resultHint` or the call has no result. */
      readonly hint?: string
      readonly telemetry: ToolTelemetry
    }
  | {
      /** A nested run started, continued or ended. */
      readonly type: 'handoff'
      readonly call: ToolCallRef
      readonly fromAgent: string
      readonly toAgent: string
      readonly reason?: string
    }
  /** A guardrail flagged, rewrote or blocked a value, or stopped the run. */
  | ({ readonly type: 'guardrail' } & GuardrailReport)
  | { readonly type: 'step_ended'; readonly turn: number; readonly usage: StepUsage }
  | {
      readonly type: 'run_ended'
      readonly status: RunStatus
      readonly stop: StopSignal
      readonly result?: RunResult
    }

/** Event of a run or a call. The types of events do not depend on the providers that run the tools. */
export type RunEvent = EventOrigin & {
  /** Time of the event in milliseconds since the Unix epoch. */
  readonly at: number
  /** Number of the event within its run, or within its call if the call is outside a run. The first event has the number 1. */
  readonly sequence: number
} & EventBody

/**
 * Part of a run that an application can read during the run: an event, a run item, or a delta (part of the model's response). With the option
 * `deepTracing`, a part can also be an item of a nested run. In this case, `runId` is the id of the nested run.
 */
export type RunPart =
  | { readonly kind: 'event'; readonly event: RunEvent }
  | { readonly kind: 'item'; readonly item: RunItem }
  | { readonly kind: 'nested_item'; readonly runId: string; readonly item: RunItem }
  | { readonly kind: 'delta'; readonly delta: ModelDelta }

/** Function that receives the events of runs and calls. The runtime does not await the function and ignores its errors. */
export type EventSink = (event: RunEvent) => unknown

/** Telemetry of an ended call. Has the same properties for tools of all providers. */
export interface ToolTelemetry {
  /** Status of the outcome: `completed`, `failed` or `suspended`. */
  readonly status: ToolOutcome['status']
  /** Reason why the call failed. Absent if the call did not fail. */
  readonly reason?: FailureReason
  /** Duration of the call with its layers and attempts, in milliseconds. */
  readonly durationMs: number
  /** Number of times that the executor ran for the call. */
  readonly attempts: number
  /** Name of the model that produced the result. Absent if unknown. */
  readonly model?: string
  /** Name of the service that ran the tool, e.g. of an MCP server or an agent. Absent if unknown. */
  readonly service?: string
  /** Number of prompt tokens that the nested run or the executor reported. Absent if no number was reported. */
  readonly promptTokens?: number
  /** Number of completion tokens that the nested run or the executor reported. Absent if no number was reported. */
  readonly completionTokens?: number
  /** Number of calls of the nested run. Absent if no nested run produced the result. */
  readonly children?: number
  /** Issues in the error of a failed call. Absent if the error contains no issues. */
  readonly issues?: readonly Issue[]
  /** `true` if the result is an object or an array. */
  readonly structured: boolean
  /** Attributes that the `telemetryBuilder` of the registration returned. Absent if the registration has no `telemetryBuilder`. */
  readonly attributes?: Readonly<Record<string, JsonValue>>
}

export interface TelemetryInput {
  readonly tool: AgentToolSpec
  readonly meta: ToolCallMeta
  /** Time at which the call started, in milliseconds since the Unix epoch. */
  readonly start: number
  /** Time at which the call ended, in milliseconds since the Unix epoch. */
  readonly end: number
  readonly outcome: ToolOutcome
  /** The details in `provenance.extra` of the outcome. An empty object if the outcome has no details. */
  readonly extras: Readonly<Record<string, JsonValue>>
}

/** Function that returns attributes for the telemetry of a call. The runtime ignores errors that the function throws. */
export type TelemetryBuilder = (facts: TelemetryInput) => Readonly<Record<string, JsonValue>>

export interface TracedCall {
  readonly tool?: AgentToolSpec
  readonly call: ToolCallRef
  readonly meta: ToolCallMeta
  readonly arguments: JsonText
  /** Trace context of the MCP client that sent the call. Absent if no MCP client sent the call, or if the client sent no trace context. */
  readonly parent?: TraceContext
  readonly mcp?: McpConnectionInfo
}

export interface McpConnectionInfo {
  /** Version of the protocol, for example `2026-07-28`. Absent if unknown. */
  readonly protocolVersion?: string
  /** Id of the session. Absent for connections without sessions, for example over stdio or with protocol 2026-07-28. */
  readonly sessionId?: string
}

/** Trace context of a message between processes, in the format of the W3C. */
export interface TraceContext {
  /** Id of the trace, id of the span that sends the message, and trace flags. */
  readonly traceparent: string
  /** Data that tracing systems add to the trace context. Absent if no tracing system added data. */
  readonly tracestate?: string
  /** Key-value pairs of the application (W3C Baggage). Absent if the application added no pairs. */
  readonly baggage?: string
}

export interface TracedOutcome {
  readonly outcome: ToolOutcome
  readonly telemetry: ToolTelemetry
}

/**
 * Records spans of calls, runs and requests to models. The methods `call`, `run` and `model` must call `work`
 * synchronously and return its result. The runtime ignores errors of the tracer.
 */
export interface Tracer {
  /** Records a call, inside or outside a run. */
  call(call: TracedCall, work: () => Promise<TracedOutcome>): Promise<TracedOutcome>
  /** Records a run. `work` includes the run's calls and nested runs. */
  run(meta: RunMeta, work: () => Promise<AgentRun>): Promise<AgentRun>
  /** Records a request to a model, with its retries. `work` rejects if the model returns no valid response. */
  model(call: TracedModelCall, work: () => Promise<ModelResponse>): Promise<ModelResponse>
  /** Records the result of a guardrail in the active span. Absent if the tracer does not record guardrails. */
  guardrail?(report: GuardrailReport, meta: { readonly agent?: string }): void
  /**
   * Returns the trace context of the active span. Requests to MCP servers contain this trace context. Absent if the
   * tracer does not create trace contexts.
   */
  traceContext?(): TraceContext | undefined
  /** Adds the protocol version and session of a called MCP server to the active span. Absent if the tracer does not record connections. */
  mcpConnection?(connection: McpConnectionInfo): void
}
