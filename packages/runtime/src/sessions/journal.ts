import { after } from '../call/timers.js'
import type { JsonText } from '../types/json.js'
import type { StoredOutcome } from '../types/outcome.js'
import type { SessionCompletion, SessionEntry, SessionUsage, StoredSession } from '../types/session.js'
import { EntryFeed, entrySize, KeptEntries, outcomeSize } from './entries.js'
import { isSessionError, SessionError } from './stores.js'
import { failedBySession, type StreamingCall } from './streaming-call.js'

/** Number of changes that may wait for the store before tools have to wait. */
const MAX_WAITING = 100

/** Maximum time that an update is not stored, in milliseconds. */
const WRITE_UPDATES_MS = 200

interface JournalOptions {
  readonly maxUpdatesPerCall: number
  /** Maximum size of all entries that nobody consumes, in bytes. */
  readonly maxBytes: number
  /** True if entries are stored before they are visible; otherwise everything is stored at the end. */
  readonly isDurable: boolean
  /** Rejects with a {@link SessionError}. */
  readonly save: (state: StoredSession) => Promise<void>
  /** Called when another owner has taken over the session. */
  readonly onSuperseded: (error: SessionError) => void
  /** Called when the journal saves nothing more. */
  readonly onEnd: () => void
}

interface CallEnd {
  readonly outcome: StoredOutcome
  /** Present if the session was closed before. */
  readonly timedOut?: true
  /** Size of a result that the session had no room for. */
  readonly droppedBytes?: number
}

/** Entries of one session: receives, stores, publishes and gives them to consumers. */
export class SessionJournal {
  readonly feed: EntryFeed = new EntryFeed()
  /** Started calls whose result is not visible yet, by id, in the order in which they started. */
  readonly running: Map<string, StreamingCall> = new Map()
  readonly #options: JournalOptions
  readonly #identity: Omit<StoredSession, 'entries' | 'running' | 'nextSequence'>
  readonly #kept: KeptEntries
  readonly #writer: StateWriter
  /** Tools that wait until the store has caught up. */
  readonly #paused = new Map<StreamingCall, { readonly promise: Promise<void>; readonly resume: () => void }>()
  #nextSequence: number
  /** Size of the results that wait for the store. */
  #waitingBytes = 0
  #stopTimer: (() => void) | undefined = undefined

  /** @param state has no running calls */
  constructor(state: StoredSession, options: JournalOptions) {
    const { entries, running: _, nextSequence, ...identity } = state
    this.#options = options
    this.#identity = identity
    this.#kept = new KeptEntries(options.maxUpdatesPerCall, options.maxBytes, entries)
    this.#nextSequence = nextSequence
    this.#writer = new StateWriter((changes) => this.#write(changes))
  }

  /** Entries that nobody has consumed, in order of arrival. @throws {SessionError} if the journal was stopped */
  get entries(): readonly SessionEntry[] {
    if (this.stopped !== undefined) throw this.stopped
    return this.#kept.all()
  }

  /** Error of everything that comes after the end of the journal; `undefined` before. */
  get stopped(): SessionError | undefined {
    return this.#writer.stopped
  }

