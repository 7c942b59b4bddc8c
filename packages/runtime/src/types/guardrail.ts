import type { ChatMessage } from './chat.js'
import type { JsonText, JsonValue } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { RunMeta } from './planner.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef } from './tool.js'

interface Details {
  readonly info?: JsonValue
}

/**
 * Result of a guardrail. `pass`: the run continues. `flag`: the run publishes an event and continues. `block` of an input
 * or output guardrail: the run ends. `block` of a guardrail for tools: the call fails, and the model reads `message`.
 */
export type GuardrailResult =
  | 'pass'
  | (Details & { readonly action: 'flag'; readonly message?: string })
  | (Details & { readonly action: 'block'; readonly message: string })

/** Result of a guardrail that can also replace the checked value. */
export type RewritingResult<Value> =
  | GuardrailResult
  | (Details & { readonly action: 'rewrite'; readonly value: Value; readonly message?: string })

/** Result of a guardrail for tools. `stop` makes the call fail, and ends the run. */
export type ToolGuardrailResult =
  | RewritingResult<unknown>
  | (Details & { readonly action: 'stop'; readonly message: string })

/** Guardrail: a check of a value in a run, for example of the user's input. */
export interface Guardrail<Context, Result> {
  /** Name of the guardrail in events, stop signals and errors. */
  readonly name: string
  /** Checks the value in `context`. The checked call, result or answer waits for the check. For a user message, tools wait. */
  check(context: Context): Result | Promise<Result>
  /** Maximum duration of a check in milliseconds. A longer check has the same effect as a check that throws an error. Default: no limit. */
  readonly timeoutMs?: number
  /**
   * Reaction to an error of the check. `block`: the guardrail blocks the value. `flag`: the guardrail flags the value,
   * and the run continues. Default: `block`.
   */
  readonly onError?: 'block' | 'flag'
}

/** New message of the user, as an input guardrail receives it. */
export interface InputContext<out Env = unknown> {
  /** Text of the message. Empty if the message has only images or files. */
  readonly text: string
  /** Message of the user, with its images and files. */
  readonly message: ChatMessage
  /** Conversation so far, with the new messages of the user at its end. */
  readonly messages: readonly ChatMessage[]
  readonly env: Env
  readonly meta: RunMeta
}

/**
 * Guardrail for each new message of the user. By default, the guardrail runs in parallel with the first request to the
 * model, and tools wait for its result. A guardrail that rewrites the text needs `runInParallel: false`. With this
 * option, the guardrail runs before the request.
 */
export type InputGuardrail<Env = unknown> =
  | (Guardrail<InputContext<Env>, GuardrailResult> & { readonly runInParallel?: true })
  | (Guardrail<InputContext<Env>, RewritingResult<string>> & { readonly runInParallel: false })

/** Answer or question of the agent, as an output guardrail receives it. */
export interface OutputContext<out Env = unknown> {
  /** Text of the answer or question, or the JSON text of a structured answer. */
  readonly text: string
  /** Value of a structured answer. Absent if the answer is text or a question. */
  readonly value?: JsonValue
  readonly messages: readonly ChatMessage[]
  readonly env: Env
  readonly meta: RunMeta
}

/** Guardrail for the answer of a run, or for its question to the user. A rewritten value is a string, or a JSON value for a structured answer. */
export type OutputGuardrail<Env = unknown> = Guardrail<OutputContext<Env>, RewritingResult<JsonValue>>

/** Tool call, as a guardrail receives it before its execution. */
export interface ToolCallContext<out Env = unknown> {
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** Decoded arguments: valid, with defaults, and without the fields that only the runtime sets. */
  readonly arguments: unknown
  readonly env: Env
  readonly meta: ToolCallMeta
}

/**
 * Guardrail for the arguments of tool calls. The runtime validates rewritten arguments. If the tool requires an
 * approval, the approver must approve the rewritten arguments.
 */
export type ToolCallGuardrail<Env = unknown> = Guardrail<ToolCallContext<Env>, ToolGuardrailResult>

/** Ended tool call, as a guardrail receives it. */
export interface ToolResultContext<out Env = unknown> {
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** Arguments as the model or caller sent them. */
  readonly arguments: JsonText
  /** Completed or failed outcome. */
  readonly outcome: ToolOutcome
  /** Text for the model: the result, or the message of a failure. */
  readonly text: string
  readonly env: Env
  readonly meta: ToolCallMeta
}

/**
 * Guardrail for results and failures of tools. A rewritten value replaces the result for all receivers: models,
 * programs in code mode, and your code.
 */
export type ToolResultGuardrail<Env = unknown> = Guardrail<ToolResultContext<Env>, ToolGuardrailResult>

/** Guardrails of an agent, by stage. The guardrails of a stage run one after another, but input guardrails run in parallel by default. */
export interface Guardrails<Env = unknown> {
  readonly input?: readonly InputGuardrail<Env>[]
  readonly output?: readonly OutputGuardrail<Env>[]
  readonly toolCall?: readonly ToolCallGuardrail<Env>[]
  readonly toolResult?: readonly ToolResultGuardrail<Env>[]
}
