import type { ShapeFault, ShapeFaultKind } from './shape-rule.js'

/** Why a message or an item cannot be converted; `unknown_item`: an item of no known kind. */
export type ChatMessageFault = ShapeFaultKind | 'unknown_item'

/**
 * Thrown for a message that is not of chat completions: of another dialect, a part of a stream, or broken.
 *
 * @example
 * try {
 *   runItems(messages)
 * } catch (error) {
 *   if (isChatMessageError(error)) console.error(error.index, error.path, error.fault)
 * }
 */
export class ChatMessageError extends Error {
  override readonly name = 'ChatMessageError'
  readonly fault: ChatMessageFault
  /** Which message or item of the list; the first is 0. */
  readonly index: number
  /** A JSON Pointer into the message; `''` is the message itself. */
  readonly path: string

  constructor(index: number, fault: Omit<ShapeFault, 'kind'> & { readonly kind: ChatMessageFault }) {
    super(`Message ${index}: ${fault.message}`)
    this.fault = fault.kind
    this.index = index
    this.path = fault.path
  }
}

/** Whether a value is a {@link ChatMessageError}, also one of another copy of this package. */
export function isChatMessageError(value: unknown): value is ChatMessageError {
  return value instanceof Error && value.name === 'ChatMessageError' && 'fault' in value && 'index' in value
}
