import { ignoreErrors } from '../call/telemetry.js'
import { after, doublingDelay, ReconnectDelays } from '../call/timers.js'
import { peek } from '../call/tool-failure.js'
import { parseJson } from '../schema/parse-json.js'
import type { SessionEntry, SubscribeSessionOptions } from '../types/session.js'
import { readLoggedEntry, storableText } from './postgres-document.js'
import type { Query } from './postgres-migrations.js'
import type { Statements } from './postgres-statements.js'
import { isSessionError, SessionError, unknownSession, wrongUser } from './stores.js'

interface ListenHandlers {
  notify(payload: string): void
  /** Must be called when the connection has ended, so that the store calls `listen` again. */
  lost(error?: unknown): void
}

/**
 * Function that runs `LISTEN` on a separate connection. Resolves when PostgreSQL has confirmed `LISTEN`. The result is a function that ends the
 * connection. For pg, use `listenWith`; for PGlite, use `(channel, { notify }) => database.listen(channel, notify)`.
 */
export type Listen = (channel: string, handlers: ListenHandlers) => Promise<() => unknown>

interface ListenClient {
  connect(): Promise<unknown>
  query(text: string): Promise<unknown>
  end(): Promise<unknown>
  on(event: 'notification', listener: (message: { readonly payload?: string | undefined }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
}

/**
 * Creates a {@link Listen} function for pg. Each call of the created function opens a separate connection. A pool is not suitable, because PostgreSQL
 * sends notifications to a fixed connection. Set the time limit `connectionTimeoutMillis` of the client, because pg has none by default.
 *
 * @param createClient function that returns a new client without a connection
 * @example
 * const connectionString = process.env.DATABASE_URL
 * const listen = listenWith(() => new Client({ connectionString, connectionTimeoutMillis: 10_000 }))
 */
export function listenWith(createClient: () => ListenClient): Listen {
  return async (channel, { notify, lost }) => {
    const client = createClient()
    client.on('notification', ({ payload = '' }) => notify(payload))
    client.on('error', lost)
    client.on('end', () => lost())
    try {
      await client.connect()
      await client.query(`listen "${channel}"`)
    } catch (error) {
      // The connection may not exist.
      await client.end().catch(() => undefined)
      throw error
    }
    return () => client.end()
  }
}

const PAGE = 200

/** After this time without a notification, subscribers read the table, because a connection can be lost without an error. */
const POLL_MS = 10_000

const PAUSE_MS = { first: 50, longest: 5_000 }

interface SubscriptionsParts {
  readonly query: Query
  readonly sql: Statements
  readonly channel: string
  readonly listen: Listen
}

/**
 * PostgreSQL limits the size of a notification to 8,000 bytes. A notification therefore contains only the number of the last entry. Each subscriber
 * reads the entries after its position from the table. A lost connection or notification therefore loses no entry.
 */
export class Subscriptions {
  readonly #parts: SubscriptionsParts
  readonly #bySession = new Map<string, Set<Subscription>>()
  #connection: Connection | undefined = undefined

  constructor(parts: SubscriptionsParts) {
    this.#parts = parts
  }

  /** Resolves when the start position of the subscription is known. From this time on, the subscription delivers every new entry. */
  async open(
    sessionId: string,
    { userId, after: position }: SubscribeSessionOptions,
  ): Promise<AsyncIterableIterator<SessionEntry>> {
    const read = (from: number | undefined) => this.#read(sessionId, userId, from)
    const key = storableText(sessionId)
    const subscription = new Subscription(sessionId, read, () => this.#close(key, subscription))
    const ofSession = this.#bySession.get(key) ?? new Set()
    this.#bySession.set(key, ofSession.add(subscription))
    this.#connection ??= new Connection(this.#parts, (payload) => this.#wake(payload))
    try {
      await this.#connection.ready
      await subscription.start(position)
    } catch (error) {
      await subscription.return()
      throw error
    }
    return subscription
  }

  #wake(payload: string | undefined): void {
    const parsed = payload === undefined ? undefined : parseJson(payload)
    const sessionId = parsed?.ok === true ? peek(parsed.value, 'session') : undefined
    const woken = typeof sessionId === 'string' ? [this.#bySession.get(sessionId) ?? []] : [...this.#bySession.values()]
    for (const ofSession of woken) for (const subscription of ofSession) subscription.wake()
  }

  #close(key: string, subscription: Subscription): void {
    const ofSession = this.#bySession.get(key)
    ofSession?.delete(subscription)
    if (ofSession?.size === 0) this.#bySession.delete(key)
    if (this.#bySession.size > 0) return
    this.#connection?.end()
    this.#connection = undefined
  }

  async #read(sessionId: string, userId: string, position: number | undefined): Promise<Page> {
    const { query, sql } = this.#parts
    const ids = [sessionId, userId].map(storableText)
    const { rows } = await query(sql.readLog, [...ids, position === undefined ? '' : String(position), String(PAGE)])
    const session = rows.find((row) => peek(row, 'kind') === 'session')
    if (session === undefined) return { isDeleted: true, entries: [], position: 0 }
    if (peek(session, 'is_same_user') !== 'yes') throw wrongUser(sessionId)
    const found = rows
      .filter((row) => peek(row, 'kind') === 'entry')
      .map((row) => ({ sequence: Number(peek(row, 'sequence')), json: String(peek(row, 'entry')) }))
      .sort((one, other) => one.sequence - other.sequence)
    const entries = found.map(({ sequence, json }): SessionEntry => {
      if (json === '') throw expired(sessionId, sequence)
      return readLoggedEntry(json, sequence, sessionId)
    })
    const end = Number(peek(session, 'sequence')) - 1
    // The session was deleted and created again.
    if (position !== undefined && position > end) return { isDeleted: true, entries: [], position: end }
    return { isDeleted: false, entries, position: found.at(-1)?.sequence ?? position ?? end }
  }
}

interface Page {
  readonly isDeleted: boolean
  readonly entries: readonly SessionEntry[]
  readonly position: number
}

function expired(sessionId: string, sequence: number): SessionError {
  return new SessionError(
    'entries_expired',
    `The entries of the session '${sessionId}' up to number ${sequence} are no longer kept for subscribers. Subscribe with \`after: ${sequence}\`, and read the current entries with \`poll\` in the process that has the session open.`,
  )
}

class Subscription implements AsyncIterableIterator<SessionEntry> {
  readonly #sessionId: string
  readonly #read: (position: number | undefined) => Promise<Page>
  readonly #onEnd: () => void
  #position = 0
  #page: SessionEntry[] = []
  #isStale = true
  #isEnded = false
  #wakeUp: (() => void) | undefined = undefined
  // Each call of `next` waits for the previous call.
  #last: Promise<unknown> = Promise.resolve()
  #failures = 0

  constructor(sessionId: string, read: (position: number | undefined) => Promise<Page>, onEnd: () => void) {
    this.#sessionId = sessionId
    this.#read = read
    this.#onEnd = onEnd
  }

  async start(position: number | undefined): Promise<void> {
    const page = await this.#read(position)
    if (page.isDeleted && position !== undefined && page.position > 0) {
      throw new RangeError(`subscribe: after is ${position}, but the last entry has the number ${page.position}.`)
    }
    if (page.isDeleted) throw unknownSession(this.#sessionId, 'stored')
    this.#accept(page)
  }

  wake(): void {
    this.#isStale = true
    this.#wakeUp?.()
  }

  next(): Promise<IteratorResult<SessionEntry, undefined>> {
    const next = this.#last.then(() => this.#next())
    this.#last = next.catch(() => undefined)
    return next
  }

  async return(): Promise<IteratorResult<SessionEntry, undefined>> {
    this.#end()
    return { done: true, value: undefined }
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async #next(): Promise<IteratorResult<SessionEntry, undefined>> {
    for (;;) {
      if (this.#isEnded) return { done: true, value: undefined }
      const entry = this.#page.shift()
      if (entry !== undefined) return { done: false, value: entry }
      if (!this.#isStale) await new Promise<void>((resolve) => this.#sleep(POLL_MS, resolve))
      this.#isStale = false
      await this.#refill()
    }
  }

  async #refill(): Promise<void> {
    if (this.#isEnded) return
    try {
      const page = await this.#read(this.#position)
      this.#failures = 0
      if (page.isDeleted) this.#end()
      else this.#accept(page)
    } catch (error) {
      if (isSessionError(error)) {
        this.#end()
        throw error
      }
      // The database failed. The entries after the position are read when it is available again.
      this.#failures += 1
      const pauseMs = doublingDelay(this.#failures, PAUSE_MS.first, PAUSE_MS.longest)
      await new Promise<void>((resolve) => this.#sleep(pauseMs, resolve))
      this.#isStale = true
    }
  }

  #accept({ entries, position }: Page): void {
    this.#page = [...entries]
    this.#position = position
    this.#isStale ||= entries.length > 0
  }

  #sleep(milliseconds: number, resolve: () => void): void {
    const end = (): void => {
      stopTimer()
      this.#wakeUp = undefined
      resolve()
    }
    const stopTimer = after(milliseconds, end)
    this.#wakeUp = end
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#page = []
    this.#wakeUp?.()
    this.#onEnd()
  }
}

class Connection {
  readonly ready: Promise<void>
  readonly #parts: SubscriptionsParts
  readonly #wake: (payload: string | undefined) => void
  readonly #delays = new ReconnectDelays(PAUSE_MS.first, PAUSE_MS.longest)
  #isEnded = false
  #close: (() => unknown) | undefined = undefined

  constructor(parts: SubscriptionsParts, wake: (payload: string | undefined) => void) {
    this.#parts = parts
    this.#wake = wake
    this.ready = this.#connect()
    this.ready.catch(() => undefined)
  }

  end(): void {
    this.#isEnded = true
    void ignoreRejection(() => this.#close?.())
  }

  async #connect(): Promise<void> {
    let isOpen = false
    let isLost = false
    const lost = (): void => {
      if (isLost) return
      isLost = true
      // If the connection is not open yet, `listen` rejects too, and the connection must not be opened again for both reasons.
      if (isOpen) this.#lost()
    }
    this.#close = await this.#parts.listen(this.#parts.channel, {
      notify: (payload) => ignoreErrors(() => this.#wake(payload)),
      lost,
    })
    isOpen = true
    if (this.#isEnded) this.end()
    else if (isLost) this.#lost()
  }

  #lost(): void {
    const close = this.#close
    this.#close = undefined
    void ignoreRejection(() => close?.())
    if (!this.#isEnded) this.#reconnect()
  }

  #reconnect(): void {
    after(
      this.#delays.next(),
      () => {
        if (this.#isEnded) return
        this.#connect().then(
          // Entries may have been logged in the meantime.
          () => this.#wake(undefined),
          () => this.#reconnect(),
        )
      },
      false,
    )
  }
}

async function ignoreRejection(work: () => unknown): Promise<void> {
  try {
    await work()
  } catch {
    // The connection is closed in any case.
  }
}
