import type { Approval, ApprovalRecord, Denial } from './approval.js'
import type { ChatFields, ChatMessage } from './chat.js'
import type { ContentPart } from './content.js'
import type { McpAnswer, McpElicitation, McpQuestion } from './elicitation.js'
import type { FailureReason, MissingField, RetryHint, ToolError, TypedFailure } from './failure.js'
import type { JsonText, JsonValue } from './json.js'
import type { ModelUsage } from './token-usage.js'

import type { MaxResult, ReadLabel, ToolCallRef } from './tool.js'

/** Signal with which a layer ends the run early. The run then has the result `value`. */
export interface FinalSignal {
  readonly reason: 'final'
  readonly value: JsonValue
}

/** Point of a run at which a guardrail checks a value. */
export type GuardrailStage = 'input' | 'output' | 'toolCall' | 'toolResult'

/** Report about a guardrail that flagged, rewrote or blocked a value, or stopped the run. Sent to event listeners and tracers. */
export interface GuardrailReport {
  readonly stage: GuardrailStage
  /** Name of the guardrail. */
  readonly guardrail: string
  readonly action: 'flag' | 'block' | 'rewrite' | 'stop'
  readonly message?: string
  readonly info?: JsonValue
  /** Call whose arguments or result the guardrail checked. Absent for the stages `input` and `output`, which do not check a call. */
  readonly call?: ToolCallRef
}

/** Signal of a guardrail that ended the run. */
export interface GuardrailSignal {
  readonly reason: 'guardrail'
  /** Name of the guardrail. */
  readonly by: string
  readonly stage: GuardrailStage
  readonly message: string
  readonly info?: JsonValue
}

export type CallStop = FinalSignal | GuardrailSignal

export type LimitReason = 'max_tool_calls' | 'max_turns' | 'max_consecutive_failures' | 'max_tokens' | 'time_budget'

/** Stop signal of a budget that is used up. Several runs can share a budget. */
export interface BudgetSignal {
  readonly reason: 'budget'
  readonly budget: string
  readonly unit: 'tokens' | 'cost'
  readonly limit: number
  /** Tokens or cost (see `unit`) that all runs with this budget have spent. */
  readonly used: number
}

/**
 * Reason why a run ended, with details. If several reasons apply, the run reports the first reason in this order:
 *
 * - an error
 * - a cancellation
 * - a guardrail
 * - a suspension
 * - a limit or a budget
 * - a guard, for example against repeated calls of the model
 * - a hook or a layer
 * - missing fields
 * - a final value of a layer
 * - an answer
 *
 * Two rules override this order. If the last step contains an answer and also reaches a limit, the reason is
 * `answered`. A final value of a layer has precedence over all limits except `max_tool_calls` and `time_budget`.
 */
export type StopSignal = {
  /** Explanation for developers. Present if a limit, a hook, a layer or an error ended the run. */
  readonly message?: string
} & (
  | FinalSignal
  /** The planner returned its answer. */
  | { readonly reason: 'answered' }
  /** The run reached a limit of its policy. `limit` is a number of turns, calls, tokens or milliseconds. */
  | { readonly reason: LimitReason; readonly limit: number }
  /** This run or a parent run reached the limit `maxCost` of its policy. `used` is the cost of the run that reached the limit. */
  | { readonly reason: 'max_cost'; readonly limit: number; readonly used: number }
  /** A shared budget was used up before the next request to the model. */
  | BudgetSignal
  /** A guardrail blocked the input or the output, or stopped the run at a tool call. */
  | GuardrailSignal
  /** The model stopped for a reason listed in the guard `finishReasons`, for example `length`. */
  | { readonly reason: 'finish_reason'; readonly finishReason: string }
  /** The model requested the same calls in `times` consecutive steps. */
  | { readonly reason: 'repetition'; readonly times: number }
  /** A hook or a layer stopped the run. */
  | { readonly reason: 'stopped'; readonly by: string; readonly message: string }
  /** The arguments of a call lacked required fields, and the policy of the run has `onMissingFields: 'finalize'`. */
  | { readonly reason: 'missing_fields' }
  /** The run waits for an answer. */
  | { readonly reason: 'suspended' }
  | { readonly reason: 'cancelled' }
  /** The planner, a run layer or a step layer threw an error, or an option of the run is invalid. */
  | { readonly reason: 'failed'; readonly message: string }
)

