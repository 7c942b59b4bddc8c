import type { ChatAssistantMessage, ChatMessage } from './chat.js'
import type { Decoded } from './codec.js'
import type { JsonText } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { PlanRequest, RunMeta } from './planner.js'
import type { AgentRun, RunRequest, StepRequest, StepResult } from './run.js'
import type { TokenUsage } from './token-usage.js'
import type { AgentToolSpec, MetaField, ToolCall, ToolCallMeta, ToolCallRef } from './tool.js'

/**
 * Context of a `beforeModel` hook: the request to the model. If the agent has a planner function instead of a model, the context is the request to
 * this function.
 */
export type BeforeModelContext = Omit<
  PlanRequest,
  'outcomes' | 'isCorrection' | 'traceModel' | 'modelLayer' | 'onDelta'
>

/** Context of an `afterModel` hook: the request, and the response of the model or of the planner function. */
export interface AfterModelContext extends Pick<PlanRequest, 'meta' | 'turn' | 'messages'> {
  /** Text of the response. Can be empty. For a structured answer, the text is the JSON of this answer. */
  readonly text: string
  readonly calls: readonly ToolCall<unknown, MetaField>[]
  /** Message of the response. Absent if a planner function without a model returned no message. */
  readonly message?: ChatAssistantMessage
  readonly finishReason?: string
  readonly usage?: TokenUsage
}

interface BeforeToolContext {
  readonly meta: ToolCallMeta
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** Arguments as the model or caller sent them, or as an earlier hook changed them. */
  readonly arguments: JsonText
  readonly decode: () => Promise<Decoded<unknown>>
}

interface Phase<Context, Changes> {
  readonly context: Context
  readonly changes: Changes
}

/** Context of the hooks `afterRun` and `onStop`. When the runtime calls these hooks, `run.events` is still empty. */
interface EndedRun {
  readonly meta: RunMeta
  readonly run: AgentRun
}

interface HookPhases {
  /** Called before the first step of a run. Not called when a suspended run continues. */
  readonly beforeRun: Phase<Omit<RunRequest, 'env' | 'isResumed'>, Partial<Pick<RunRequest, 'messages' | 'fields'>>>
  /** Called after the last step of a run, and when a run is suspended. If the run has no result, the runtime ignores a returned `result`. */
  readonly afterRun: Phase<EndedRun, Pick<AgentRun, 'result'>>
  /**
   * Called at the start of a step (a request to the model, and the tool calls of the response). Not called again when
   * suspended calls of the step continue. If a hook returns a subset of the tools as `tools`, the step offers only this
   * subset. In this step, calls of all other tools fail. If a hook returns `stop`, the run ends before this step.
   */
  readonly beforeStep: Phase<
    Omit<StepRequest, 'env' | 'isResumed'>,
    Partial<Pick<StepRequest, 'messages' | 'tools' | 'fields'>> & { readonly stop?: string }
  >
  /**
   * Called after all calls of a step have ended, including calls that were suspended and resumed. If a hook returns
   * `stop`, the run ends. If this step contains an answer, the answer is the result of the run.
   */
  readonly afterStep: Phase<
    { readonly meta: RunMeta; readonly turn: number; readonly result: StepResult },
    { readonly messages?: readonly ChatMessage[]; readonly stop?: string }
  >
  /**
   * Called before each request to the model. Changes apply only to this request. The model does not see a removed tool,
   * but a call of this tool still runs.
   */
  readonly beforeModel: Phase<
    BeforeModelContext,
    Partial<Pick<PlanRequest, 'messages' | 'tools' | 'runStart' | 'fields'>>
  >
  /** Called after each response of the model, before the requested calls run. */
  readonly afterModel: Phase<AfterModelContext, { readonly text?: string; readonly stop?: string }>
  /**
   * Called before each tool call, and again when a suspended call continues. The hook runs inside the layers of the run
   * and of the registered agent (`support.layer(x)`), and outside the layers of the builder (`standard(driver).layer(x)`)
   * and of the tool. If a hook returns `deny`, neither the tool nor later `beforeTool` hooks run.
   */
  readonly beforeTool: Phase<BeforeToolContext, { readonly arguments?: JsonText; readonly deny?: string }>
  /**
   * Called after each tool call that was not suspended, when the layers of the agent builder and the tool have ended. A returned `result` replaces
   * the result of the tool and must match its schema. A returned `fail` makes the call fail with this error. Do not return both `result` and `fail`.
   */
  readonly afterTool: Phase<
    Omit<BeforeToolContext, 'decode'> & { readonly outcome: ToolOutcome },
    { readonly result?: unknown; readonly fail?: unknown }
  >
  /** Called after a run was stopped or cancelled. The runtime ignores returned changes and errors of the hook. */
  readonly onStop: Phase<EndedRun, NonNullable<unknown>>
  /**
   * Called after a run failed. `error` is the thrown error, or `run.error` if no error was thrown. The runtime ignores
   * returned changes and errors of the hook.
   */
  readonly onError: Phase<{ readonly meta: RunMeta; readonly error: unknown }, NonNullable<unknown>>
}

/** Phase of a run in which hooks are called, for example `beforeModel` or `afterTool`. */
export type HookPhase = keyof HookPhases

/** Context that a hook of the phase `Name` receives: the data of the phase, and the `env` of the run. */
export type HookContext<Name extends HookPhase, Env = unknown> = HookPhases[Name]['context'] & { readonly env: Env }

export type HookChanges<Name extends HookPhase> = HookPhases[Name]['changes']

/**
 * Function that the runtime calls in one phase of each run of an agent. Returns an object with changes, or nothing.
 * Tests can call a hook directly with a context.
 *
 * @example
 * const redact: Hook<'beforeModel'> = ({ messages }) => ({ messages: messages.map(withoutCards) })
 */
export type Hook<Name extends HookPhase, Env = unknown> = (
  context: HookContext<Name, Env>,
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook that only watches returns nothing.
) => HookChanges<Name> | undefined | void | Promise<HookChanges<Name> | undefined | void>