  usage(): Omit<SessionUsage, 'sessionId'> {
    const waiting = entriesOf(this.#writer.changes)
    return {
      pendingCalls: this.running.size,
      entries: this.#kept.count + waiting.length,
      bytes: waiting.reduce((sum, entry) => sum + entrySize(entry), this.#kept.bytes),
      unsaved: this.#writer.waiting,
    }
  }

  /** Message that refuses further calls while there is no room for another result. */
  get full(): string | undefined {
    const { maxBytes } = this.#options
    const bytes = this.#kept.bytes + this.#waitingBytes
    if (bytes < maxBytes) return undefined
    return `The session keeps ${bytes} bytes of results that nobody has taken, and its limit is ${maxBytes}. Take results first.`
  }

  /** Resolves when the start of the call is stored. Rejects, and discards the call, if the store fails. */
  start(call: StreamingCall): Promise<void> {
    this.running.set(call.info.callId, call)
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#options.isDurable ? 'answer' : 'nothing',
        done: (isWritten) => {
          // The caller has given up meanwhile: a restart must not find the call running.
          if (call.isDiscarded && isWritten) this.#writeAgain()
          resolve()
        },
        failed: (error) => {
          this.discard(call)
          reject(error)
          return false
        },
      })
    })
  }

  /** Adds an update. @returns a promise while the tool has to wait */
  update(call: StreamingCall, index: number, update: JsonText): Promise<void> | undefined {
    if (call.hasEnded || call.isDiscarded) return undefined
    const isSameCall = (change: Change): boolean => change.updateOf === call
    if (call.waitingUpdates >= this.#options.maxUpdatesPerCall && this.#writer.withdraw(isSameCall)) {
      // The tool does not wait for the store: its oldest update is dropped.
      call.waitingUpdates -= 1
      call.droppedUpdates += 1
    }
    const entry = Object.freeze({
      kind: 'update',
      sequence: this.#nextSequence++,
      ...call.info,
      index,
      update,
    } as const)
    call.waitingUpdates += 1
    this.#writer.submit({
      needs: 'nothing',
      updateOf: call,
      entry: () => (call.isDiscarded ? undefined : entry),
      done: (isWritten) => {
        call.waitingUpdates -= 1
        if (!call.isDiscarded) this.#accept(entry, call, isWritten)
      },
      failed: () => true,
    })
    return this.#writer.waiting < MAX_WAITING ? undefined : this.#pause(call)
  }

  /** Ends a call. Only its first end counts. */
  end(call: StreamingCall, end: CallEnd): void {
    if (call.hasEnded) return
    call.hasEnded = true
    this.#resume(call)
    if (call.isDiscarded) return
    const fitting = this.#fitting(call, end)
    call.waitingBytes = outcomeSize(fitting.outcome)
    this.#waitingBytes += call.waitingBytes
    const sequence = this.#nextSequence++
    let completion: SessionCompletion | undefined
    // Until it is accepted more updates can be dropped. The same object as long as nothing changes.
    const current = (): SessionCompletion => {
      const { info, droppedUpdates } = call
      if (completion === undefined || (completion.droppedUpdates ?? 0) !== droppedUpdates) {
        const dropped = droppedUpdates > 0 && { droppedUpdates }
        completion = Object.freeze({ kind: 'completed', sequence, ...info, ...fitting, ...dropped })
      }
      return completion
    }
    this.#writer.submit({
      needs: this.#options.isDurable ? 'write' : 'nothing',
      entry: () => (call.isDiscarded ? undefined : current()),
      done: (isWritten) => {
        if (!call.isDiscarded) this.#accept(current(), call, isWritten)
      },
      failed: () => true,
    })
  }

  /** Discards a call: its updates and its result do not count. */
  discard(call: StreamingCall): void {
    call.isDiscarded = true
    this.#forgetWaiting(call)
    this.running.delete(call.info.callId)
    this.#resume(call)
  }

  /**
   * Removes and returns all entries of the calls whose last entry matches, at most once. A durable store commits that
   * first; if it fails, the entries are put back.
   *
   * @param accept receives the entries when nobody else can; they are put back if it returns `false` or throws
   */
  consume(
    matches: (last: SessionEntry) => boolean,
    accept: (entries: readonly SessionEntry[]) => boolean = () => true,
  ): Promise<readonly SessionEntry[]> {
    if (this.stopped !== undefined) return Promise.reject(this.stopped)
    const entries = this.#kept.consume(matches)
    if (entries.length === 0) return Promise.resolve(entries)
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#options.isDurable ? 'answer' : 'nothing',
        done: () => {
          let isAccepted = false
          try {
            isAccepted = accept(entries)
          } catch {
            // Not accepted.
          }
          if (isAccepted) return resolve(entries)
          this.#kept.putBack(entries)
          if (this.#options.isDurable) this.#writeAgain()
          resolve([])
        },
        failed: (error) => {
          this.#kept.putBack(entries)
          reject(error)
          return false
        },
      })
    })
  }

  /** Returns whether `consume` would find entries. */
  has(matches: (last: SessionEntry) => boolean): boolean {
    return this.stopped === undefined && this.#kept.has(matches)
  }

  /**
   * Stores everything and ends the journal. The store is tried until it succeeds or the time is over; then the journal goes
   * on, and tries without keeping the process alive.
   *
   * @throws {SessionError} `store_failed`, with the last error of the store as its cause; `superseded`
   */
  finish(limitMs: number): Promise<void> {
    const { sessionId } = this.#identity
    const writer = this.#writer
    return new Promise((resolve, reject) => {
      let lastError: SessionError | undefined
      let isOver = false
      let stopTimer = (): void => undefined
      const change: Change = {
        needs: 'answer',
        done: () => {
          if (isOver) return
          if (writer.waiting > 0) return writer.submit(change)
          stopTimer()
          this.#stop(new SessionError('closed', `The session '${sessionId}' is closed. Open it again to go on.`))
          this.feed.end()
          resolve()
        },
        failed: (error) => {
          lastError = error
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
        const why = lastError === undefined ? 'The store did not answer in time' : 'The store failed'
        const message = `${why}: the session '${sessionId}' was not closed and still holds its results. Close it again when the store is back.`
        reject(new SessionError('store_failed', message, { cause: lastError }))
      })
    })
  }

  /** Fails everything that is not stored or consumed with this error. */
  #stop(error: SessionError): void {
    this.#writer.stop(error)
    this.#stopTimer?.()
    this.#resumeAll()
    this.running.clear()
    this.#kept.clear()
    this.#options.onEnd()
  }

  /**
   * Returns the end of a call as it fits into the session: drops updates of the call first, and replaces a result that is
   * still too large by a failure.
   */
  #fitting(call: StreamingCall, end: CallEnd): CallEnd {
    const { outcome } = end
    const { maxBytes } = this.#options
    const size = outcomeSize(outcome)
    if (size <= maxBytes) call.droppedUpdates += this.#kept.makeRoom(call.info.callId, size + this.#waitingBytes)
    const held = this.#kept.bytes + this.#waitingBytes
    if (held + size <= maxBytes) return end
    const { extra: _, ...provenance } = outcome.provenance
    const failed = failedBySession(call.info, {
      reason: 'internal',
      message: `The tool has ended, but its result of ${size} bytes could not be kept: the session holds ${held} bytes of results that nobody has taken, and its limit is ${maxBytes}.`,
      tool: call.tool,
      durationMs: provenance.durationMs,
    })
    const small = Object.freeze({ ...failed, provenance: Object.freeze(provenance) })
    // A result that is no larger than this failure, such as a failure of the tool, is kept.
    return outcomeSize(small) < size ? { ...end, outcome: small, droppedBytes: size } : end
  }

  /** Makes an entry visible. */
  #accept(entry: SessionEntry, call: StreamingCall, isWritten: boolean): void {
    call.droppedUpdates += this.#kept.add(entry)
    if (entry.kind === 'completed') {
      this.running.delete(entry.callId)
      this.#forgetWaiting(call)
    }
    this.feed.push(entry)
    if (!isWritten) this.#writeLater()
    if (this.#writer.waiting < MAX_WAITING) this.#resumeAll()
  }

  #forgetWaiting(call: StreamingCall): void {
    this.#waitingBytes -= call.waitingBytes
    call.waitingBytes = 0
  }

  #pause(call: StreamingCall): Promise<void> {
    const paused = this.#paused.get(call)
    if (paused !== undefined) return paused.promise
    let resume = (): void => undefined
    const promise = new Promise<void>((resolve) => {
      resume = resolve
    })
    this.#paused.set(call, { promise, resume })
    return promise
  }

  #resume(call: StreamingCall): void {
    this.#paused.get(call)?.resume()
    this.#paused.delete(call)
  }

  #resumeAll(): void {
    if (this.#paused.size > 0) for (const call of [...this.#paused.keys()]) this.#resume(call)
  }

  /** Stores updates, for which nobody waits, with the next change or after a while. */
  #writeLater(): void {
    if (!this.#options.isDurable || this.#stopTimer !== undefined || this.stopped !== undefined) return
    this.#stopTimer = after(WRITE_UPDATES_MS, () => {
      this.#stopTimer = undefined
      this.#writeAgain()
    })
  }

  #writeAgain(): void {
    this.#writer.submit({ needs: 'write', done: () => undefined, failed: () => false })
  }

  /** Rejects with a {@link SessionError}. */
  async #write(changes: readonly Change[]): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    const running = [...this.running.values()].filter(({ hasEnded }) => !hasEnded)
    try {
      await this.#options.save({
        ...this.#identity,
        entries: [...this.#kept.all(), ...entriesOf(changes)],
        running: running.map((call) => call.stored()),
        nextSequence: this.#nextSequence,
      })
    } catch (error) {
      if (isSessionError(error) && error.code === 'superseded') {
        this.#stop(error)
        this.feed.end(error)
        this.#options.onSuperseded(error)
      } else this.#writeLater()
      throw error
    }
  }
}

