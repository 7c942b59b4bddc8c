import { withApproval, withoutApprovals } from '../call/approvals.js'
import { after, doublingDelay } from '../call/timers.js'
import type { RememberedApproval } from '../types/approval.js'
import type { JsonText } from '../types/json.js'
import type { StoredOutcome } from '../types/outcome.js'
import type {
  SaveSessionOptions,
  SessionCompletion,
  SessionEntry,
  SessionUsage,
  StoredMessage,
  StoredSession,
} from '../types/session.js'
import { Conversation } from './conversation.js'
import { EntryFeed, entrySize, KeptEntries, outcomeSize } from './entries.js'
import type { ConversationLimits } from './kept-messages.js'
import { isSessionError, SessionError } from './stores.js'
import { droppedResult, fullMessage, type StreamingCall } from './streaming-call.js'

/** Above this number of changes that wait for the store, streaming tools must wait before they emit another update. */
const MAX_WAITING = 100

/** Maximum delay of updates. If another change is written earlier, the waiting updates are written together with this change. */
const WRITE_UPDATES_MS = 200

interface JournalOptions {
  readonly maxUpdatesPerCall: number
  readonly maxBytes: number
  readonly conversation: ConversationLimits | undefined
  /**
   * `true`: the journal stores each change immediately, and the application can consume a result only after this write. `false`: the journal stores
   * the changes only when the session is closed.
   */
  readonly isDurable: boolean
  /** True if the store supports subscriptions. Each save then also contains the new entries for subscribers. */
  readonly hasSubscribers: boolean
  readonly save: (state: StoredSession, options: Pick<SaveSessionOptions, 'releases' | 'newEntries'>) => Promise<void>
  readonly onSuperseded: (error: SessionError) => void
  readonly onEnd: () => void
}

interface CallEnd {
  readonly outcome: StoredOutcome
  /** Present if the session was closed before the call ended. In this case, the call fails with the reason `timeout`. */
  readonly timedOut?: true
  /** Size in bytes of a result that the session dropped because of `maxBytes`. */
  readonly droppedBytes?: number
}

/**
 * Stores the entries of one session (updates and results of streaming calls), sends the entries to subscribers, and returns the entries to consumers.
 */
export class SessionJournal {
  readonly feed: EntryFeed = new EntryFeed()
  readonly conversation: Conversation
  /** Started calls whose result cannot be consumed yet, by call id, in the order in which they started. */
  readonly running: Map<string, StreamingCall> = new Map()
  readonly #options: JournalOptions
  readonly #identity: Omit<StoredSession, 'entries' | 'running' | 'messages' | 'approvals' | 'nextSequence'>
  readonly #kept: KeptEntries<SessionEntry>
  readonly #writer: StateWriter
  readonly #paused = new Map<StreamingCall, { readonly promise: Promise<void>; readonly resume: () => void }>()
  #approvals: readonly RememberedApproval[]
  #storedMessages: readonly StoredMessage[]
  #nextSequence: number
  #logged: number
  #waitingBytes = 0
  /** Consecutive failures of the store. */
  #failures = 0
  #stopTimer: (() => void) | undefined = undefined

  constructor(state: StoredSession, options: JournalOptions) {
    const { entries, running: _, messages = [], approvals = [], nextSequence, ...identity } = state
    this.#options = options
    this.#identity = identity
    this.#kept = new KeptEntries(options, entries, entrySize)
    this.#nextSequence = nextSequence
    this.#approvals = approvals
    this.#storedMessages = messages
    this.conversation = new Conversation(messages, options.conversation, {
      sessionId: identity.sessionId,
      nextSequence: () => this.#nextSequence++,
    })
    this.#logged = nextSequence - 1
    this.#writer = new StateWriter((changes) => this.#write(changes))
  }

  get entries(): readonly SessionEntry[] {
    if (this.stopped !== undefined) throw this.stopped
    return this.#kept.all()
  }

  /** Error with which all operations of an ended journal fail. `undefined` while the journal is in use. */
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

