import { KnownSession } from './known-session.js'
import { type LedgerCounts, noCounts } from './ledger-counts.js'
import type { SessionRecord } from './records.js'

/**
 * Reads the records of consecutive processes about the same sessions, and reports violations of the guarantees. An acknowledged call has exactly one
 * completion. Nothing is consumed twice. Updates are in order and before the completion. Entries that were seen, or existed when a session was
 * closed, exist afterwards. Entries that a killed process was consuming may be consumed or not; they are counted.
 */
export class Ledger {
  readonly faults: string[] = []
  readonly counts: LedgerCounts = noCounts()
  readonly #sessions = new Map<string, KnownSession>()
  /** Calls that must have no further entries, with the reason. */
  readonly #over = new Map<string, string>()
  #life = 0

  /**
   * Reads the records of the next process, from its start to its end.
   *
   * @param isOvertaken true if the following process has opened the sessions while this one still worked
   */
  read(records: readonly SessionRecord[], { isOvertaken = false }: { readonly isOvertaken?: boolean } = {}): void {
    this.#life += 1
    const life = { number: this.#life, isOvertaken }
    for (const record of records) this.#sessionOf(record.session).read(record, life)
    for (const session of this.#sessions.values()) session.interrupt()
  }

  /** Call after all processes have ended and the last one has consumed all entries. */
  finish(): void {
    for (const { open } of this.#sessions.values()) {
      for (const call of open.values()) {
        if (call.callId !== undefined) this.#fault(call.key, 'LOST: acknowledged, and never given out')
      }
    }
  }

  #sessionOf(id: string): KnownSession {
    const known = this.#sessions.get(id)
    if (known !== undefined) return known
    const session = new KnownSession(id, {
      counts: this.counts,
      over: this.#over,
      fault: (key, what) => this.#fault(key, what),
      sessionWith: (key) => [...this.#sessions].find(([, { open }]) => open.has(key))?.[0],
    })
    this.#sessions.set(id, session)
    return session
  }

  #fault(key: string, what: string): void {
    this.faults.push(`call ${key}: ${what}`)
  }
}