/** Reason why a run ended, for example `answered`, `max_turns` or `failed`. */
export type StopReason = StopSignal['reason']

/** Shortened array, object or string in a result. Models read only a part of its items, properties or characters. */
export interface CutPart {
  /** JSON Pointer of the array, object or string in the whole result. */
  readonly pointer: string
  /** Index of the first item, property or character that models read. Default: 0. */
  readonly offset?: number
  /** Number of items, properties or characters that models read. */
  readonly shown: number
  /** Number of items, properties or characters of the whole array, object or string. */
  readonly total: number
  /** Unit of `offset`, `shown` and `total`. Characters are UTF-16 code units. */
  readonly unit: 'items' | 'properties' | 'characters'
}

interface TextSize {
  /** Size of the text in UTF-8, in bytes. */
  readonly bytes: number
  /** Estimated number of tokens. */
  readonly tokens: number
}

/** Data about a result that the runtime shortened because of `maxResult`. */
export interface ResultCut {
  /** Maximum size that the runtime applied. */
  readonly max: MaxResult
  /** Size of the whole result as JSON text. */
  readonly before: TextSize
  /** Size of the text that the model reads. */
  readonly after: TextSize
  /** Arrays, objects and strings of the result that were shortened. */
  readonly parts: readonly CutPart[]
  /** Id with which the tool `read_result` reads the whole result. Absent if the result was too large to store. */
  readonly id?: string
}

/** Origin and cost of a result, for example its tool, its service and its duration. */
export interface Provenance {
  /** Id of the tool, e.g. `orders.getOrder`. */
  readonly tool: string
  /** Time from the start of the call to its end, in milliseconds. */
  readonly durationMs: number
  /** Number of times that the executor ran for the call. */
  readonly attempts: number
  /**
   * Name of the model that produced the result, as the model's response reports it. If a nested run produced the
   * result, `model` is the name in the last response of this run. Absent if unknown.
   */
  readonly model?: string
  /** Name of the service that ran the tool, for example the name of a client, an MCP server or an agent. Absent if unknown. */
  readonly service?: string
  /** Calls of the nested run that produced the result. Absent if no nested run produced the result. */
  readonly children?: readonly ToolCallRef[]
  /**
   * Kinds of data that the call read. Combines the property `reads` of the called tool with `reads` of all tools that
   * the nested run or the program of the call used. Absent if these tools declare no `reads`, or if the executor did
   * not run.
   */
  readonly reads?: readonly ReadLabel[]
  /** Data about the shortened result. Absent if the result was not shortened. */
  readonly cut?: ResultCut
  /** Approval with which the tool ran. Absent for a call without an approval. */
  readonly approval?: ApprovalRecord
  /** Time of the denial, and the name or id of the approver if the denial contains a name or id. Absent if the call was not denied. */
  readonly denial?: Pick<ApprovalRecord, 'by' | 'at'>
  /**
   * Details that layers or the executor have added, by name. `promptTokens` and `completionTokens` are sums over all attempts of the call. Absent if
   * no details were added.
   */
  readonly extra?: Readonly<Record<string, JsonValue>>
}

/** Call that read private data or untrusted text. */
export interface DataSource {
  /** Tool id, e.g. `crm.getCustomer`. */
  readonly tool: string
  /** Id of the call. */
  readonly toolCallId: string
  /** Kinds of data that the call read. Includes the data that its nested runs read. */
  readonly reads: readonly ReadLabel[]
}

/** Kinds of data that a run has read before a call. The layer `dataFlow` uses this data. */
export interface DataFlow {
  /** Kinds of data that the run has read, sorted. */
  readonly labels: readonly ReadLabel[]
  /** Calls that read this data, the oldest first. Includes calls of parent runs, and calls of the conversation before the run. */
  readonly sources: readonly DataSource[]
}

/** Result of a tool, with its origin and cost. */
export interface ProvenancedResult<Result = unknown> {
  /** Decoded result, without the changes of the registration's option `resultAdapter`. */
  readonly data: Result
  /** Origin and cost of the result, for example its duration. */
  readonly provenance: Provenance
}

