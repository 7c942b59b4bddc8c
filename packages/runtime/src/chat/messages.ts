import { isFields } from '../schema/json-values.js'
import type { ChatMessage } from '../types/chat.js'
import type { MessageShapeIssue, MessageShapeIssueCode } from './shape-rule.js'

/** Why a message or an item cannot be converted; `unknown_item`: an item of no known kind. */
export type ChatMessageErrorCode = MessageShapeIssueCode | 'unknown_item'

/**
 * Thrown for a message that is not of chat completions: of another dialect, a part of a stream, or broken.
 *
 * @example
 * try {
 *   runItems(messages)
 * } catch (error) {
 *   if (isToolgenError(error, 'ChatMessageError')) console.error(error.index, error.path, error.code)
 * }
 */
export class ChatMessageError extends Error {
  override readonly name = 'ChatMessageError'
  readonly code: ChatMessageErrorCode
  /** Which message or item of the list; the first is 0. */
  readonly index: number
  /** A JSON Pointer into the message; `''` is the message itself. */
  readonly path: string

  constructor(index: number, issue: Omit<MessageShapeIssue, 'code'> & { readonly code: ChatMessageErrorCode }) {
    super(`Message ${index}: ${issue.message}`)
    this.code = issue.code
    this.index = index
    this.path = issue.path
  }
}

/** Whether a value is a list of messages, as far as their roles tell. */
export function isConversation(value: unknown): value is readonly ChatMessage[] {
  return Array.isArray(value) && value.every((message) => isFields(message) && typeof message.role === 'string')
}

/**
 * What a single message of a list gets wrong:
 * - the kinds of {@link MessageShapeIssueCode};
 * - `empty_tool_calls`: a list of calls without a call;
 * - `empty_message`: an assistant's message with neither content nor refusal, audio or calls.
 */
export type MessageIssueCode = MessageShapeIssueCode | 'empty_tool_calls' | 'empty_message'

/**
 * What calls and answers get wrong together:
 * - `duplicate_call_id`: two calls of one message share an id;
 * - `unanswered_call`: a call without an answer that is not pending;
 * - `unknown_answer`: an answer to a call that nobody made;
 * - `second_answer`: an answer to a call that has one already;
 * - `early_answer`: an answer before its call;
 * - `late_answer`: an answer that does not directly follow the message with its call, other answers aside.
 */
export type CallIssueCode =
  | 'duplicate_call_id'
  | 'unanswered_call'
  | 'unknown_answer'
  | 'second_answer'
  | 'early_answer'
  | 'late_answer'

/** One thing that is wrong with a list of messages. `message` is a sentence for people. */
export type ChatMessageIssue =
  /** No list at all, or one that throws when it is read. */
  | { readonly code: 'not_a_list'; readonly message: string }
  | {
      readonly code: MessageIssueCode
      /** Which message; the first is 0. */
      readonly index: number
      /** A JSON Pointer into the message; `''` is the message itself. */
      readonly path: string
      readonly message: string
    }
  | {
      readonly code: CallIssueCode
      readonly index: number
      readonly path: string
      /** The id of the call; for a legacy `function_call`, which has none, the function's name. */
      readonly callId: string
      readonly message: string
    }
  /** A call is said to be pending that is not open. */
  | { readonly code: 'unknown_pending'; readonly callId: string; readonly message: string }
  /** There are more violations than are listed. */
  | { readonly code: 'more_issues'; readonly message: string }
