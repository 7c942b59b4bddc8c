import { after } from '../time/long-timer.js'
import { SessionError } from './session-error.js'
import type { Change, StateWriter } from './state-writer.js'

/** What is finished, and how long that may take. */
export interface Finishing {
  readonly sessionId: string
  readonly writer: StateWriter
  /** In milliseconds. */
  readonly limitMs: number
  /** Everything is stored: done before anything else can happen. */
  readonly stored: () => void
}

/**
 * Has all there is stored, what comes meanwhile too. The store is tried until it takes it or the time is over; what is
 * still under way then goes on without anybody waiting for it.
 *
 * @throws {SessionError} `store_failed`, with the store's last answer as its cause; `superseded`.
 */
export function finishJournal({ sessionId, writer, limitMs, stored }: Finishing): Promise<void> {
  return new Promise((resolve, reject) => {
    let last: SessionError | undefined
    let isOver = false
    let stopTimer = (): void => undefined
    const change: Change = {
      needs: 'answer',
      done: () => {
        if (isOver) return
        if (writer.waiting > 0) return writer.submit(change)
        stopTimer()
        stored()
        resolve()
      },
      failed: (error) => {
        last = error
        if (writer.stopped === undefined) return !isOver
        stopTimer()
        reject(error)
        return false
      },
    }
    writer.submit(change)
    if (writer.stopped !== undefined) return
    stopTimer = after(limitMs, () => {
      isOver = true
      writer.withdraw((waiting) => waiting === change)
      writer.abandon()
      reject(notStored(sessionId, last))
    })
  })
}

function notStored(sessionId: string, cause: SessionError | undefined): SessionError {
  const why = cause === undefined ? 'The store did not answer in time' : 'The store failed'
  return new SessionError(
    'store_failed',
    `${why}: the session '${sessionId}' was not closed and still holds its results. Close it again when the store is back.`,
    { cause },
  )
}