function entriesOf(changes: readonly Change[]): readonly SessionEntry[] {
  return changes.map((change) => change.entry?.()).filter((entry) => entry !== undefined)
}

/** Change of the state of a session. */
interface Change {
  /**
   * - `nothing`: it counts at once, unless an earlier change waits for the store;
   * - `write`: it counts when it is stored;
   * - `answer`: like `write`, and a caller waits for it, so that the store is tried at once.
   */
  readonly needs: 'nothing' | 'write' | 'answer'
  /** Call whose update the change adds. */
  readonly updateOf?: StreamingCall
  /** Returns the entry that the change adds. */
  entry?(): SessionEntry | undefined
  /** Called when the change counts. */
  done(isWritten: boolean): void
  /** Called when the store has failed. @returns whether the change waits for another try */
  failed(error: SessionError): boolean
}

/** First and longest pause between two tries, in milliseconds; it doubles. */
const PAUSE_MS = { first: 20, longest: 5_000 }

/**
 * Writes the changes of one session to its store, one write at a time: changes that come during a write go into the next.
 * A failed write is tried again after a growing pause.
 */
class StateWriter {
  readonly #write: (changes: readonly Change[]) => Promise<void>
  #queue: Change[] = []
  #batch: readonly Change[] = []
  #isBusy = false
  /** Error of all later changes; `undefined` before {@link stop}. */
  stopped: SessionError | undefined = undefined
  #endPause: (() => void) | undefined = undefined
  #keepsAlive = true

