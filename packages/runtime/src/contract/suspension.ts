import type { ToolCallRef } from './call.js'
import type { ChatMessage } from './chat-message.js'
import type { JsonText } from './json.js'
import type { MissingField } from './retry-hint.js'

/** Why a call waits: for a person's approval, or for a result that comes from elsewhere. */
export type CallSuspensionKind = 'approval' | 'external'

/** A call that waits for somebody. Plain data: it can be written as JSON and read again. */
export interface CallSuspension {
  readonly version: 1
  readonly kind: CallSuspensionKind
  readonly call: ToolCallRef
  /** The arguments as they were sent. */
  readonly arguments: JsonText
  /** What somebody is asked. */
  readonly prompt?: string
}

/** A field that somebody is asked for. */
export interface ClarificationField extends MissingField {
  readonly tool: string
}

/** A run that waits for somebody. Plain data: it can be written as JSON and read again. */
export type RunSuspension = {
  readonly version: 1
  readonly runId: string
  /** Absent where the run has no agent. */
  readonly agent?: string
  /** The conversation so far. */
  readonly messages: readonly ChatMessage[]
} & (
  | {
      readonly kind: 'clarification'
      /** What the user is asked. */
      readonly question: string
      /** The fields that calls lacked; empty for a question of the planner's own. */
      readonly fields: readonly ClarificationField[]
    }
  | {
      readonly kind: CallSuspensionKind
      /** The calls that wait, in call order. */
      readonly pending: readonly CallSuspension[]
    }
)
