import type { ChatMessage } from '../contract/chat-message.js'
import type { RunSession } from '../execute/call/run-session.js'
import { untilSignal } from './until-signal.js'

/**
 * Hears what acknowledged calls have come to since. What comes when nobody waits for it any more stays in the session.
 *
 * @param hear given the messages at the moment that they are the run's
 * @returns `undefined` where there is nothing; rejects with the signal's reason when that is aborted before
 */
export function hearLate(
  session: Pick<RunSession, 'late'> | undefined,
  signal: AbortSignal,
  hear: (messages: readonly ChatMessage[]) => void,
): Promise<void> | undefined {
  if (session === undefined || signal.aborted) return undefined
  let isOver = false
  const heard = session.late((messages) => {
    if (isOver) return false
    hear(messages)
    return true
  })
  if (heard === undefined) return undefined
  return untilSignal(signal, () => heard).finally(() => {
    isOver = true
  })
}