  /** @param write stores the state with these changes; rejects with a {@link SessionError} */
  constructor(write: (changes: readonly Change[]) => Promise<void>) {
    this.#write = write
  }

  get waiting(): number {
    return this.#queue.length + this.#batch.length
  }

  /** Changes that do not count yet, in order. */
  get changes(): readonly Change[] {
    return [...this.#batch, ...this.#queue]
  }

  /** Lets the process end although changes are not stored. */
  abandon(): void {
    this.#keepsAlive = false
    this.#endPause?.()
  }

  submit(change: Change): void {
    if (this.stopped !== undefined) {
      change.failed(this.stopped)
    } else if (!this.#isBusy && change.needs === 'nothing') {
      change.done(false)
    } else {
      this.#queue.push(change)
      if (!this.#isBusy) void this.#run()
      else if (change.needs === 'answer') this.#endPause?.()
    }
  }

  /** Removes the first matching change from the queue. @returns whether there was one */
  withdraw(matches: (change: Change) => boolean): boolean {
    const index = this.#queue.findIndex(matches)
    if (index >= 0) this.#queue.splice(index, 1)
    if (this.#queue.length === 0) this.#endPause?.()
    return index >= 0
  }

  /** Fails all changes that do not count yet, and all later ones. */
  stop(error: SessionError): void {
    if (this.stopped !== undefined) return
    this.stopped = error
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
      if (error === undefined || this.stopped !== undefined) continue
      // A caller who came during the failed write gets a write of its own.
      const isWaitedFor = this.#queue.some(({ needs }) => needs === 'answer')
      this.#queue = [...this.#batch.filter((change) => change.failed(error)), ...this.#queue]
      this.#batch = []
      if (!isWaitedFor && this.#queue.some(({ needs }) => needs !== 'nothing')) await this.#pause(failures)
    }
    this.#isBusy = false
  }

  /** @returns the error of the store; the changes are still the batch then */
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
