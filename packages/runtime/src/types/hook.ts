import type { ToolCall, ToolCallRef } from './call.js'
import type { ChatAssistantMessage, ChatFields, ChatMessage } from './chat.js'
import type { Decoded } from './codec.js'
import type { JsonText } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { ResponseFormat, RunMeta, TokenUsage } from './planner.js'
import type { AgentRun, RunRequest, RunResult, StepRequest, StepResult } from './run.js'
import type { AgentToolSpec, MetaField, ToolCallMeta } from './tool.js'

/** Context of a `beforeModel` hook: a request to a model, or to a planner in its place. */
export interface BeforeModelContext {
  readonly meta: RunMeta
  readonly turn: number
  readonly messages: readonly ChatMessage[]
  readonly tools: readonly AgentToolSpec[]
  /** Number of messages that the run started with. */
  readonly runStart?: number
  readonly fields?: ChatFields
  /** Present when a structured answer is asked for. */
  readonly responseFormat?: ResponseFormat
}

/** Context of an `afterModel` hook: the response of a model, or of a planner in its place. */
export interface AfterModelContext {
  readonly meta: RunMeta
  readonly turn: number
  /** Messages of the request. */
  readonly messages: readonly ChatMessage[]
  /** Its words; the JSON of a structured answer; empty where it said nothing. */
  readonly text: string
  /** Calls that it requests; empty for an answer. */
  readonly calls: readonly ToolCall<unknown, MetaField>[]
  /** Absent for a planner that sent none. */
  readonly message?: ChatAssistantMessage
  readonly finishReason?: string
  readonly usage?: TokenUsage
}

/** A tool call before the layers of the builder and of the tool. */
export interface BeforeToolContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** As they were sent, or as a hook before changed them. */
  readonly arguments: JsonText
  /** The arguments after the payload adapter and the codec. */
  readonly decode: () => Promise<Decoded<unknown>>
}

/** A tool call that has ended. */
export interface AfterToolContext extends Omit<BeforeToolContext, 'decode'> {
  readonly outcome: ToolOutcome
}

/** A step that has ended. */
export interface AfterStepContext {
  readonly meta: RunMeta
  readonly turn: number
  readonly result: StepResult
}

/** A run that has ended. Its events are not filled in yet. */
export interface AfterRunContext {
  readonly meta: RunMeta
  readonly run: AgentRun
}

/** A run that failed. */
export interface OnErrorContext {
  readonly meta: RunMeta
  /** Error that was thrown, if known; otherwise the error of the run. */
  readonly error: unknown
}

/** Context of a phase without its env, and the fields that a hook can change. */
interface Phase<Context, Changes> {
  readonly context: Context
  readonly changes: Changes
}

/** The phases of hooks. */
export interface HookPhases {
  /** Before the first step; not again when a suspended run goes on. */
  readonly beforeRun: Phase<
    Omit<RunRequest, 'env' | 'isResumed'>,
    { readonly messages?: readonly ChatMessage[]; readonly fields?: ChatFields }
  >
  /** After the last step, however the run ended, also when it was suspended. `result` counts where the run has one. */
  readonly afterRun: Phase<AfterRunContext, { readonly result?: RunResult }>
  /**
   * Before the model is asked; not again when the calls of a suspended step go on. `tools` is a selection of those of the
   * context. With `stop` the step is left out.
   */
  readonly beforeStep: Phase<
    Omit<StepRequest, 'env' | 'isResumed'>,
    {
      readonly messages?: readonly ChatMessage[]
      readonly tools?: readonly AgentToolSpec[]
      readonly fields?: ChatFields
      readonly stop?: string
    }
  >
  /** After the calls of the step, when all have ended: of a step whose calls wait when it has gone on. */
  readonly afterStep: Phase<AfterStepContext, { readonly messages?: readonly ChatMessage[]; readonly stop?: string }>
  /** Before each question to the model. What is changed holds for this question alone. */
  readonly beforeModel: Phase<
    BeforeModelContext,
    {
      readonly messages?: readonly ChatMessage[]
      readonly tools?: readonly AgentToolSpec[]
      readonly runStart?: number
      readonly fields?: ChatFields
    }
  >
  /** After each answer of the model, before its calls are run. */
  readonly afterModel: Phase<AfterModelContext, { readonly text?: string; readonly stop?: string }>
  /**
   * Before the layers of the builder and of the tool; layers of the registered agent and of the run are around. With `deny` the
   * tool is not run, and no further hook of this phase is asked.
   */
  readonly beforeTool: Phase<BeforeToolContext, { readonly arguments?: JsonText; readonly deny?: string }>
  /**
   * After the layers of the builder and of the tool, for a call that has ended; not for one that waits. `result` answers in place of the tool, through its
   * codec; `fail` lets the call fail with this error. One of both.
   */
  readonly afterTool: Phase<AfterToolContext, { readonly result?: unknown; readonly fail?: unknown }>
  /** When a run was stopped or cancelled. Changes nothing. */
  readonly onStop: Phase<AfterRunContext, NonNullable<unknown>>
  /** When a run failed. Changes nothing. */
  readonly onError: Phase<OnErrorContext, NonNullable<unknown>>
}

/** The phases of a run that hooks watch. */
export type HookPhase = keyof HookPhases

/** Context that a hook of a phase receives. */
export type HookContext<Name extends HookPhase, Env = unknown> = HookPhases[Name]['context'] & { readonly env: Env }

/** Changes that a hook of a phase can return. */
export type HookChanges<Name extends HookPhase> = HookPhases[Name]['changes']

/**
 * Watches one phase of the runs of an agent, and returns the fields that change, or nothing. A plain function: a test calls
 * it with a context made by hand.
 *
 * @example
 * const redact: Hook<'beforeModel'> = ({ messages }) => ({ messages: messages.map(withoutCards) })
 */
export type Hook<Name extends HookPhase, Env = unknown> = (
  context: HookContext<Name, Env>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only watches returns nothing.
) => HookChanges<Name> | undefined | void | Promise<HookChanges<Name> | undefined | void>
