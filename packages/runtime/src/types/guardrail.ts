import type { ChatMessage } from './chat.js'
import type { JsonText, JsonValue } from './json.js'
import type { ToolOutcome } from './outcome.js'
import type { RunMeta } from './planner.js'
import type { AgentToolSpec, ToolCallMeta, ToolCallRef } from './tool.js'

interface Details {
  /** Data about the check for events and logs, for example scores. Default: none. */
  readonly info?: JsonValue
}

/**
 * Result of a guardrail. `pass`: continue. `flag`: publish an event and continue. `block`: an input or output guardrail ends the run; the
 * guardrail of a tool makes the call fail with the message, which the model reads.
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

/** Name, check and error handling of a guardrail. */
export interface Guardrail<Context, Result> {
  /** Name of the guardrail in events, stop signals and errors. */
  readonly name: string
  /** Checks the value in `context`. Tools and later steps of the run wait for the result. */
  check(context: Context): Result | Promise<Result>
  /** Maximum duration of a check in milliseconds. A check that takes longer counts as an error. Default: unlimited. */
  readonly timeoutMs?: number
  /** Reaction to an error of the check. `block`: as if the guardrail had blocked the value. `flag`: continue. Default: `block`. */
  readonly onError?: 'block' | 'flag'
}

/** New message of the user, as an input guardrail receives it. */
export interface InputContext<out Env = unknown> {
  /** Text of the message. Empty if the message has only images or files. */
  readonly text: string
  /** The message, with its images and files. */
  readonly message: ChatMessage
  /** Conversation that ends with the new messages. */
  readonly messages: readonly ChatMessage[]
  readonly env: Env
  readonly meta: RunMeta
}

/**
 * Guardrail for each new message of the user. By default, the guardrail runs in parallel with the first request to the
 * model, and tools wait for its result. A guardrail that rewrites the text needs `runInParallel: false`, and then runs
 * before the request.
 */
export type InputGuardrail<Env = unknown> =
  | (Guardrail<InputContext<Env>, GuardrailResult> & { readonly runInParallel?: true })
  | (Guardrail<InputContext<Env>, RewritingResult<string>> & { readonly runInParallel: false })

/** Answer or question of the agent, as an output guardrail receives it. */
export interface OutputContext<out Env = unknown> {
  /** Text of the answer. For a structured answer, its JSON. */
  readonly text: string
  /** Value of a structured answer. Absent for a text or a question. */
  readonly value?: JsonValue
  readonly messages: readonly ChatMessage[]
  readonly env: Env
  readonly meta: RunMeta
}

/** Guardrail for the answer of a run. A rewritten value is a string, or a JSON value for a structured answer. */
export type OutputGuardrail<Env = unknown> = Guardrail<OutputContext<Env>, RewritingResult<JsonValue>>

/** Tool call, as a guardrail receives it before its execution. */
export interface ToolCallContext<out Env = unknown> {
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** Decoded arguments: valid, with defaults, without server-owned fields. */
  readonly arguments: unknown
  readonly env: Env
  readonly meta: ToolCallMeta
}

/** Guardrail for the arguments of tool calls. Rewritten arguments are validated, and need an approval if the tool needs one. */
export type ToolCallGuardrail<Env = unknown> = Guardrail<ToolCallContext<Env>, ToolGuardrailResult>

/** Ended tool call, as a guardrail receives it. */
export interface ToolResultContext<out Env = unknown> {
  readonly tool: AgentToolSpec
  readonly call: ToolCallRef
  /** Arguments as sent. */
  readonly arguments: JsonText
  /** Completed or failed outcome. */
  readonly outcome: ToolOutcome
  /** Text that the model would read: the result, or the message of a failure. */
  readonly text: string
  readonly env: Env
  readonly meta: ToolCallMeta
}

/** Guardrail for results and failures of tools. A rewritten value replaces the result also for programs and for your code. */
export type ToolResultGuardrail<Env = unknown> = Guardrail<ToolResultContext<Env>, ToolGuardrailResult>

/** Guardrails of an agent, by stage. The guardrails of a stage run one after another, except parallel input guardrails. */
export interface Guardrails<Env = unknown> {
  readonly input?: readonly InputGuardrail<Env>[]
  readonly output?: readonly OutputGuardrail<Env>[]
  readonly toolCall?: readonly ToolCallGuardrail<Env>[]
  readonly toolResult?: readonly ToolResultGuardrail<Env>[]
}