  /** Message for calls of streaming tools that the session rejects because its entries have reached `maxBytes`. `undefined` below this limit. */
  get full(): string | undefined {
    const { maxBytes } = this.#options
    const bytes = this.#kept.bytes + this.#waitingBytes
    return fullMessage(bytes, maxBytes)
  }

  /** Stores the start of a call. Resolves when the start is stored. If the store fails, discards the call and rejects. */
  start(call: StreamingCall): Promise<void> {
    this.running.set(call.info.callId, call)
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#options.isDurable ? 'answer' : 'nothing',
        done: (isWritten) => {
          // The caller aborted during the save. The journal saves again, so that the call is not restored as running.
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

  /**
   * Adds an update of a call. Returns a promise if the tool must wait for the store before its next update, or `undefined` if the tool can continue.
   */
  update(call: StreamingCall, index: number, update: JsonText): Promise<void> | undefined {
    if (call.hasEnded || call.isDiscarded) return undefined
    const isSameCall = (change: Change): boolean => change.updateOf === call
    if (call.waitingUpdates >= this.#options.maxUpdatesPerCall && this.#writer.withdraw(isSameCall)) {
      // The tool does not wait, so its oldest unsaved update is dropped.
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
    // Returns the completion with the current number of dropped updates. Returns the same object if it is unchanged.
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

  discard(call: StreamingCall): void {
    call.isDiscarded = true
    this.#forgetWaiting(call)
    this.running.delete(call.info.callId)
    this.#resume(call)
  }

  /**
   * Removes and returns the entries of all selected calls: `matches` receives the last entry of each call, and returns `true` to select the call. In
   * a durable journal, the removal is stored before the entries are returned. If the store fails, the entries remain in the journal.
   *
   * @param accept receives the entries before they are returned; if `accept` throws or returns `false`, the entries remain
   * @param move changes the conversation before the removal is stored. Returns a function that undoes this change; the journal calls the returned
   * function if the entries remain
   */
  consume(
    matches: (last: SessionEntry) => boolean,
    accept: (entries: readonly SessionEntry[]) => boolean = () => true,
    move: (entries: readonly SessionEntry[]) => () => void = () => () => undefined,
  ): Promise<readonly SessionEntry[]> {
    if (this.stopped !== undefined) return Promise.reject(this.stopped)
    const entries = this.#kept.consume(matches)
    if (entries.length === 0) return Promise.resolve(entries)
    const undo = move(entries)
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#options.isDurable ? 'answer' : 'nothing',
        consumed: entries,
        done: () => {
          let isAccepted = false
          try {
            isAccepted = accept(entries)
          } catch {
            // `accept` threw, so the entries are put back.
          }
          if (isAccepted) return resolve(entries)
          undo()
          this.#kept.putBack(entries)
          if (this.#options.isDurable) this.#writeAgain()
          resolve([])
        },
        failed: (error) => {
          undo()
          this.#kept.putBack(entries)
          reject(error)
          return false
        },
      })
    })
  }

  storeMessages(): Promise<void> {
    if (this.stopped !== undefined) return Promise.reject(this.stopped)
    if (!this.#options.isDurable || this.conversation.stored === this.#storedMessages) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: 'answer',
        done: () => resolve(),
        failed: (error) => {
          reject(error)
          return this.stopped === undefined
        },
      })
    })
  }

  clearMessages(): Promise<void> {
    if (this.stopped !== undefined) return Promise.reject(this.stopped)
    const undo = this.conversation.clear()
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#options.isDurable ? 'answer' : 'nothing',
        done: () => resolve(),
        failed: (error) => {
          undo()
          reject(error)
          return false
        },
      })
    })
  }

  get approvals(): readonly RememberedApproval[] {
    return this.#approvals
  }

  remember(approval: RememberedApproval): Promise<void> {
    return this.#storeApprovals(withApproval(this.#approvals, approval))
  }

  forgetApprovals(tool: string | undefined): Promise<void> {
    return this.#storeApprovals(withoutApprovals(this.#approvals, tool))
  }

  #storeApprovals(approvals: readonly RememberedApproval[]): Promise<void> {
    if (this.stopped !== undefined) return Promise.reject(this.stopped)
    const before = this.#approvals
    this.#approvals = Object.freeze(approvals)
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#options.isDurable ? 'answer' : 'nothing',
        done: () => resolve(),
        failed: (error) => {
          // Keeps the approvals that were added or removed in the meantime.
          const added = approvals.filter((each) => !before.includes(each))
          const removed = before.filter((each) => !approvals.includes(each))
          this.#approvals = Object.freeze([...removed, ...this.#approvals.filter((each) => !added.includes(each))])
          reject(error)
          return false
        },
      })
    })
  }

  has(matches: (last: SessionEntry) => boolean): boolean {
    return this.stopped === undefined && this.#kept.has(matches)
  }

  /**
   * Stores all changes and ends the journal. If the store fails, repeats the write for `limitMs` milliseconds, and then throws `store_failed`. In
   * this case, the journal remains open and repeats the write in the background. The process can exit before the write succeeds.
   *
   * @throws {SessionError} `store_failed`, with the last error of the store as `cause`; `superseded` if another process has opened the session
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
        releases: true,
        done: () => {
          if (isOver) return
          if (writer.waiting > 0) return writer.submit(change)
          stopTimer()
          this.#stop(new SessionError('closed', `The session '${sessionId}' is closed. Open it again.`))
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
        if (this.#stopTimer !== undefined) {
          // The timer must no longer keep the process alive.
          this.#stopTimer()
          this.#stopTimer = undefined
          this.#writeLater()
        }
        const why = lastError === undefined ? 'The store did not answer in time' : 'The store failed'
        const message = `${why}. The session '${sessionId}' was not closed and still has its results. Close it again when the store is available.`
        reject(new SessionError('store_failed', message, { cause: lastError }))
      })
    })
  }

  supersede(error: SessionError): void {
    if (this.stopped !== undefined) return
    this.#stop(error)
    this.feed.end(error)
    this.#options.onSuperseded(error)
  }

  #stop(error: SessionError): void {
    this.#writer.stop(error)
    this.#stopTimer?.()
    this.#resumeAll()
    this.running.clear()
    this.#kept.clear()
    this.#options.onEnd()
  }

  #fitting(call: StreamingCall, end: CallEnd): CallEnd {
    const { outcome } = end
    const { maxBytes } = this.#options
    const size = outcomeSize(outcome)
    if (size <= maxBytes) call.droppedUpdates += this.#kept.makeRoom(call.info.callId, size + this.#waitingBytes)
    const held = this.#kept.bytes + this.#waitingBytes
    if (held + size <= maxBytes) return end
    return { ...end, ...droppedResult(call.info, { outcome, tool: call.tool, held, maxBytes }) }
  }

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

  #writeLater(): void {
    if (!this.#options.isDurable || this.#stopTimer !== undefined || this.stopped !== undefined) return
    const writeAgain = (): void => {
      this.#stopTimer = undefined
      this.#writeAgain()
    }
    const delayMs = doublingDelay(this.#failures, WRITE_UPDATES_MS, LONGEST_PAUSE_MS)
    this.#stopTimer = after(delayMs, writeAgain, this.#writer.keepsAlive)
  }

  #writeAgain(): void {
    this.#writer.submit({ needs: 'write', done: () => undefined, failed: () => false })
  }

  #unlogged(entries: readonly SessionEntry[], changes: readonly Change[]): readonly SessionEntry[] {
    // Subscribers also receive the entries that were consumed before the first save.
    return [...changes.flatMap(({ consumed = [] }) => consumed), ...entries].filter(
      ({ sequence }) => sequence > this.#logged,
    )
  }

  async #write(changes: readonly Change[]): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    const running = [...this.running.values()].filter(({ hasEnded }) => !hasEnded)
    const messages = this.conversation.stored
    const state: StoredSession = {
      ...this.#identity,
      entries: [...this.#kept.all(), ...entriesOf(changes)],
      running: running.map((call) => call.stored()),
      ...(messages.length > 0 && { messages }),
      ...(this.#approvals.length > 0 && { approvals: this.#approvals }),
      nextSequence: this.#nextSequence,
    }
    const releases = changes.some(({ releases }) => releases === true)
    const newEntries = this.#options.hasSubscribers ? this.#unlogged(state.entries, changes) : undefined
    try {
      await this.#options.save(state, { releases, ...(newEntries !== undefined && { newEntries }) })
      this.#failures = 0
      this.#storedMessages = messages
      this.#logged = state.nextSequence - 1
    } catch (error) {
      if (isSessionError(error) && error.code === 'superseded') this.supersede(error)
      else {
        this.#failures += 1
        this.#writeLater()
      }
      throw error
    }
  }
}

function entriesOf(changes: readonly Change[]): readonly SessionEntry[] {
  return changes.map((change) => change.entry?.()).filter((entry) => entry !== undefined)
}

interface Change {
  /**
   * Time at which the change takes effect:
   * - `nothing`: immediately, or after earlier changes that wait for the store.
   * - `write`: after the change is stored.
   * - `answer`: after the change is stored. A caller waits for the change, so the write skips the pause after an earlier failed write.
   */
  readonly needs: 'nothing' | 'write' | 'answer'
  readonly updateOf?: StreamingCall
  readonly consumed?: readonly SessionEntry[]
  readonly releases?: true
  entry?(): SessionEntry | undefined
  done(isWritten: boolean): void
  /** Returns `true` to repeat the write, or `false` to drop the change. */
  failed(error: SessionError): boolean
}