/**
 * Outcome of a call: completed with a result, failed with an error and a hint, or suspended. `Declared` is the union of the failures that the tool
 * declares. Default: no failures. If `Result` is `unknown`, the default allows all failures.
 */
export type ToolOutcome<
  Result = unknown,
  Declared extends TypedFailure = unknown extends Result ? TypedFailure : never,
> = {
  readonly call: ToolCallRef
  readonly provenance: Provenance
  /**
   * Signal that ends the run of this call. If the signal contains a `value`, this value becomes the result of the run. If several layers set `stop`,
   * the signal of the outermost layer applies. Absent if the run continues.
   */
  readonly stop?: CallStop
} & (
  | {
      readonly status: 'completed'
      readonly result: ProvenancedResult<Result>
      /**
       * JSON text of the result for models, with the changes of `resultAdapter`. The runtime shortens the text if
       * the result exceeds the `maxResult` of the tool.
       */
      readonly json: JsonText
      /**
       * Files and resources of the result, for models. In `json`, a short text replaces the data of each file. Absent
       * if the result has no files or resources.
       */
      readonly content?: readonly ContentPart[]
      /**
       * First response of a session to a call of a streaming tool. The tool continues to run, and the session delivers
       * the result later. Absent if the outcome contains the final result of the tool.
       */
      readonly acknowledgement?: Acknowledgement
    }
  | { readonly status: 'failed'; readonly error: ToolError<Declared>; readonly hint: RetryHint }
  | { readonly status: 'suspended'; readonly suspension: CallSuspension }
)

/** First response of a session to a call of a streaming tool. The tool has started and continues to run. */
export interface Acknowledgement {
  readonly status: 'streaming'
  /** Id of the call in the session. */
  readonly callId: string
  /** Id that the model or the application gave the call. Absent if the call had no such id. */
  readonly toolCallId?: string
  readonly tool: string
  readonly message: string
}

/**
 * Reason why a call waits. `approval`: a person must approve the call. `external`: the application supplies the result
 * later. `clarification`: a nested agent asks a question. `elicitation`: an MCP server asks the user.
 */
export type CallSuspensionKind = 'approval' | 'external' | 'clarification' | 'elicitation'

/** Suspended call. Plain data that can be serialized as JSON. */
export interface CallSuspension {
  /** Version of the format of this object. */
  readonly version: 1
  /** Reason why the call waits, for example `approval`. */
  readonly kind: CallSuspensionKind
  /** Id of the suspended call, and id of its tool. */
  readonly call: ToolCallRef
  /** Arguments as the model sent them, or as a layer changed them. */
  readonly arguments: JsonText
  /**
   * Arguments with the changes of the registration's option `payloadAdapter`. Present only if this function changed the
   * arguments of a call that waits for an approval or an MCP server.
   */
  readonly adapted?: JsonText
  /**
   * Question for the approver, or for the user if a nested agent or an MCP server asks the question. Absent if the call
   * asks no question.
   */
  readonly prompt?: string
  /**
   * Approval with which the tool started. The call continues with this approval. Absent if the tool has not started, or
   * needed no approval.
   */
  readonly approval?: ApprovalRecord
  /**
   * Approvals of other arguments of this call, from earlier rounds: a layer changed the arguments after such an approval. These approvals are not
   * asked for again. Absent if there are none.
   */
  readonly approved?: readonly ApprovedArguments[]
  /** Suspended run of the agent that produces the result of the call. Absent if no nested run is suspended. */
  readonly nested?: RunSuspension
  /** Questions of the MCP server that runs the tool. Present if `kind` is `elicitation` and no nested run is suspended. */
  readonly elicitation?: McpElicitation
}

/** Arguments that an approver approved, and the record of the approval. */
export interface ApprovedArguments extends Pick<CallSuspension, 'arguments' | 'adapted'> {
  readonly approval: ApprovalRecord
}

