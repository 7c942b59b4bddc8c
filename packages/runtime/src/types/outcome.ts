import type { ChatFields, ChatMessage } from './chat.js'
import type { FailureReason, MissingField, RetryHint, ToolError } from './failure.js'
import type { JsonText, JsonValue } from './json.js'
import type { ToolCallRef } from './tool.js'

/** Signal of a layer that ends the run with the result `value`. */
export interface FinalSignal {
  readonly reason: 'final'
  readonly value: JsonValue
}

/** The limits of a policy that can end a run. */
export type LimitReason = 'max_tool_calls' | 'max_turns' | 'max_consecutive_failures' | 'max_tokens' | 'time_budget'

/** Reason for which a run ended, with its details. */
export type StopSignal =
  | FinalSignal
  /** The planner gave its answer. */
  | { readonly reason: 'answered' }
  /** A limit of the policy was reached: turns, calls, tokens, or milliseconds. */
  | { readonly reason: LimitReason; readonly limit: number }
  /** The model stopped for a reason that a guard does not take, e.g. `length`. */
  | { readonly reason: 'finish_reason'; readonly finishReason: string }
  /** The same calls were requested this number of times in a row. */
  | { readonly reason: 'repetition'; readonly times: number }
  /** A hook or a layer ended the run. */
  | { readonly reason: 'stopped'; readonly by: string; readonly message: string }
  /** Required fields were missing, and the policy finalizes then. */
  | { readonly reason: 'missing_fields' }
  /** Somebody has to answer before the run can go on. */
  | { readonly reason: 'suspended' }
  | { readonly reason: 'cancelled' }
  /** The planner, a layer around steps or runs, or the caller's own options failed. */
  | { readonly reason: 'failed'; readonly message: string }

/** Reason for which a run ended. */
export type StopReason = StopSignal['reason']

/** Origin and cost of a result. */
export interface Provenance {
  /** Tool id. */
  readonly tool: string
  /** Time from the start of the call to its end, in milliseconds. */
  readonly durationMs: number
  /** Number of attempts of the executor. */
  readonly attempts: number
  /**
   * Name of the model that produced the result, as reported by the model. For an agent's tool: the last model of its
   * run.
   */
  readonly model?: string
  /** Service that ran the tool: the name of the client in the design, an MCP server, an HTTP API, or an agent. */
  readonly service?: string
  /** Calls of the nested run. */
  readonly children?: readonly ToolCallRef[]
  /** Details that layers and executors add. */
  readonly extra?: Readonly<Record<string, JsonValue>>
}

/** Result with its provenance. */
export interface ProvenancedResult<Result = unknown> {
  /** Declared value, before a result adapter. */
  readonly data: Result
  /** Origin and cost of the result. */
  readonly provenance: Provenance
}

/** Outcome of a call. */
export type ToolOutcome<Result = unknown> = {
  readonly call: ToolCallRef
  readonly provenance: Provenance
  /** Ends the run of this call with a final value; the outermost layer that sets it counts. */
  readonly stop?: FinalSignal
} & (
  | {
      readonly status: 'completed'
      readonly result: ProvenancedResult<Result>
      /** The encoded result after the result adapter: what a model reads. */
      readonly json: JsonText
      /** Present if the tool goes on in a session: replaces the result, which comes later. */
      readonly acknowledgement?: Acknowledgement
    }
  | { readonly status: 'failed'; readonly error: ToolError; readonly hint: RetryHint }
  | { readonly status: 'suspended'; readonly suspension: CallSuspension }
)

/** Response of a session to the call of a streaming tool, when the tool starts. */
export interface Acknowledgement {
  readonly status: 'streaming'
  /** Id of the call in the session. */
  readonly callId: string
  /** Id of the call from a model or a caller. Absent if there was none. */
  readonly toolCallId?: string
  /** Tool id, e.g. `reports.build`. */
  readonly tool: string
  /** Message that a model can read. */
  readonly message: string
}

/**
 * Reason for which a call waits: the approval of a person, a result from elsewhere, or an answer of the user to the
 * agent that runs the tool.
 */
export type CallSuspensionKind = 'approval' | 'external' | 'clarification'

/** Suspended call. Plain data that can be written as JSON and read again. */
export interface CallSuspension {
  /** Version of the format. */
  readonly version: 1
  /** Reason for which the call waits. */
  readonly kind: CallSuspensionKind
  /** Suspended call. */
  readonly call: ToolCallRef
  /** Arguments as sent, or as a layer changed them. */
  readonly arguments: JsonText
  /** Arguments after the payload adapter. Present if the call waits for approval and the adapter changed them. */
  readonly adapted?: JsonText
  /** Question for the approver. */
  readonly prompt?: string
  /** Suspended run of the agent that serves the tool. */
  readonly nested?: RunSuspension
}

/** Call or question of a suspended run, or of a nested run, that needs an answer. */
export interface PendingCall extends Omit<CallSuspension, 'version' | 'nested'> {
  /** Key of the answer for `resume`; unique in the suspension. */
  readonly id: string
  /** Agent whose call waits, or that asks. */
  readonly agent: string
}

/** Field that the user is asked for. */
export interface ClarificationField extends MissingField {
  /** Tool id. */
  readonly tool: string
}

