import type { SessionEntry } from '../../packages/runtime/src/sessions.js'
import { KnownCall } from './known-call.js'
import type { LedgerCounts } from './ledger-counts.js'
import type { EntryName, RecordOf, SessionRecord } from './records.js'

/** Data that all sessions of a ledger share. */
export interface LedgerBooks {
  readonly counts: LedgerCounts
  /** Calls that must have no further entries, with the reason. */
  readonly over: Map<string, string>
  readonly fault: (key: string, what: string) => void
  /** Returns the id of the session of an open call. */
  readonly sessionWith: (key: string) => string | undefined
}

/** A process that works with the sessions. */
export interface Life {
  readonly number: number
  /** True if the next process opens the sessions while this one still works. */
  readonly isOvertaken: boolean
}

/** Known state of a session. */
export class KnownSession {
  /** Calls whose result was not consumed yet. */
  readonly open = new Map<string, KnownCall>()
  readonly #id: string
  readonly #books: LedgerBooks
  readonly #takes = new Map<number, readonly EntryName[]>()
  /** Completions of each take that a kill has interrupted, until the session is opened again. */
  #interruptedTakes: readonly (readonly string[])[] = []
  #lastSeen = 0
  #isClosed = false
  #life: Life = { number: 0, isOvertaken: false }

  constructor(id: string, books: LedgerBooks) {
    this.#id = id
    this.#books = books
  }

  read(record: SessionRecord, life: Life): void {
    const { counts, fault } = this.#books
    this.#life = life
    switch (record.type) {
      case 'called':
        counts.calls += 1
        this.open.set(record.key, new KnownCall(record.key, this.#id, record, life.number))
        break
      case 'acknowledged': {
        counts.acknowledged += 1
        // Another process may have consumed the result in the meantime.
        const call = this.open.get(record.key)
        if (call !== undefined) call.callId = record.callId
        break
      }
      case 'answered':
      case 'refused':
        this.#unacknowledged(record)
        break
      case 'cancelling': {
        const call = this.open.get(record.key)
        if (call !== undefined) call.wasCancelled = true
        break
      }
      case 'closing':
        for (const call of this.open.values()) call.wasClosed = true
        break
      case 'closed':
        counts.closed += 1
        this.#isClosed = true
        break
      case 'strange':
        counts.strangers += 1
        if (record.answer !== 'wrong_user') fault('-', `MIXED: ${record.user} asked for ${this.#id}: ${record.answer}`)
        break
      case 'seen':
        this.#see(record.entry)
        break
      case 'taking':
        this.#takes.set(record.take, record.entries)
        break
      case 'taken':
        this.#taken(record)
        break
      case 'left':
        this.#takes.delete(record.take)
        if (record.code !== 'closed' && !this.#isSuperseded(record.code))
          fault('-', `UNTRUE: a take in ${this.#id} failed with ${record.code}`)
        break
      case 'restored':
        this.#opened(record)
    }
  }

  /** The process was killed or has ended: the entries of its running takes may be consumed. */
  interrupt(): void {
    const { counts } = this.#books
    const takes = [...this.#takes.values()]
    this.#takes.clear()
    counts.takesUnderWay += takes.length
    for (const entries of takes) {
      counts.entriesUnderWay += entries.length
      for (const { key, index } of entries) this.open.get(key)?.underWay.add(index)
    }
    const completions = takes.map((entries) => entries.filter(({ index }) => index === 0).map(({ key }) => key))
    this.#interruptedTakes = [...this.#interruptedTakes, ...completions]
  }

  /** The call was not acknowledged. This is allowed if the session was closed or opened elsewhere before the tool began. */
  #unacknowledged(record: RecordOf<'answered' | 'refused'>): void {
    const what = record.type === 'answered' ? `answered with ${record.status}` : `refused as ${record.code}`
    const call = this.open.get(record.key)
    if (call !== undefined) call.never = what
    const isRight = record.type === 'refused' ? this.#isSuperseded(record.code) : this.#mayBeCut(call)
    if (!isRight) this.#books.fault(record.key, `UNTRUE: ${what}`)
  }

  #isSuperseded(code: string): boolean {
    return code === 'superseded' && this.#life.isOvertaken
  }

  #mayBeCut(call: KnownCall | undefined): boolean {
    return call?.wasClosed === true || this.#life.isOvertaken
  }

  #see(entry: SessionEntry): void {
    const { fault } = this.#books
    const { key, index } = nameOf(entry)
    if (entry.sequence <= this.#lastSeen)
      fault(key, `TWICE: a subscriber was told ${entry.sequence} after ${this.#lastSeen}`)
    this.#lastSeen = entry.sequence
    // The entry may be consumed already.
    const call = this.open.get(key)
    if (call === undefined) return
    this.#check(call, entry)
    if (entry.kind === 'update') call.seen = index
    else call.seenEnd = entry
  }

  #taken({ take, entries }: RecordOf<'taken'>): void {
    const { counts, fault } = this.#books
    const meant = this.#takes.get(take) ?? []
    this.#takes.delete(take)
    counts.takes += 1
    if (listed(entries.map(nameOf)) !== listed(meant))
      fault(
        '-',
        `UNTRUE: a take in ${this.#id} gave ${entries.length} entries, not the ${meant.length} that were there`,
      )
    for (const entry of entries) this.#give(entry)
  }

