import { ignoreErrors } from '../call/telemetry.js'
import { after } from '../call/timers.js'
import type { SaveSessionOptions, SessionClaim, SessionEntry, SessionStore, StoredSession } from '../types/session.js'
import { isSessionError, SessionError } from './session-types.js'

interface Stored {
  readonly userId: string
  readonly owner: string
  readonly json: string
}

/**
 * Keeps closed sessions in memory, as long as the process lives: each until `delete`. For tests, and for applications
 * that may lose results which nobody has taken.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store: memoryStore() })
 */
export function memoryStore(): SessionStore {
  const byId = new Map<string, Stored>()
  const readable = (sessionId: string, userId: string): Stored | undefined => {
    const stored = byId.get(sessionId)
    if (stored === undefined || stored.userId === userId) return stored
    throw new SessionError('wrong_user', `The session '${sessionId}' is not this user's. Give the session another id.`)
  }
  const requireOwner = (sessionId: string, owner: string, isStored = false): void => {
    const stored = byId.get(sessionId)
    if (stored === undefined ? !isStored : stored.owner === owner) return
    throw new SessionError(
      'superseded',
      `The session '${sessionId}' was opened elsewhere, or deleted. Go on there, or open it again.`,
    )
  }
  return {
    isDurable: false,
    async claim(sessionId: string, { userId, owner, check }: SessionClaim): Promise<StoredSession | undefined> {
      const stored = readable(sessionId, userId)
      if (stored === undefined) return undefined
      const session: StoredSession = JSON.parse(stored.json)
      check?.(session)
      byId.set(sessionId, { ...stored, owner })
      return session
    },
    async save(session: StoredSession, owner: string, { isStored }: SaveSessionOptions = {}): Promise<void> {
      requireOwner(session.sessionId, owner, isStored)
      byId.set(session.sessionId, { userId: session.userId, owner, json: JSON.stringify(session) })
    },
    async delete(sessionId: string, { userId }: Pick<SessionClaim, 'userId'>): Promise<boolean> {
      readable(sessionId, userId)
      return byId.delete(sessionId)
    },
  }
}

/** A store that has every optional method but `close`. */
export type GuardedStore = Omit<SessionStore, 'close'> & Required<Pick<SessionStore, 'release'>>

/** A store whose every failure is a {@link SessionError}. @throws {TypeError} for what is no store. */
export function guardedStore(store: SessionStore): GuardedStore {
  for (const method of ['claim', 'save', 'delete'] as const)
    if (typeof store[method] !== 'function') throw new TypeError(`SessionRegistry: the store has no method '${method}'`)
  return {
    isDurable: store.isDurable,
    claim: (sessionId, who) => guarded('read', sessionId, () => store.claim(sessionId, who)),
    save: (session, owner, how) => guarded('save', session.sessionId, () => store.save(session, owner, how)),
    delete: (sessionId, who) => guarded('delete', sessionId, () => store.delete(sessionId, who)),
    release: (sessionId, owner) => ignoreErrors(() => store.release?.(sessionId, owner)),
  }
}

async function guarded<Value>(what: string, sessionId: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (isSessionError(error)) throw error
    throw new SessionError(
      'store_failed',
      `The store could not ${what} the session '${sessionId}'. The cause says why; try again when the store is back.`,
      { cause: error },
    )
  }
}

/** Of how long a pause between two tries is at first and at most, in milliseconds; it doubles. */
const PAUSE_MS = { first: 20, longest: 5_000 }

/** One thing that changes a session. */
export interface Change {
  /**
   * - `nothing`: it counts at once, unless something before it waits for the store;
   * - `write`: it counts when it is stored;
   * - `answer`: somebody waits for that, so that the store is tried at once.
   */
  readonly needs: 'nothing' | 'write' | 'answer'
  /** What the change adds to the state; `undefined` where it adds nothing. */
  entry?(): SessionEntry | undefined
  /** It counts. `isWritten`: the store has it. */
  done(isWritten: boolean): void
  /** The store has failed. @returns whether the change waits for another try */
  failed(error: SessionError): boolean
}

