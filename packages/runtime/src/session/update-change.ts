import type { SessionEntry, SessionUpdate } from '../contract/session.js'
import type { Change } from './state-writer.js'
import type { StreamingCall } from './streaming-call.js'

/** An update comes in. */
export class UpdateChange implements Change {
  readonly needs = 'nothing'
  readonly call: StreamingCall
  readonly #entry: SessionUpdate
  readonly #accept: (entry: SessionUpdate, isWritten: boolean) => void

  constructor(call: StreamingCall, entry: SessionUpdate, accept: (entry: SessionUpdate, isWritten: boolean) => void) {
    this.call = call
    this.#entry = entry
    this.#accept = accept
    call.waitingUpdates += 1
  }

  entry(): SessionEntry | undefined {
    return this.call.isDiscarded ? undefined : this.#entry
  }

  done(isWritten: boolean): void {
    this.call.waitingUpdates -= 1
    if (!this.call.isDiscarded) this.#accept(this.#entry, isWritten)
  }

  failed(): boolean {
    return true
  }
}
