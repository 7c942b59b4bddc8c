import { isFields } from '../../codec/json/kind.js'
import type { JsonText } from '../../contract/json.js'

/** A notification of progress. A type: what is sent takes fields of any name. */
export type ProgressNotification = {
  readonly method: 'notifications/progress'
  readonly params: {
    readonly progressToken: string | number
    readonly progress: number
    readonly total?: number
    readonly message?: string
  }
}

/**
 * Turns the updates of one call into progress: an update with a growing number `progress` is taken at its word, any other is
 * counted and sent as the message.
 */
export function progressOf(progressToken: string | number): (update: JsonText) => ProgressNotification {
  let last = Number.NEGATIVE_INFINITY
  return (update) => {
    const told: unknown = JSON.parse(update)
    const { progress, total, message } = isFields(told) ? told : {}
    const isProgress = typeof progress === 'number' && progress > last
    last = isProgress ? progress : Math.max(last, 0) + 1
    return {
      method: 'notifications/progress',
      params: {
        progressToken,
        progress: last,
        ...(isProgress && typeof total === 'number' && { total }),
        ...(isProgress ? typeof message === 'string' && { message } : { message: update }),
      },
    }
  }
}
