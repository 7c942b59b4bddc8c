import { after } from '../call/timers.js'
import type { JsonText, Mutable } from '../types/json.js'
import type { StoredOutcome } from '../types/outcome.js'
import type { SessionCompletion, SessionEntry, SessionUpdate, SessionUsage, StoredSession } from '../types/session.js'
import { EntryFeed, entrySize, KeptEntries, outcomeSize } from './kept-entries.js'
import { endedByUs, isSessionError, SessionError, type StreamingCall } from './session-types.js'
import { type Change, StateWriter } from './stores.js'

/** How many entries may wait for the store before tools are held back. */
const ROOM = 100

/** How long an update may stay unwritten, in milliseconds. */
const WRITE_UPDATES_MS = 200

/** What a journal needs beside what it begins with. */
interface JournalParts {
  /** How many updates of one call are kept that nobody takes. */
  readonly maxUpdatesPerCall: number
  /** Maximum size of all entries that nobody takes, in bytes. */
  readonly maxBytes: number
  /** Whether entries are stored before they are seen; else all is stored when the journal is finished. */
  readonly isDurable: boolean
  /** Rejects with a {@link SessionError}. */
  readonly save: (state: StoredSession) => Promise<void>
  /** Told when another owner has taken the session over. */
  readonly lost: (error: SessionError) => void
  /** Called when the journal saves nothing more. */
  readonly ended: () => void
}

/** The entries of one session: where they come in, are stored, are seen and are taken. */
export class SessionJournal {
  readonly feed: EntryFeed = new EntryFeed()
  readonly #parts: JournalParts
  readonly #identity: Omit<StoredSession, 'entries' | 'running' | 'nextSequence'>
  readonly #kept: KeptEntries
  readonly #heldBack = new HeldBack()
  readonly #writer: StateWriter
  /** The calls that have begun and whose end is not to be seen yet, in the order in which they began. */
  readonly #running = new Map<string, StreamingCall>()
  #sequence: number
  /** Size of the completions that wait for the store. */
  #endBytes = 0
  #stopTimer: (() => void) | undefined = undefined

  /** @param state what the session begins with, of which nothing runs */
  constructor(state: StoredSession, parts: JournalParts) {
    const { entries, running: _, nextSequence, ...identity } = state
    this.#parts = parts
    this.#identity = identity
    this.#kept = new KeptEntries({ updates: parts.maxUpdatesPerCall, bytes: parts.maxBytes }, entries)
    this.#sequence = nextSequence
    this.#writer = new StateWriter((changes) => this.#write(changes))
  }

  /** What nobody has taken, in order of arrival. @throws {SessionError} when the journal was stopped. */
  get entries(): readonly SessionEntry[] {
    if (this.stopped !== undefined) throw this.stopped
    return this.#kept.all()
  }

  /** The calls whose end is not to be seen yet, by id. */
  get running(): ReadonlyMap<string, StreamingCall> {
    return this.#running
  }