/** Call or question that needs an answer. Belongs to a suspended run, or to one of its nested runs. */
export interface PendingCall
  extends Omit<CallSuspension, 'version' | 'approval' | 'approved' | 'nested' | 'elicitation'> {
  /** Id of the pending call, unique in the suspension. Use this id as the key of the answer in `resume`. */
  readonly id: string
  /** Name of the agent that made the waiting call or asks the question. */
  readonly agent: string
  /**
   * Question of an MCP server. Present if `kind` is `elicitation`. If the server asks several questions, each question
   * is a separate pending call.
   */
  readonly question?: McpQuestion
}

export interface ClarificationField extends MissingField {
  readonly tool: string
}

export type StepSuspension = {
  /** All calls of the step, in order. Empty if the run itself asks a question. */
  readonly calls: readonly SuspendedCall[]
} & (
  | {
      readonly kind: 'clarification'
      readonly question: string
      /** Missing fields that the user should enter. Empty if the planner asks the question. */
      readonly fields: readonly ClarificationField[]
      /** Calls that need an answer, in order. Empty if the run itself asks the question. */
      readonly pending: readonly PendingCall[]
    }
  | {
      readonly kind: 'approval' | 'external' | 'elicitation'
      /**
       * Calls that need an answer, in order. Contains at least one call. If the calls have different kinds, `kind` is
       * the first existing kind in the order `approval`, `external`, `elicitation`.
       */
      readonly pending: readonly PendingCall[]
    }
)

export interface SuspendedCall {
  readonly tool: string
  readonly arguments: JsonText
  readonly toolCallId: string
  readonly parentToolCallId?: string
  /** Id of the call in the chat messages. Differs from `toolCallId` if an earlier call of the run has the same id. */
  readonly chatId: string
  readonly toolName: string
}

/** Outcome of a call as plain data that can be serialized as JSON. */
export type StoredOutcome = { readonly call: ToolCallRef; readonly provenance: Provenance } & (
  | {
      readonly status: 'completed'
      /** JSON text of the result, as the model read it. */
      readonly json: JsonText
      /** JSON text of the whole result before `resultAdapter` changes it. Absent if `json` is the same text. */
      readonly data?: JsonText
      /**
       * Files and resources of the result, for models. In `json`, a short text replaces the data of each file. Absent
       * if the result has no files or resources.
       */
      readonly content?: readonly ContentPart[]
      /**
       * First response of a session to a call of a streaming tool. The tool continues to run, and the session delivers
       * the result later. Absent if the outcome contains the final result of the tool.
       */
      readonly acknowledgement?: Acknowledgement
    }
  | {
      readonly status: 'failed'
      /** `reason` is a failure reason or the name of a declared failure. `hint.data` contains the data of a declared failure. */
      readonly error: { readonly reason: string; readonly message: string }
      readonly hint: RetryHint
    }
  | { readonly status: 'suspended'; readonly suspension: CallSuspension }
)

export interface RunProgress extends ModelUsage {
  /** Number of steps so far. */
  readonly turns: number
  /** Number of calls so far. */
  readonly toolCalls: number
  /** Number of calls so far that the policy rejected. */
  readonly refused: number
  /** Duration of the run so far in milliseconds, excluding the time during which the run was suspended. */
  readonly elapsedMs: number
  /** Number of messages in the conversation when the run started. */
  readonly runStart: number
  readonly events: number
  readonly stops: readonly StopSignal[]
  /** Outcomes of all calls of the run in call order, including the calls of the suspended step. */
  readonly outcomes: readonly StoredOutcome[]
  /** Fields of the chat request that started the run, except `messages`. */
  readonly fields?: ChatFields
}

/**
 * Program of code mode that waits for some of its calls. When the call of `run_program` continues, the program runs
 * again from its start. Calls that have ended do not run again: the program receives their outcomes from the {@link
 * RunSuspension} that contains this object.
 */
export interface SuspendedProgram {
  /** Version of the format of this object, and of the rules by which a program runs again. */
  readonly version: 1
  /** Source code, as the model wrote it. */
  readonly code: string
  /** Time that `Date` returns in the program, in milliseconds since the Unix epoch. */
  readonly now: number
  /** Seed of `Math.random`, with which a repeated program receives the same random numbers. */
  readonly seed: number
  /** Indexes of the ended calls in the array `calls` of the {@link RunSuspension}, in the order in which the program received the results. */
  readonly replies: readonly number[]
  /** Text about the completed calls, for the message that models read about the suspended call. Absent if no call has completed. */
  readonly completed?: string
}

