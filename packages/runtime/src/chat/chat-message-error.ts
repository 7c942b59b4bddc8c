import type { MessageShapeIssue, MessageShapeIssueCode } from './messages.js'

/** Code of a {@link ChatMessageError}: a code for a message, or `unknown_item` for a run item whose kind is unknown or does not match its role. */
type ChatMessageErrorCode = MessageShapeIssueCode | 'unknown_item'

/**
 * Thrown for a message that is not a chat completion message, for example a message of another API or a chunk of a
 * stream.
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
  /** Index of the message or run item in the array, from 0. */
  readonly index: number
  /** JSON Pointer to the invalid value in the message. `''` means the message itself. */
  readonly path: string

  constructor(index: number, issue: Omit<MessageShapeIssue, 'code'> & { readonly code: ChatMessageErrorCode }) {
    super(`Message ${index}: ${issue.message}`)
    this.code = issue.code
    this.index = index
    this.path = issue.path
  }
}
