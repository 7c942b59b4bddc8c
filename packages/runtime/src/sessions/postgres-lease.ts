import { ignoreErrors } from '../call/telemetry.js'
import { after } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import { storableJson, storableText } from './postgres-document.js'
import type { Query } from './postgres-migrations.js'
import type { Statements } from './postgres-statements.js'
import { superseded } from './stores.js'

const BEATS_PER_LEASE = 3

const MAX_CONFIRMATIONS = 3

interface Held {
  readonly owner: string
  isStored: boolean
  readonly onSuperseded: ((error: Error) => void) | undefined
}

interface Confirmation {
  readonly sessionId: string
  readonly owner: string
  resolve(isOwner: boolean): void
  reject(error: unknown): void
}

/**
 * A lease is a time-limited right to own sessions. All sessions of a process share one lease, so that one statement renews the ownership of all
 * sessions. Only the clock of the database decides whether a lease has expired. The process can renew an expired lease. The process loses a session
 * only if another process has become the owner.
 */
export class ProcessLease {
  readonly processId: string = crypto.randomUUID()
  readonly #query: Query
  readonly #sql: Statements
  readonly #address: string
  readonly #leaseMs: number
  readonly #onRenewed: () => Promise<void>
  readonly #held = new Map<string, Held>()
  /**
   * Sessions whose release the database has not confirmed: session id → the owner that held the session. The next renewal of the lease repeats the
   * release.
   */
  readonly #releasing = new Map<string, string>()
  #confirmations: Confirmation[] = []
  #isConfirming = false
  #isRenewing = false
  #starting: Promise<void> | undefined = undefined

  /** @param onRenewed its errors are ignored */
  constructor(
    query: Query,
    sql: Statements,
    { address = '', leaseMs }: { readonly address?: string; readonly leaseMs: number },
    onRenewed: () => Promise<void> = async () => undefined,
  ) {
    this.#query = query
    this.#onRenewed = onRenewed
    this.#sql = sql
    this.#address = address
    this.#leaseMs = leaseMs
  }

  start(): Promise<void> {
    if (this.#isRenewing) return Promise.resolve()
    this.#starting ??= this.#renew()
      .then(() => this.#keepRenewing())
      .finally(() => {
        this.#starting = undefined
      })
    return this.#starting
  }

  hold(sessionId: string, owner: string, { isStored, onSuperseded }: Omit<Held, 'owner'>): void {
    const held = this.#held.get(sessionId)
    this.#held.set(sessionId, { owner, isStored, onSuperseded })
    this.#releasing.delete(sessionId)
    if (held !== undefined && held.owner !== owner) ignoreErrors(() => held.onSuperseded?.(superseded(sessionId)))
    void this.start().catch(() => undefined)
    // If the database fails now, the next renewals repeat the start.
    this.#keepRenewing()
  }

  saved(sessionId: string, owner: string, releases: boolean): void {
    const held = this.#held.get(sessionId)
    const isHolder = held?.owner === owner
    if (!releases && !isHolder) this.hold(sessionId, owner, { isStored: true, onSuperseded: undefined })
    if (!isHolder) return
    held.isStored = true
    if (releases) this.#held.delete(sessionId)
  }

  holds(sessionId: string, owner: string): boolean {
    return this.#held.get(sessionId)?.owner === owner
  }

  release(sessionId: string, owner: string): void {
    if (!this.holds(sessionId, owner)) return
    this.#held.delete(sessionId)
    this.#releasing.set(sessionId, owner)
    void this.#releaseAll().catch(() => undefined)
  }

  /** Also requires that the lease does not expire soon. All calls of this method during a running statement share the next statement. */
  confirm(sessionId: string, owner: string): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#confirmations.push({ sessionId, owner, resolve, reject })
      if (!this.#isConfirming) void this.#confirmAll()
    })
  }

  async #confirmAll(): Promise<void> {
    this.#isConfirming = true
    // Requests in the same turn of the event loop share one statement.
    await undefined
    while (this.#confirmations.length > 0) {
      const batch = this.#confirmations
      this.#confirmations = []
      try {
        const owned = await this.#owned(batch)
        for (const { sessionId, owner, resolve } of batch) resolve(owned.has(keyOf(sessionId, owner)))
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isConfirming = false
  }

  async #owned(batch: readonly Confirmation[]): Promise<ReadonlySet<string>> {
    const owners = new Map(batch.map(({ sessionId, owner }) => [keyOf(sessionId, owner), { sessionId, owner }]))
    const values = [ownersJson([...owners.values()]), this.processId, interval(this.#leaseMs / BEATS_PER_LEASE)]
    for (let attempt = 1; ; attempt += 1) {
      const { rows } = await this.#query(this.#sql.confirm, values)
      if (rows.every((row) => peek(row, 'is_valid') === 'yes')) {
        const confirmed = new Set(rows.map((row) => String(peek(row, 'position'))))
        return new Set([...owners.keys()].filter((_, position) => confirmed.has(String(position))))
      }
      if (attempt === MAX_CONFIRMATIONS) {
        throw new Error(
          `The lease of ${this.#leaseMs} ms expires faster than the database renews it. Set a longer \`owner.leaseMs\`.`,
        )
      }
      await this.#renew()
    }
  }

  #keepRenewing(): void {
    if (this.#isRenewing) return
    this.#isRenewing = true
    this.#renewLater()
  }

  #renewLater(): void {
    after(
      this.#leaseMs / BEATS_PER_LEASE,
      () => {
        if (this.#held.size + this.#releasing.size === 0) {
          this.#isRenewing = false
          return
        }
        void this.#renew()
          .then(() => this.#releaseAll())
          .then(() => this.#onRenewed())
          .catch(() => undefined)
          .then(() => this.#renewLater())
      },
      false,
    )
  }

  async #renew(): Promise<void> {
    const stored = [...this.#held].filter(([, { isStored }]) => isStored)
    const held = stored.map(([sessionId, { owner }]) => ({ sessionId, owner }))
    const { rows } = await this.#query(this.#sql.renew, [
      this.processId,
      storableText(this.#address),
      interval(this.#leaseMs),
      ownersJson(held),
    ])
    for (const row of rows) {
      const lost = held[Number(peek(row, 'position'))]
      if (lost === undefined || !this.holds(lost.sessionId, lost.owner)) continue
      const { onSuperseded } = this.#held.get(lost.sessionId) ?? {}
      this.#held.delete(lost.sessionId)
      ignoreErrors(() => onSuperseded?.(superseded(lost.sessionId)))
    }
  }

  async #releaseAll(): Promise<void> {
    const releasing = [...this.#releasing]
    if (releasing.length === 0) return
    const owners = releasing.map(([sessionId, owner]) => ({ sessionId, owner }))
    await this.#query(this.#sql.release, [ownersJson(owners), this.processId])
    for (const [sessionId, owner] of releasing) {
      if (this.#releasing.get(sessionId) === owner) this.#releasing.delete(sessionId)
    }
  }
}

const keyOf = (sessionId: string, owner: string): string => JSON.stringify([sessionId, owner])

const interval = (milliseconds: number): string => `${milliseconds} milliseconds`

function ownersJson(owners: readonly { readonly sessionId: string; readonly owner: string }[]): string {
  const rows = owners.map(({ sessionId, owner }, position) => ({ position, session_id: sessionId, owner }))
  return storableJson(JSON.stringify(rows))
}