/**
 * Suspended run. Plain data that can be serialized as JSON. A resumed run executes the calls in this object. Store the
 * object where users cannot change it, or sign the object with `signSuspensions`.
 */
export type RunSuspension = {
  readonly version: 1
  /** Unique id of this suspension. A suspension can be resumed only once. */
  readonly id: string
  readonly runId: string
  readonly agent: string
  /** Id of the run's session. Resume the run in the same session. Absent if the run had no session. */
  readonly sessionId?: string
  /** Time of the suspension in milliseconds since the Unix epoch. Absent if an older version created the suspension. */
  readonly suspendedAt?: number
  /** Signature of the suspension. Present if the runtime signs suspensions. */
  readonly signature?: string
  /**
   * Sensitive values, and the generated texts (pseudonyms) that replace these values in the suspension. The option
   * `sensitive` of the runtime encrypts this data. Absent if the suspension contains no pseudonyms.
   */
  readonly sensitive?: string
  /**
   * Suspended program of code mode. Absent if this object describes a suspended run of an agent. If present, the other properties of this object
   * describe the program: `calls` contains all calls of the program, `agent` is the agent whose tools the program calls, and `messages` is empty.
   * Only the call of `run_program` can continue the program.
   */
  readonly program?: SuspendedProgram
  /** Conversation up to the suspension, the oldest message first. */
  readonly messages: readonly ChatMessage[]
  readonly progress: RunProgress
} & StepSuspension

/**
 * Answer to one pending call:
 *
 * - `approve` runs the tool. An {@link Approval} can change the arguments and name the approver.
 * - `deny` rejects the call. The model reads the optional `reason`.
 * - `result` is the tool's result as JSON. The tool does not run.
 * - `failure` makes the call fail. The tool does not run.
 * - `text` answers a question of an agent.
 * - `action` answers a question of an MCP server. `content` must match the schema of the question.
 */
export type PendingAnswer =
  | 'approve'
  | Approval<JsonValue>
  | 'deny'
  | Denial
  | { readonly result: JsonValue }
  | {
      readonly failure: {
        /** Message that the model reads. */
        readonly message: string
        /** Reason of the failed call. Default: `domain_rejection`. */
        readonly reason?: FailureReason
      }
    }
  | { readonly text: string }
  | McpAnswer

/**
 * Answers that resume a run: a string that answers a single question, or a record of answers by the ids of the pending
 * calls. Calls without an answer continue to wait.
 *
 * @example
 * support.resume(suspension, {
 *   call_17: { decision: 'approve', arguments: { paymentId: 'P-1', amount: 40 }, by: 'ann' },
 *   call_18: { decision: 'deny', reason: 'Too expensive.' },
 * })
 */
export type Answers = string | Readonly<Record<string, PendingAnswer>>

/** Records resumed suspensions, so that each suspension can be resumed only once. */
export interface ResumeClaims {
  /**
   * Marks a suspension as resumed. The stored mark is called a claim. Returns `true` for the first claim of a
   * suspension, and `false` for all later claims of the same suspension. Returns `'expired'` if the suspension is so
   * old that the store may have deleted its claim. If several processes resume runs, use shared claims such as
   * `postgresClaims`.
   *
   * @param suspension `suspendedAt` is the time of the suspension in milliseconds since the Unix epoch; absent if an
   * older version created the suspension
   */
  claim(
    suspensionId: string,
    suspension?: { readonly suspendedAt?: number },
  ): boolean | 'expired' | Promise<boolean | 'expired'>
}

/** Signs and verifies suspensions, as `signSuspensions` does. Implement this interface if a key service stores the key. */
export interface SuspensionSigner {
  /** Signs the text of a suspension, and returns the signature. */
  sign(text: string): Promise<string>
  /**
   * Verifies the signature of a text. The duration of `verify` must not depend on the signature. Returns `invalid` if
   * the text or the signature was changed. Returns `unknown_key` if the signer does not have the key of the signature.
   */
  verify(text: string, signature: string): Promise<'valid' | 'invalid' | 'unknown_key'>
}