/** Suspended calls of a step, or a question. */
export type StepSuspension = {
  /** The calls of the step, in call order; empty where the run itself asks. */
  readonly calls: readonly SuspendedCall[]
} & (
  | {
      readonly kind: 'clarification'
      /** Question for the user. */
      readonly question: string
      /** The fields that calls lacked; empty for a question of the planner's own. */
      readonly fields: readonly ClarificationField[]
      /** The calls that ask, in call order; empty where the run itself asks. */
      readonly pending: readonly PendingCall[]
    }
  | {
      readonly kind: 'approval' | 'external'
      /** Waiting calls, at least one, in call order. Mixed kinds count as approval. */
      readonly pending: readonly PendingCall[]
    }
)

/** Suspended call of a step, as it appears in the conversation. */
export interface SuspendedCall {
  readonly tool: string
  readonly arguments: JsonText
  readonly toolCallId: string
  readonly parentToolCallId?: string
  /** Id of the call in the conversation. */
  readonly chatId: string
  readonly toolName: string
}

/** An outcome as plain data. */
export type StoredOutcome = { readonly call: ToolCallRef; readonly provenance: Provenance } & (
  | {
      readonly status: 'completed'
      /** JSON text that the model read. */
      readonly json: JsonText
      /** The result before the result adapter, where that is another text. */
      readonly data?: JsonText
      /** Present where the tool goes on in a session. */
      readonly acknowledgement?: Acknowledgement
    }
  | {
      readonly status: 'failed'
      readonly error: { readonly reason: FailureReason; readonly message: string }
      readonly hint: RetryHint
    }
  | { readonly status: 'suspended'; readonly suspension: CallSuspension }
)

/** State of a run when it was suspended. */
export interface RunProgress {
  /** Number of steps so far. */
  readonly turns: number
  /** Number of calls so far. */
  readonly toolCalls: number
  /** Number of calls that the policy rejected. */
  readonly refused: number
  /** Prompt tokens so far. */
  readonly promptTokens: number
  /** Completion tokens so far. */
  readonly completionTokens: number
  /** Duration so far in milliseconds, without waiting times. */
  readonly elapsedMs: number
  /** Number of messages at the start of the run. */
  readonly runStart: number
  /** Number of events so far. */
  readonly events: number
  /** Recorded reasons to end the run. */
  readonly stops: readonly StopSignal[]
  /** Outcomes of the whole run in call order. The last ones belong to the suspended step. */
  readonly outcomes: readonly StoredOutcome[]
  /** Other fields of the chat request that started the run. */
  readonly fields?: ChatFields
}

/**
 * Suspended run. Plain data that can be written as JSON and read again. It determines what runs after a resume: store
 * it where users cannot change it, or sign it (`signSuspensions`).
 */
export type RunSuspension = {
  readonly version: 1
  /** Unique: a suspension is resumed once. */
  readonly id: string
  readonly runId: string
  readonly agent: string
  /** The session of the run; absent where it was in none. The run is resumed with the same one. */
  readonly sessionId?: string
  /** When the run was suspended, in milliseconds since the epoch; absent in a suspension of an earlier version. */
  readonly suspendedAt?: number
  /** Present where the runtime signs suspensions. */
  readonly signature?: string
  /** The conversation so far. */
  readonly messages: readonly ChatMessage[]
  readonly progress: RunProgress
} & StepSuspension

/**
 * Answer to one pending call:
 * - `approve` runs the tool; `deny`, with or without a reason for the model, does not;
 * - `result` is the tool's result as JSON; the tool is not run;
 * - `failure` fails the call; the tool is not run;
 * - `text` answers a question.
 */
export type PendingAnswer =
  | 'approve'
  | 'deny'
  | { readonly decision: 'deny'; readonly reason: string }
  | { readonly result: JsonValue }
  | {
      readonly failure: {
        /** Shown to the model. */
        readonly message: string
        /** Default `domain_rejection`. */
        readonly reason?: FailureReason
      }
    }
  | { readonly text: string }

/**
 * Answers that resume a run: a string for a single question, or answers by the ids of pending calls. Calls without an
 * answer keep waiting.
 *
 * @example
 * support.resume(suspension, { call_17: 'approve', call_18: { decision: 'deny', reason: 'Too expensive.' } })
 */
export type Answers = string | Readonly<Record<string, PendingAnswer>>

/** Records which suspensions have been resumed. */
export interface ResumeClaims {
  /**
   * Returns whether the suspension of this id may be resumed: `true` for exactly one caller, `false` where it was resumed
   * before, `'expired'` where the suspension is so old that the claims no longer know. Use claims that your processes share
   * where several of them resume, for example `postgresClaims`.
   *
   * @param suspension `suspendedAt`: when the run was suspended, in milliseconds since the epoch; absent for a suspension of an
   * earlier version
   */
  claim(
    suspensionId: string,
    suspension?: { readonly suspendedAt?: number },
  ): boolean | 'expired' | Promise<boolean | 'expired'>
}

/** Signs and verifies suspensions, as `signSuspensions` does. Implement it if a key service holds the key. */
export interface SuspensionSigner {
  /** Returns the signature of a text. */
  sign(text: string): Promise<string>
  /** Verifies the signature of a text in constant time. Returns `invalid` if the text or the signature was changed. */
  verify(text: string, signature: string): Promise<'valid' | 'invalid' | 'unknown_key'>
}
