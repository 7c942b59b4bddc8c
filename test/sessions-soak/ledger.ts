import { KnownSession } from './known-session.js'
import { type LedgerCounts, noCounts } from './ledger-counts.js'
import type { SessionRecord } from './records.js'

/**
 * Holds what one process after another says of the same sessions, and finds what contradicts the promises: an acknowledged
 * call comes to exactly one completion; nothing is given out twice; updates come in order before the completion; what was
 * seen, or was there when a session was closed, is there afterwards. What a process was taking when it was killed may
 * have been taken or not; that is counted.
 */
export class Ledger {
  readonly faults: string[] = []
  readonly counts: LedgerCounts = noCounts()
  readonly #sessions = new Map<string, KnownSession>()
  /** Calls of which nothing may follow, with the reason. */
  readonly #over = new Map<string, string>()
  #life = 0

  /**
   * Reads what the next process has written until it was killed or ended.
   *
   * @param isOvertaken the process after it has opened the sessions while it still worked
   */
  read(records: readonly SessionRecord[], { isOvertaken = false }: { readonly isOvertaken?: boolean } = {}): void {
    this.#life += 1
    const life = { number: this.#life, isOvertaken }
    for (const record of records) this.#sessionOf(record.session).read(record, life)
    for (const session of this.#sessions.values()) session.interrupt()
  }

  /** All processes have ended, and the last one has taken all there was. */
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
