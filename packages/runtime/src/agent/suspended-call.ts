import type { Mutable } from '../contract/mutable.js'
import type { SuspendedCall } from '../contract/suspension.js'
import type { NamedCall } from './call-messages.js'

/** A call of a step as plain data. */
export function suspendedCall({ call, chatId, wireName }: NamedCall): SuspendedCall {
  const { tool, arguments: sent, toolCallId = '', parentToolCallId } = call
  const suspended: Mutable<SuspendedCall> = { tool, arguments: sent, toolCallId, chatId, wireName }
  if (parentToolCallId !== undefined) suspended.parentToolCallId = parentToolCallId
  return suspended
}

/** The call of a step that was stored. */
export function namedCall({ chatId, wireName, ...call }: SuspendedCall): NamedCall {
  return { call, chatId, wireName }
}
