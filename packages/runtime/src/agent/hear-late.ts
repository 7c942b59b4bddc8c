import type { ChatMessage } from '../contract/chat-message.js'
import type { RunSession } from '../execute/call/run-session.js'
import { after } from '../time/long-timer.js'

/** How long a run that is aborted still waits for what the store is just letting go of, in milliseconds. */
const LAST_WAIT_MS = 500

/**
 * Hears what acknowledged calls have come to since. What comes when nobody waits for it any more stays in the session: a run
 * that is aborted still waits a little, for what has left the store may not find its way back.
 *
 * @param hear given the messages at the moment that they are the run's
 * @returns `undefined` where there is nothing; else resolves when that is over
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
  return (
    heard &&
    untilLastWait(signal, heard).finally(() => {
      isOver = true
    })
  )
}

function untilLastWait(signal: AbortSignal, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    let stopTimer = (): void => undefined
    const end = (): void => {
      stopTimer()
      signal.removeEventListener('abort', wait)
      resolve()
    }
    const wait = (): void => {
      stopTimer = after(LAST_WAIT_MS, end)
    }
    signal.addEventListener('abort', wait)
    work.then(end)
  })
}
