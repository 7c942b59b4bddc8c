import type { ChatAssistantMessage, ChatMessage } from './chat.js'
import type { Decoded } from './codec.js'
import type { JsonText } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { PlanRequest, RunMeta } from './planner.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from './run.js'
import type { TokenUsage } from './token-usage.js'
import type { AgentToolSpec, MetaField, ToolCall, ToolCallMeta, ToolCallRef } from './tool.js'

/** Context of a `beforeModel` hook: a request to a model, or to a planner without a model. */
export type BeforeModelContext = Omit<
  PlanRequest,
  'outcomes' | 'isCorrection' | 'traceModel' | 'modelLayer' | 'onDelta'
>

/** Context of an `afterModel` hook: the request, and the response of the model or of a planner without a model. */
export interface AfterModelContext extends Pick<PlanRequest, 'meta' | 'turn' | 'messages'> {
  /** Text of the response, which may be empty. For a structured answer, the text is its JSON. */
  readonly text: string
  /** Tool calls that the response requests; empty for an answer. */
  readonly calls: readonly ToolCall<unknown, MetaField>[]
  /** Message of the response. Absent if a planner without a model returned no message. */
  readonly message?: ChatAssistantMessage
  readonly finishReason?: string
  readonly usage?: TokenUsage
}

/** Context of a `beforeTool` hook: a tool call before it reaches the layers of the builder and of the tool. */
interface BeforeToolContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** Arguments as sent, or as changed by an earlier hook. */
  readonly arguments: JsonText
  /** Returns the arguments after the payload adapter and the codec. */
  readonly decode: () => Promise<Decoded<unknown>>
}

/** Types of one hook phase: the context of its hooks (without `env`), and the changes that the hooks can return. */
interface Phase<Context, Changes> {
  readonly context: Context
  readonly changes: Changes
}

/** Context of the hooks `afterRun` and `onStop`. `run.events` cannot be read yet. */
interface EndedRun {
  readonly meta: RunMeta
  readonly run: AgentRun
}

/** Context and changes of each hook phase, by the name of the phase. */
interface HookPhases {
  /** Called before the first step of a run. Not called when a suspended run continues. */
  readonly beforeRun: Phase<Omit<RunRequest, 'env' | 'isResumed'>, Partial<Pick<RunRequest, 'messages' | 'fields'>>>
  /** Called after the last step of a run, also if the run was suspended. Changes of `result` are ignored if the run has no result. */
  readonly afterRun: Phase<EndedRun, Pick<AgentRun, 'result'>>
  /**
   * Called at the start of a step, before the request to the model. Not called when the calls of a suspended step
   * continue. If a hook returns `tools`, a part of the context's `tools`, the step offers only these tools, and calls
   * of the tools that were left out fail. If a hook returns `stop`, the run ends without this step.
   */
  readonly beforeStep: Phase<
    Omit<StepRequest, 'env' | 'isResumed'>,
    Partial<Pick<StepRequest, 'messages' | 'tools' | 'fields'>> & { readonly stop?: string }
  >
  /**
   * Called after all calls of a step have ended. If calls are suspended, the hook is called only after they were resumed. If the step has
   * produced an answer and a hook returns `stop`, the run has the answer as its result.
   */
  readonly afterStep: Phase<
    { readonly meta: RunMeta; readonly turn: number; readonly result: StepResult },
    { readonly messages?: readonly ChatMessage[]; readonly stop?: string }
  >
  /** Called before each request to the model. Changes apply only to this request: a removed tool is hidden, but can be called. */
  readonly beforeModel: Phase<
    BeforeModelContext,
    Partial<Pick<PlanRequest, 'messages' | 'tools' | 'runStart' | 'fields'>>
  >
  /** Called after each response of the model, before the requested calls run. */
  readonly afterModel: Phase<AfterModelContext, { readonly text?: string; readonly stop?: string }>
  /**
   * Called before each tool call. The hooks run inside the layers of the run and the registered agent, and outside the
   * layers of the builder and the tool. If a hook returns `deny`, the tool does not run, and further hooks of this
   * phase are not called. Called again when a suspended call continues.
   */
  readonly beforeTool: Phase<BeforeToolContext, { readonly arguments?: JsonText; readonly deny?: string }>
  /**
   * Called after each tool call that was not suspended, outside the layers of the builder and the tool. `result`
   * replaces the tool's result and must match its schema; `fail` makes the call fail with this error. Do not return
   * both.
   */
  readonly afterTool: Phase<
    Omit<BeforeToolContext, 'decode'> & { readonly outcome: ToolOutcome },
    { readonly result?: unknown; readonly fail?: unknown }
  >
  /** Called after a run was stopped or cancelled. Returned changes and errors are ignored. */
  readonly onStop: Phase<EndedRun, NonNullable<unknown>>
  /** Called after a run failed. `error` is the thrown error if there is one, otherwise `run.error`. Returned changes and errors are ignored. */
  readonly onError: Phase<{ readonly meta: RunMeta; readonly error: unknown }, NonNullable<unknown>>
}

/** Phase of a run in which hooks are called, for example `beforeModel` or `afterTool`. */
export type HookPhase = keyof HookPhases

/** Context that a hook of the phase `Name` receives: the data of the phase, and the `env` of the run. */
export type HookContext<Name extends HookPhase, Env = unknown> = HookPhases[Name]['context'] & { readonly env: Env }

/** Changes that a hook of a phase can return. */
export type HookChanges<Name extends HookPhase> = HookPhases[Name]['changes']

/**
 * Function that is called in one phase of an agent's runs. Returns an object with changes, or nothing. Tests can call a
 * hook directly with a context.
 *
 * @example
 * const redact: Hook<'beforeModel'> = ({ messages }) => ({ messages: messages.map(withoutCards) })
 */
export type Hook<Name extends HookPhase, Env = unknown> = (
  context: HookContext<Name, Env>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only watches returns nothing.
) => HookChanges<Name> | undefined | void | Promise<HookChanges<Name> | undefined | void>
