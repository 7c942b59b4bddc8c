import type { ChatAssistantMessage, ChatMessage } from './chat.js'
import type { Decoded } from './codec.js'
import type { JsonText } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { PlanRequest, RunMeta, TokenUsage } from './planner.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from './run.js'
import type { AgentToolSpec, MetaField, ToolCall, ToolCallMeta, ToolCallRef } from './tool.js'

/** Context of a `beforeModel` hook: a request to a model, or to a planner in its place. */
export type BeforeModelContext = Omit<PlanRequest, 'outcomes' | 'isCorrection'>

/** Context of an `afterModel` hook: the response of a model, or of a planner in its place. */
export interface AfterModelContext extends Pick<PlanRequest, 'meta' | 'turn' | 'messages'> {
  /** Text of the response; the JSON of a structured answer; may be empty. */
  readonly text: string
  /** Calls that it requests; empty for an answer. */
  readonly calls: readonly ToolCall<unknown, MetaField>[]
  /** Absent for a planner that sent none. */
  readonly message?: ChatAssistantMessage
  readonly finishReason?: string
  readonly usage?: TokenUsage
}

/** Context of a `beforeTool` hook: a tool call before the layers of the builder and of the tool. */
interface BeforeToolContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** As they were sent, or as an earlier hook changed them. */
  readonly arguments: JsonText
  /** The arguments after the payload adapter and the codec. */
  readonly decode: () => Promise<Decoded<unknown>>
}

/** Context of a phase without its env, and the fields that a hook can change. */
interface Phase<Context, Changes> {
  readonly context: Context
  readonly changes: Changes
}

/** The end of a run. Its events are not filled in yet. */
interface EndedRun {
  readonly meta: RunMeta
  readonly run: AgentRun
}

/** The phases of hooks. */
interface HookPhases {
  /** Before the first step; not again when a suspended run goes on. */
  readonly beforeRun: Phase<Omit<RunRequest, 'env' | 'isResumed'>, Partial<Pick<RunRequest, 'messages' | 'fields'>>>
  /** After the last step, however the run ended, also when it was suspended. `result` counts where the run has one. */
  readonly afterRun: Phase<EndedRun, Pick<AgentRun, 'result'>>
  /**
   * Before the model is asked; not again when the calls of a suspended step go on. `tools` is a selection of those of the
   * context. With `stop` the step is left out.
   */
  readonly beforeStep: Phase<
    Omit<StepRequest, 'env' | 'isResumed'>,
    Partial<Pick<StepRequest, 'messages' | 'tools' | 'fields'>> & { readonly stop?: string }
  >
  /** After the calls of the step, when all have ended: of a step whose calls wait when it has gone on. */
  readonly afterStep: Phase<
    { readonly meta: RunMeta; readonly turn: number; readonly result: StepResult },
    { readonly messages?: readonly ChatMessage[]; readonly stop?: string }
  >
  /** Before each question to the model. What is changed holds for this question alone. */
  readonly beforeModel: Phase<
    BeforeModelContext,
    Partial<Pick<PlanRequest, 'messages' | 'tools' | 'runStart' | 'fields'>>
  >
  /** After each answer of the model, before its calls are run. */
  readonly afterModel: Phase<AfterModelContext, { readonly text?: string; readonly stop?: string }>
  /**
   * Before the layers of the builder and of the tool; layers of the registered agent and of the run are around. With `deny` the
   * tool is not run, and no further hook of this phase is asked.
   */
  readonly beforeTool: Phase<BeforeToolContext, { readonly arguments?: JsonText; readonly deny?: string }>
  /**
   * After the layers of the builder and of the tool, for a call that has ended; not for one that waits. `result` replaces the
   * result of the tool and passes through its codec; `fail` lets the call fail with this error. Not both.
   */
  readonly afterTool: Phase<
    Omit<BeforeToolContext, 'decode'> & { readonly outcome: ToolOutcome },
    { readonly result?: unknown; readonly fail?: unknown }
  >
  /** When a run was stopped or cancelled. Changes nothing. */
  readonly onStop: Phase<EndedRun, NonNullable<unknown>>
  /** When a run failed. `error` is the thrown error, if known; otherwise the error of the run. Changes nothing. */
  readonly onError: Phase<{ readonly meta: RunMeta; readonly error: unknown }, NonNullable<unknown>>
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
