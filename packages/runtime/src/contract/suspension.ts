import type { ToolCallRef } from './call.js'
import type { ChatMessage } from './chat-message.js'
import type { ChatFields } from './chat-request.js'
import type { JsonText } from './json.js'
import type { Provenance } from './outcome.js'
import type { FailureReason, MissingField, RetryHint } from './retry-hint.js'
import type { Acknowledgement } from './session.js'
import type { StopSignal } from './stop-signal.js'

/**
 * Why a call waits: for a person's approval, for a result that comes from elsewhere, or for an answer of the user (where
 * the tool is another agent's, and that agent asks).
 */
export type CallSuspensionKind = 'approval' | 'external' | 'clarification'

/** A call that waits for somebody. Plain data: it can be written as JSON and read again. */
export interface CallSuspension {
  readonly version: 1
  readonly kind: CallSuspensionKind
  readonly call: ToolCallRef
  /** The arguments that it waits with: as they were sent, or as a layer changed them. */
  readonly arguments: JsonText
  /** The arguments after the payload adapter, where a call that waits for approval has one that changed them. */
  readonly adapted?: JsonText
  /** What somebody is asked. */
  readonly prompt?: string
  /** Where the tool is another agent's: that agent's run, which waits itself. */
  readonly nested?: RunSuspension
}

/** Something that somebody has to answer before a run goes on, in the run itself or in one beneath it. */
export interface PendingCall {
  /** Under which `resume` takes the answer; unique in the suspension. */
  readonly id: string
  readonly kind: CallSuspensionKind
  /** The agent whose call waits, or who asks. */
  readonly agent: string
  readonly call: ToolCallRef
  /** The arguments that it waits with: as they were sent, or as a layer changed them. */
  readonly arguments: JsonText
  /** The arguments after the payload adapter, where a call that waits for approval has one that changed them. */
  readonly adapted?: JsonText
  /** What somebody is asked. */
  readonly prompt?: string
}

/** A field that somebody is asked for. */
export interface ClarificationField extends MissingField {
  readonly tool: string
}

/** What a step waits for. */
export type StepSuspension = {
  /** The calls of the step, in call order; empty where the run itself asks. */
  readonly calls: readonly SuspendedCall[]
} & (
  | {
      readonly kind: 'clarification'
      /** What the user is asked. */
      readonly question: string
      /** The fields that calls lacked; empty for a question of the planner's own. */
      readonly fields: readonly ClarificationField[]
      /** The calls that ask, in call order; empty where the run itself asks. */
      readonly pending: readonly PendingCall[]
    }
  | {
      readonly kind: 'approval' | 'external'
      /** What waits, at least one, in call order; of mixed kinds it is an approval. */
      readonly pending: readonly PendingCall[]
    }
)

/** A call of the step that waits, as it stands in the conversation. */
export interface SuspendedCall {
  readonly tool: string
  readonly arguments: JsonText
  readonly toolCallId: string
  readonly parentToolCallId?: string
  /** The id that it has in the conversation. */
  readonly chatId: string
  readonly wireName: string
}

/** An outcome as plain data. */
export type StoredOutcome = { readonly call: ToolCallRef; readonly provenance: Provenance } & (
  | {
      readonly status: 'completed'
      /** What a model read. */
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

/** How far a run had come when it was suspended. */
export interface RunProgress {
  readonly turns: number
  readonly toolCalls: number
  readonly refused: number
  readonly promptTokens: number
  readonly completionTokens: number
  /** In milliseconds, without the wait. */
  readonly elapsedMs: number
  /** How many of the messages the run began with. */
  readonly runStart: number
  /** How many events there were. */
  readonly events: number
  /** Reasons to end that were recorded. */
  readonly stops: readonly StopSignal[]
  /** Of the whole run, in call order; the last ones are those of the step that waits. */
  readonly outcomes: readonly StoredOutcome[]
  /** The other fields of the chat request that the run began with. */
  readonly fields?: ChatFields
}

/**
 * A run that waits for somebody. Plain data: it can be written as JSON and read again. Keep it where nobody can change it, or
 * have it signed (`signSuspensions`): what it says is what is run when it is resumed.
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