/**
 * Brings the changes of one session to its store: one write at a time, and all that comes while one is under way goes into
 * the next. What the store did not take is tried again, first after 20 ms and then more and more seldom.
 */
export class StateWriter {
  readonly #write: (changes: readonly Change[]) => Promise<void>
  #queue: Change[] = []
  #batch: readonly Change[] = []
  #isBusy = false
  #stopped: SessionError | undefined = undefined
  #endPause: (() => void) | undefined = undefined
  #keepsAlive = true

  /** @param write stores the state with these changes; rejects with a {@link SessionError} */
  constructor(write: (changes: readonly Change[]) => Promise<void>) {
    this.#write = write
  }

  /** How many changes do not count yet. */
  get waiting(): number {
    return this.#queue.length + this.#batch.length
  }

  /** The changes that do not count yet, in their order. */
  get changes(): readonly Change[] {
    return [...this.#batch, ...this.#queue]
  }

  /** Why no change is taken any more. */
  get stopped(): SessionError | undefined {
    return this.#stopped
  }

  /** From now on nobody waits for what the store has not taken: it is tried as long as the process lives. */
  abandon(): void {
    this.#keepsAlive = false
    this.#endPause?.()
  }

  submit(change: Change): void {
    if (this.#stopped !== undefined) {
      change.failed(this.#stopped)
    } else if (!this.#isBusy && change.needs === 'nothing') {
      change.done(false)
    } else {
      this.#queue.push(change)
      if (!this.#isBusy) void this.#run()
      else if (change.needs === 'answer') this.#endPause?.()
    }
  }

  /** Takes the first change out of the queue of which this is true. @returns whether there was one */
  withdraw(isMeant: (change: Change) => boolean): boolean {
    const index = this.#queue.findIndex(isMeant)
    if (index >= 0) this.#queue.splice(index, 1)
    if (this.#queue.length === 0) this.#endPause?.()
    return index >= 0
  }

  /** Takes no more changes. Those that do not count yet fail. */
  stop(error: SessionError): void {
    if (this.#stopped !== undefined) return
    this.#stopped = error
    const left = this.changes
    this.#batch = []
    this.#queue = []
    for (const change of left) change.failed(error)
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#isBusy = true
    for (let failures = 0; this.#queue.length > 0; ) {
      if (this.#queue.every(({ needs }) => needs === 'nothing')) {
        for (const change of this.#queue.splice(0)) change.done(false)
        continue
      }
      const error = await this.#writeAll()
      failures = error === undefined ? 0 : failures + 1
      if (error === undefined || this.#stopped !== undefined) continue
      // Whoever came while the store was tried gets a try of their own.
      const isAsked = this.#queue.some(({ needs }) => needs === 'answer')
      this.#queue = [...this.#batch.filter((change) => change.failed(error)), ...this.#queue]
      this.#batch = []
      if (!isAsked && this.#queue.some(({ needs }) => needs !== 'nothing')) await this.#pause(failures)
    }
    this.#isBusy = false
  }

  /** @returns why the store did not take it; the changes are the batch still then */
  async #writeAll(): Promise<SessionError | undefined> {
    this.#batch = this.#queue
    this.#queue = []
    try {
      await this.#write(this.#batch)
    } catch (error) {
      return isSessionError(error) ? error : new SessionError('store_failed', 'The store failed.', { cause: error })
    }
    const written = this.#batch
    this.#batch = []
    for (const change of written) change.done(true)
    return undefined
  }

  #pause(failures: number): Promise<void> {
    const pauseMs = Math.min(PAUSE_MS.first * 2 ** (failures - 1), PAUSE_MS.longest)
    return new Promise((resolve) => {
      const end = (): void => {
        stopTimer()
        this.#endPause = undefined
        resolve()
      }
      const stopTimer = after(pauseMs, end, this.#keepsAlive)
      this.#endPause = end
    })
  }
}