  /** What the journal holds at this moment. */
  usage(): Omit<SessionUsage, 'sessionId'> {
    const { count, bytes } = this.#kept
    const waiting = entriesOf(this.#writer.changes)
    return {
      pendingCalls: this.#running.size,
      entries: count + waiting.length,
      bytes: waiting.reduce((sum, entry) => sum + entrySize(entry), bytes),
      unsaved: this.#writer.waiting,
    }
  }

  /** Why no call may begin: there is no room for another result. `undefined` where there is. */
  get full(): string | undefined {
    const bytes = this.#kept.bytes + this.#endBytes
    const { maxBytes } = this.#parts
    if (bytes < maxBytes) return undefined
    return `The session keeps ${bytes} bytes of results that nobody has taken, and its limit is ${maxBytes}. Take results first.`
  }

  /** Why there is no session any more. */
  get stopped(): SessionError | undefined {
    return this.#writer.stopped
  }

  /** A call begins. Resolves when that is stored; rejects, and discards the call, where the store fails. */
  begin(call: StreamingCall): Promise<void> {
    this.#running.set(call.facts.callId, call)
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#parts.isDurable ? 'answer' : 'nothing',
        done: (isWritten) => {
          // Who asked for it has gone meanwhile: a restart must not find it running.
          if (call.isDiscarded && isWritten) this.#writeAnew()
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

  /** @returns resolves when the tool may go on; `undefined`: at once */
  update(call: StreamingCall, index: number, update: JsonText): Promise<void> | undefined {
    if (call.hasEnded || call.isDiscarded) return undefined
    if (call.waitingUpdates >= this.#parts.maxUpdatesPerCall) this.#dropWaiting(call)
    const entry = Object.freeze({
      kind: 'update',
      sequence: this.#nextSequence(),
      ...call.facts,
      index,
      update,
    } as const)
    this.#writer.submit(new UpdateChange(call, entry, (accepted, isWritten) => this.#accept(accepted, call, isWritten)))
    return this.#writer.waiting < ROOM ? undefined : this.#heldBack.hold(call)
  }

  /** A call has ended. Only its first end counts. */
  end(call: StreamingCall, end: CallEnd): void {
    if (call.hasEnded) return
    call.hasEnded = true
    this.#heldBack.letGo(call)
    if (call.isDiscarded) return
    const fitting = this.#fitting(call, end)
    call.endBytes = outcomeSize(fitting.outcome)
    this.#endBytes += call.endBytes
    const known = { ...fitting, sequence: this.#nextSequence(), isDurable: this.#parts.isDurable }
    this.#writer.submit(new EndChange(call, known, (entry, isWritten) => this.#accept(entry, call, isWritten)))
  }

  /**
   * Gives out all entries of the calls of which this is true, at most once. With a durable store that is stored first;
   * where the store fails, they are put back.
   *
   * @param isMeant is given the last entry of a call
   * @param accept given the entries at the moment that they are the taker's; where it does not take them, they are put back
   */
  consume(
    isMeant: (last: SessionEntry) => boolean,
    accept: (entries: readonly SessionEntry[]) => boolean = () => true,
  ): Promise<readonly SessionEntry[]> {
    if (this.stopped !== undefined) return Promise.reject(this.stopped)
    const entries = this.#kept.consume(isMeant)
    if (entries.length === 0) return Promise.resolve(entries)
    return new Promise((resolve, reject) => {
      this.#writer.submit({
        needs: this.#parts.isDurable ? 'answer' : 'nothing',
        done: () => {
          if (isAccepted(accept, entries)) return resolve(entries)
          this.#kept.putBack(entries)
          if (this.#parts.isDurable) this.#writeAnew()
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

  /** Whether there is something for such a taker. */
  has(isMeant: (last: SessionEntry) => boolean): boolean {
    return this.stopped === undefined && this.#kept.has(isMeant)
  }

  /** Stores all there is and ends the journal; see {@link finishJournal}. Where that fails, the journal goes on. */
  finish(limitMs: number): Promise<void> {
    const { sessionId } = this.#identity
    const stored = (): void => {
      this.#stop(new SessionError('closed', `The session '${sessionId}' is closed. Open it again to go on.`))
      this.feed.end()
    }
    return finishJournal({ sessionId, writer: this.#writer, limitMs, stored })
  }

  /** Whatever has not been stored or taken fails with this error. */
  #stop(error: SessionError): void {
    this.#writer.stop(error)
    this.#stopTimer?.()
    this.#heldBack.letAllGo()
    this.#running.clear()
    this.#kept.clear()
    this.#parts.ended()
  }

  /**
   * The end of a call as there is room for it. The call's own updates make room first; a result that is still too large
   * becomes a failure that says so.
   */
  #fitting(call: StreamingCall, end: CallEnd): CallEnd {
    const { outcome } = end
    const { maxBytes } = this.#parts
    const size = outcomeSize(outcome)
    if (size <= maxBytes) call.droppedUpdates += this.#kept.makeRoom(call.facts.callId, size + this.#endBytes)
    const held = this.#kept.bytes + this.#endBytes
    if (held + size <= maxBytes) return end
    const { provenance } = outcome
    const failed = endedByUs(call.facts, {
      reason: 'internal',
      message: `The tool has ended, but its result of ${size} bytes could not be kept: the session holds ${held} bytes of results that nobody has taken, and its limit is ${maxBytes}.`,
      tool: call.tool,
      durationMs: provenance.durationMs,
    })
    const { extra: _, ...kept } = provenance
    const small = { ...failed, provenance: Object.freeze(kept) }
    // What is no larger than the failure, such as a failure of the tool's own, is kept all the same.
    return outcomeSize(small) < size ? { ...end, outcome: Object.freeze(small), droppedBytes: size } : end
  }

  /** An entry may be seen. */
  #accept(entry: SessionEntry, call: StreamingCall, isWritten: boolean): void {
    call.droppedUpdates += this.#kept.add(entry)
    if (entry.kind === 'completed') {
      this.#running.delete(entry.callId)
      this.#forgetEnd(call)
    }
    this.feed.push(entry)
    if (!isWritten) this.#writeLater()
    if (this.#writer.waiting < ROOM) this.#heldBack.letAllGo()
  }

  /** Nothing of a call counts. */
  discard(call: StreamingCall): void {
    call.isDiscarded = true
    this.#forgetEnd(call)
    this.#running.delete(call.facts.callId)
    this.#heldBack.letGo(call)
  }

  #forgetEnd(call: StreamingCall): void {
    this.#endBytes -= call.endBytes
    call.endBytes = 0
  }

  /** A tool that does not wait is not kept waiting: its oldest update goes. */
  #dropWaiting(call: StreamingCall): void {
    if (!this.#writer.withdraw((change) => change instanceof UpdateChange && change.call === call)) return
    call.waitingUpdates -= 1
    call.droppedUpdates += 1
  }

  /** Nobody waits for updates to be stored: they are written with what comes next, or after a while. */
  #writeLater(): void {
    if (!this.#parts.isDurable || this.#stopTimer !== undefined || this.stopped !== undefined) return
    this.#stopTimer = after(WRITE_UPDATES_MS, () => {
      this.#stopTimer = undefined
      this.#writeAnew()
    })
  }

  #writeAnew(): void {
    this.#writer.submit({ needs: 'write', done: () => undefined, failed: () => false })
  }

  /** Rejects with a {@link SessionError}. */
  async #write(changes: readonly Change[]): Promise<void> {
    this.#stopTimer?.()
    this.#stopTimer = undefined
    try {
      await this.#parts.save(this.#stateWith(changes))
    } catch (error) {
      if (isSessionError(error) && error.code === 'superseded') this.#lose(error)
      else this.#writeLater()
      throw error
    }
  }

  #lose(error: SessionError): void {
    this.#stop(error)
    this.feed.end(error)
    this.#parts.lost(error)
  }

  #stateWith(changes: readonly Change[]): StoredSession {
    const running = [...this.#running.values()].filter(({ hasEnded }) => !hasEnded)
    return {
      ...this.#identity,
      entries: [...this.#kept.all(), ...entriesOf(changes)],
      running: running.map((call) => call.stored()),
      nextSequence: this.#sequence,
    }
  }

  #nextSequence(): number {
    this.#sequence += 1
    return this.#sequence - 1
  }
}

/** What changes add. */
function entriesOf(changes: readonly Change[]): readonly SessionEntry[] {
  return changes.map((change) => change.entry?.()).filter((entry) => entry !== undefined)
}

/** Whether a taker takes what there is; one that fails does not. */
function isAccepted(accept: (entries: readonly SessionEntry[]) => boolean, entries: readonly SessionEntry[]): boolean {
  try {
    return accept(entries)
  } catch {
    return false
  }
}

interface Hold {
  readonly promise: Promise<void>
  readonly end: () => void
}

/** The tools that may not go on yet, by their calls. */
class HeldBack {
  readonly #holds = new Map<StreamingCall, Hold>()

  /** Resolves when the tool may go on. */
  hold(call: StreamingCall): Promise<void> {
    const known = this.#holds.get(call)
    if (known !== undefined) return known.promise
    let end = (): void => undefined
    const promise = new Promise<void>((resolve) => {
      end = resolve
    })
    this.#holds.set(call, { promise, end })
    return promise
  }

  letGo(call: StreamingCall): void {
    this.#holds.get(call)?.end()
    this.#holds.delete(call)
  }

  letAllGo(): void {
    if (this.#holds.size > 0) for (const call of [...this.#holds.keys()]) this.letGo(call)
  }
}

/** What is finished, and how long that may take. */
interface Finishing {
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
function finishJournal({ sessionId, writer, limitMs, stored }: Finishing): Promise<void> {
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

/** How a call ended. */
interface CallEnd {
  readonly outcome: StoredOutcome
  /** Present where the session was closed before. */
  readonly timedOut?: true
  /** Size of a result that the session had no room for; the outcome says so. */
  readonly droppedBytes?: number
}

/** The end of a call comes in. */
class EndChange implements Change {
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

/** An update comes in. */
class UpdateChange implements Change {
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