const FIRST_PAUSE_MS = 20
const LONGEST_PAUSE_MS = 5_000

class StateWriter {
  readonly #write: (changes: readonly Change[]) => Promise<void>
  #queue: Change[] = []
  #batch: readonly Change[] = []
  #isBusy = false
  stopped: SessionError | undefined = undefined
  #endPause: (() => void) | undefined = undefined
  /** False after a close that has failed, until the store is available again. */
  keepsAlive = true

  constructor(write: (changes: readonly Change[]) => Promise<void>) {
    this.#write = write
  }

  get waiting(): number {
    return this.#queue.length + this.#batch.length
  }

  get changes(): readonly Change[] {
    return [...this.#batch, ...this.#queue]
  }

  abandon(): void {
    this.keepsAlive = false
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

  withdraw(matches: (change: Change) => boolean): boolean {
    const index = this.#queue.findIndex(matches)
    if (index >= 0) this.#queue.splice(index, 1)
    if (this.#queue.length === 0) this.#endPause?.()
    return index >= 0
  }

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
      // A caller that arrived during the failed write gets its own attempt at once.
      const isWaitedFor = this.#queue.some(({ needs }) => needs === 'answer')
      this.#queue = [...this.#batch.filter((change) => change.failed(error)), ...this.#queue]
      this.#batch = []
      if (!isWaitedFor && this.#queue.some(({ needs }) => needs !== 'nothing')) await this.#pause(failures)
    }
    this.#isBusy = false
  }

  async #writeAll(): Promise<SessionError | undefined> {
    this.#batch = this.#queue
    this.#queue = []
    try {
      await this.#write(this.#batch)
    } catch (error) {
      return isSessionError(error) ? error : new SessionError('store_failed', 'The store failed.', { cause: error })
    }
    this.keepsAlive = true
    const written = this.#batch
    this.#batch = []
    for (const change of written) change.done(true)
    return undefined
  }

  #pause(failures: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        stopTimer()
        this.#endPause = undefined
        resolve()
      }
      const stopTimer = after(doublingDelay(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS), end, this.keepsAlive)
      this.#endPause = end
    })
  }
}
