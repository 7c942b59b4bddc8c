import type { Mutable } from '../contract/mutable.js'
import type { SessionCompletion } from '../contract/session.js'
import type { StoredOutcome } from '../contract/suspension.js'
import type { Change } from './state-writer.js'
import type { StreamingCall } from './streaming-call.js'

/** How a call ended. */
export interface CallEnd {
  readonly outcome: StoredOutcome
  /** Present where the session was closed before. */
  readonly timedOut?: true
  /** Size of a result that the session had no room for; the outcome says so. */
  readonly droppedBytes?: number
}

/** The end of a call comes in. */
export class EndChange implements Change {
  readonly needs: 'nothing' | 'write'
  readonly #call: StreamingCall
  readonly #end: CallEnd
  readonly #sequence: number
  readonly #accept: (entry: SessionCompletion, isWritten: boolean) => void
  #made: SessionCompletion | undefined = undefined

  constructor(
    call: StreamingCall,
    end: CallEnd & { readonly sequence: number; readonly isDurable: boolean },
    accept: (entry: SessionCompletion, isWritten: boolean) => void,
  ) {
    const { sequence, isDurable, ...rest } = end
    this.needs = isDurable ? 'write' : 'nothing'
    this.#call = call
    this.#end = rest
    this.#sequence = sequence
    this.#accept = accept
  }

  entry(): SessionCompletion | undefined {
    return this.#call.isDiscarded ? undefined : this.#completion()
  }

  done(isWritten: boolean): void {
    if (!this.#call.isDiscarded) this.#accept(this.#completion(), isWritten)
  }

  failed(): boolean {
    return true
  }

  /** Created on demand: until then more updates can be dropped. The same object as long as nothing changes. */
  #completion(): SessionCompletion {
    const { facts, droppedUpdates } = this.#call
    if (this.#made !== undefined && (this.#made.droppedUpdates ?? 0) === droppedUpdates) return this.#made
    const completion: Mutable<SessionCompletion> = {
      kind: 'completed',
      sequence: this.#sequence,
      ...facts,
      ...this.#end,
    }
    if (droppedUpdates > 0) completion.droppedUpdates = droppedUpdates
    this.#made = Object.freeze(completion)
    return this.#made
  }
}