  #give(entry: SessionEntry): void {
    const { counts, fault } = this.#books
    counts.given += 1
    const call = this.#callOf(entry)
    if (call === undefined) return
    this.#check(call, entry)
    for (const what of call.give(entry)) fault(call.key, what)
    if (entry.kind === 'update') return
    const { outcome } = entry
    const end = outcome.status === 'failed' ? `failed ${outcome.error.reason}` : outcome.status
    counts.ends.set(end, (counts.ends.get(end) ?? 0) + 1)
    this.#end(call, 'TWICE: it was given out as a whole')
  }

  /** The session was opened again: all known entries must be present. */
  #opened({ entries, pending }: RecordOf<'restored'>): void {
    const { counts, fault } = this.#books
    counts.opened += 1
    if (pending.length > 0) fault('-', `UNTRUE: ${pending.length} calls run in ${this.#id}, which was just opened`)
    const left = new Map<string, Set<number>>()
    for (const entry of entries) {
      const call = this.#callOf(entry)
      if (call === undefined) continue
      this.#check(call, entry)
      if (call.callId === undefined && call.life < this.#life.number) {
        call.callId = entry.callId
        counts.storedUnanswered += 1
      }
      left.set(call.key, (left.get(call.key) ?? new Set()).add(nameOf(entry).index))
    }
    for (const keys of this.#interruptedTakes) {
      const { length } = keys.filter((key) => left.get(key)?.has(0))
      if (length > 0 && length < keys.length)
        fault('-', `TORN: of a take in ${this.#id} ${length} of ${keys.length} completions are left`)
    }
    for (const call of [...this.open.values()]) this.#goOn(call, left.get(call.key) ?? new Set())
    this.#interruptedTakes = []
    this.#isClosed = false
    this.#lastSeen = 0
  }

  /** @param left indexes of the call's entries in the session. No call is running, so the completion is present or the call is over */
  #goOn(call: KnownCall, left: ReadonlySet<number>): void {
    const { counts, fault } = this.#books
    counts.entriesUnknown += [...call.underWay].filter((index) => !left.has(index)).length
    if (left.has(0)) {
      const missing = this.#isClosed ? call.missingFrom(left) : []
      if (missing.length > 0) fault(call.key, `LOST: update ${missing.join(', ')} when the session was closed`)
      call.goesOnWith(left)
    } else if (call.underWay.has(0)) {
      this.#end(call, 'TWICE: it was taken, since it was gone')
    } else {
      if (call.seenEnd !== undefined) fault(call.key, 'LOST: its completion was seen, not taken, and is gone')
      else if (call.callId !== undefined) fault(call.key, 'LOST: acknowledged, and there is no completion')
      this.#end(call, 'UNTRUE: it was gone')
    }
  }

  #callOf(entry: SessionEntry): KnownCall | undefined {
    const { over, sessionWith, fault } = this.#books
    const { key } = nameOf(entry)
    const call = this.open.get(key)
    if (call !== undefined) return call
    const owner = sessionWith(key)
    const why = over.get(key) ?? (owner === undefined ? 'INVENTED: nobody made it' : `MIXED: it is of ${owner}`)
    fault(key, `${why}, and its ${entry.kind} is in ${this.#id}`)
    return undefined
  }

  #check(call: KnownCall, entry: SessionEntry): void {
    for (const what of call.wrongIn(entry, this.#life.number)) this.#books.fault(call.key, what)
  }

  #end(call: KnownCall, why: string): void {
    this.open.delete(call.key)
    this.#books.over.set(call.key, why)
  }
}

function nameOf(entry: SessionEntry): EntryName {
  return { key: entry.toolCallId ?? '-', index: entry.kind === 'update' ? entry.index : 0 }
}

function listed(names: readonly EntryName[]): string {
  return names
    .map(({ key, index }) => `${key} ${index}`)
    .sort()
    .join()
}
