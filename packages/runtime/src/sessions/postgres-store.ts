import { peek } from '../call/tool-failure.js'
import { parseJson } from '../schema/parse-json.js'
import type {
  SessionEntry,
  SessionOwner,
  SessionStore,
  StoredMessage,
  StoredSession,
  StoredSessionReader,
} from '../types/session.js'
import { entrySize } from './entries.js'
import {
  corrupt,
  documentOf,
  entryDocument,
  readDocument,
  storableJson,
  storableText,
  storedJson,
  storedText,
} from './postgres-document.js'
import { ProcessLease } from './postgres-lease.js'
import { DEFAULT_TABLE, migrateOnce, type Query, sessionMigrations } from './postgres-migrations.js'
import { type Statements, statements, tableNames } from './postgres-statements.js'
import { type Listen, Subscriptions } from './postgres-subscriptions.js'
import { guardedReader, guardedStore, openElsewhere, pageOf, superseded, wrongUser } from './stores.js'

export interface Change {
  /** Id of the session. The store writes changes with the same id one after another. */
  readonly row: string
  readonly json: string
  /** Entry rows to insert or update, each as JSON. */
  readonly added?: readonly string[] | undefined
  /** Primary keys of entry rows, each as JSON. */
  readonly removed?: readonly string[] | undefined
  /** Entries for subscribers, each as JSON. */
  readonly logged?: readonly string[] | undefined
}

type WriteAll = (changes: readonly Change[], lockTimeoutMs: number) => Promise<ReadonlySet<string>>

interface Trial {
  succeeded: number
  failed: number
}

interface Waiting extends Change {
  readonly length: number
  resolve(isDone: boolean): void
  reject(error: unknown): void
  trial: Trial | undefined
}

const MAX_CHANGES = 256
const MAX_LENGTH = 1_000_000

/** In UTF-16 code units. A longer change gets its own statement, so that shorter changes do not wait for this change. */
const MAX_SHARED_LENGTH = 64_000

const MAX_ALONE = 3

/**
 * `shared` applies to a statement with several changes, `alone` to a statement with one change. After a timeout of a shared statement, the store
 * writes each of its changes separately.
 */
const LOCK_TIMEOUT_MS = { shared: 100, alone: 1_000 }

type Reason = 'locked' | 'timeout' | 'row'

/**
 * After a failed statement with several changes, the store writes each of its changes separately. If the first writes fail this many times and none
 * succeeds, the store assumes that the database has failed, and rejects the remaining changes of the statement.
 */
const MAX_FAILED: Readonly<Record<Reason, number>> = { locked: 4 * MAX_ALONE, timeout: MAX_ALONE, row: MAX_CHANGES }

const MAX_SUSPECTS = 1_000

/**
 * Combines changes of several sessions in one statement, because a commit of many rows takes only slightly longer than a commit of one row.
 *
 * One shared statement runs at a time. Changes that arrive while it runs are part of the next shared statement. Up to three more statements run at
 * the same time. Each of the additional statements contains a single change that could delay other changes or make other changes fail: a long change,
 * a change whose shared statement failed, or a change of a session whose previous change failed.
 */
export class GroupCommit {
  readonly #writeAll: WriteAll
  readonly #writing = new Set<string>()
  readonly #suspects = new Set<string>()
  #waiting: Waiting[] = []
  #isScheduled = false
  #isSharing = false
  #alone = 0

  constructor(writeAll: WriteAll) {
    this.#writeAll = writeAll
  }

  /** Resolves to `false` if nothing was written, for example because the session has another owner. */
  write({ row, json, added, removed, logged }: Change): Promise<boolean> {
    const lengthOf = (jsons: readonly string[] = []): number => jsons.reduce((sum, each) => sum + each.length, 0)
    const length = json.length + lengthOf(added) + lengthOf(logged)
    return new Promise((resolve, reject) => {
      // Copied without a spread, which would take most of the time here.
      this.#waiting.push({ row, json, added, removed, logged, length, resolve, reject, trial: undefined })
      this.#schedule()
    })
  }

  /** The next statement starts in a microtask, so that the statement contains all changes of this turn of the event loop. */
  #schedule(): void {
    if (this.#isScheduled || (this.#isSharing && this.#alone === MAX_ALONE)) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#start()
    })
  }

  #start(): void {
    const shared: Waiting[] = []
    const alone: Waiting[] = []
    const rest: Waiting[] = []
    const earlier = new Set<string>()
    let length = 0
    for (const waiting of this.#waiting) {
      const { row } = waiting
      const isFree = !this.#writing.has(row) && !earlier.has(row)
      earlier.add(row)
      if (isFree && this.#goesAlone(waiting)) {
        // Sessions whose last change failed may use all but one of the single statements.
        const max = this.#suspects.has(row) ? MAX_ALONE - 1 : MAX_ALONE
        if (this.#alone + alone.length < max) alone.push(waiting)
        else rest.push(waiting)
      } else if (
        isFree &&
        !this.#isSharing &&
        shared.length < MAX_CHANGES &&
        (shared.length === 0 || length + waiting.length <= MAX_LENGTH)
      ) {
        shared.push(waiting)
        length += waiting.length
      } else rest.push(waiting)
    }
    this.#waiting = rest
    if (shared.length > 0) {
      this.#isSharing = true
      void this.#commit(shared, LOCK_TIMEOUT_MS.shared).then(() => {
        this.#isSharing = false
        this.#schedule()
      })
    }
    for (const waiting of alone) {
      this.#alone += 1
      void this.#commit([waiting], LOCK_TIMEOUT_MS.alone).then(() => {
        this.#alone -= 1
        this.#schedule()
      })
    }
  }

  #goesAlone({ row, length, trial }: Waiting): boolean {
    return trial !== undefined || length > MAX_SHARED_LENGTH || this.#suspects.has(row)
  }

  async #commit(batch: readonly Waiting[], lockTimeoutMs: number): Promise<void> {
    for (const { row } of batch) this.#writing.add(row)
    try {
      const changed = await this.#writeAll(batch, lockTimeoutMs)
      for (const { row, trial, resolve } of batch) {
        if (trial !== undefined) trial.succeeded += 1
        this.#suspects.delete(row)
        resolve(changed.has(row))
      }
    } catch (error) {
      this.#failed(batch, error)
    }
    for (const { row } of batch) this.#writing.delete(row)
  }

  #failed(batch: readonly Waiting[], error: unknown): void {
    const reason = reasonOf(error)
    const [first, ...others] = batch
    if (reason === undefined || first === undefined) {
      for (const { reject } of batch) reject(error)
      return
    }
    if (others.length > 0 || (reason === 'locked' && !this.#goesAlone(first))) {
      // One invalid row must not prevent the other sessions from being stored.
      const trial: Trial = { succeeded: 0, failed: 0 }
      for (const waiting of batch) waiting.trial = trial
      this.#waiting = [...batch, ...this.#waiting]
      return
    }
    const { row, trial, reject } = first
    this.#suspects.add(row)
    const [oldest] = this.#suspects
    if (this.#suspects.size > MAX_SUSPECTS && oldest !== undefined) this.#suspects.delete(oldest)
    reject(error)
    if (trial === undefined) return
    trial.failed += 1
    if (trial.succeeded > 0 || trial.failed < MAX_FAILED[reason]) return
    const left = this.#waiting.filter((waiting) => waiting.trial === trial)
    this.#waiting = this.#waiting.filter((waiting) => waiting.trial !== trial)
    for (const waiting of left) waiting.reject(error)
  }
}

/**
 * `row`: the data of one change can be the cause, for example an invalid value (SQLSTATE class 22). One invalid change must not prevent other changes
 * of the same statement.
 */
function reasonOf(error: unknown): Reason | undefined {
  const state = peek(error, 'code')
  if (state === '55P03') return 'locked'
  // `statement_timeout` cancels the query too.
  if (state === '57014' || state === 'ETIMEDOUT' || peek(error, 'name') === 'TimeoutError') return 'timeout'
  if (typeof state === 'string' && /^(?:22|23|40|54|P0)...$/.test(state)) return 'row'
  // Timeouts of drivers have no code.
  const message = peek(error, 'message')
  return typeof message === 'string' && /\btime(?:d )?-?out\b/i.test(message) ? 'timeout' : undefined
}

/** Options of {@link postgresStore}: database, table, lease and subscriptions. */
export interface PostgresStoreOptions {
  /** Function that runs one SQL statement. An error of the function becomes the `cause` of a `SessionError` with the code `store_failed`. */
  readonly query: Query
  /** Name of the table. The name can include an existing schema, for example `app.session_tool_state`. Default: `session_tool_state`. */
  readonly table?: string
  /**
   * Address and lease of this process. The lease is the time-limited right of the process to own sessions. Default: no
   * address, and a lease of 15 seconds.
   */
  readonly owner?: StoreOwnerOptions
  /** Options for subscriptions to sessions of other processes. Default: no subscriptions, and `subscribe` fails. */
  readonly subscriptions?: StoreSubscriptionOptions
}

/** Options of {@link PostgresStoreOptions.owner}: address and lease of this process. */
export interface StoreOwnerOptions {
  /**
   * Address at which other processes reach this process, such as `http://10.0.0.5:3000`. If this process has a session open, other processes cannot
   * open the session. In this case, the error of the other process contains this address in `error.owner`. Default: no address.
   */
  readonly address?: string
  /**
   * Duration of the lease in milliseconds, at least 100. The store renews the lease three times during this duration.
   * If the process dies, other processes can open its sessions after this duration. Default: 15,000.
   */
  readonly leaseMs?: number
}

/**
 * Options of {@link PostgresStoreOptions.subscriptions}. Set these options in all processes that use the database, or in no process. The table
 * `<table>_log` contains the entries for subscribers. If a session drops an update before the session has stored the update, subscribers do not
 * receive the update.
 */
export interface StoreSubscriptionOptions {
  /**
   * Function that runs `LISTEN` on a separate connection. The store calls this function when the process gets its
   * first subscriber, and stops listening after the last subscriber has left.
   */
  readonly listen: Listen
  /**
   * Time in milliseconds after which the store deletes an entry for subscribers, by the clock of the database. Entries remain for this time even if
   * they are consumed. A subscriber that was disconnected for a shorter time receives all entries. Default: 3,600,000 (one hour).
   */
  readonly keepMs?: number
}

const DEFAULT_KEEP_MS = 3_600_000

const RENEWALS_PER_TRIM = 12

const DEFAULT_LEASE_MS = 15_000
const MIN_LEASE_MS = 100

const OPEN_LOCK_TIMEOUT_MS = '1000'

/**
 * In bytes; see {@link entrySize}. The size is small, because every save writes the row of the session again. An entry with its own row is written
 * only once.
 */
const INLINE_BYTES = 4_000

/**
 * Creates a store for sessions in PostgreSQL 12 or newer, on a server or embedded (PGlite). The store creates or
 * updates its tables when it is first used. The store combines saves of different sessions in one statement. Each save
 * resolves after the commit. A save writes only changes, so its cost does not depend on earlier results. Up to four
 * statements run at the same time. Use a pool with at least five connections.
 *
 * The store neither opens nor closes the database connection. Only one process may use the directory of an embedded
 * database; see {@link lockDirectory}.
 *
 * A session is open in one process at a time. Each process has a lease in the database: a time-limited right to own
 * sessions. The process renews the lease while it has open sessions. Only the clock of the database decides whether a
 * lease has expired.
 *
 * @throws {TypeError} if the table name or the address is invalid
 * @throws {RangeError} if `owner.leaseMs` is not a number of at least 100
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * const store = postgresStore({ query: (text, values) => pool.query(text, values) })
 */
export function postgresStore({
  query,
  table = DEFAULT_TABLE,
  owner: self = {},
  subscriptions: options,
}: PostgresStoreOptions): SessionStore & StoredSessionReader {
  const sql = statements(table)
  const { channel } = tableNames(table)
  const trim = options === undefined ? undefined : trimmer(query, sql, options)
  const lease = new ProcessLease(query, sql, ownerOptions(self), trim)
  const subscriptions = options && new Subscriptions({ query, sql, channel, listen: options.listen })
  const ready = migrateOnce(query, table, sessionMigrations)
  const saves = new GroupCommit(async (changes, lockTimeoutMs) => {
    await ready()
    const array = (jsons: readonly string[]): string => `[${jsons.join(',')}]`
    const values = [array(changes.map(({ json }) => json)), String(lockTimeoutMs)]
    const added = changes.flatMap(({ added = [] }) => added)
    const removed = changes.flatMap(({ removed = [] }) => removed)
    const logged = changes.flatMap(({ logged = [] }) => logged)
    const { rows } =
      added.length + removed.length + logged.length === 0
        ? await query(sql.save, values)
        : logged.length === 0
          ? await query(sql.saveWithEntries, [...values, array(added), array(removed)])
          : await query(sql.saveAndNotify, [...values, array(added), array(removed), array(logged), channel])
    return new Set(rows.map((row) => String(peek(row, 'session_id'))))
  })
  const rowsOf = new Map<string, EntryRows>()
  // Increases with every save. A statement that timed out may still be executed after a later one, or after another process has become
  // the owner of the session. The database then ignores the statement, because its revision is lower or its owner differs.
  let revision = Date.now() * 1_000

  const read = async (sessionId: string, userId: string): Promise<FoundSession | undefined> => {
    const { rows } = await query(sql.read, [sessionId, userId].map(storableText))
    return rows.length === 0 ? undefined : foundIn(rows, sessionId, userId)
  }

  const reader: StoredSessionReader = {
    list: async (options) => {
      const { limit, after = ['', ''] } = pageOf(options, positionOf)
      await ready()
      const [savedAt = '', sessionId = ''] = after
      const { rows } = await query(sql.list, [savedAt, storableText(sessionId), String(limit + 1)])
      const last = rows[limit - 1]
      return {
        sessions: rows.slice(0, limit).map((row) => ({
          sessionId: storedText(String(peek(row, 'session_id'))),
          userId: storedText(String(peek(row, 'user_id'))),
          namespaces: JSON.parse(storedJson(String(peek(row, 'namespaces')))),
          savedAt: Number(peek(row, 'saved_at_ms')),
        })),
        ...(rows.length > limit && {
          next: JSON.stringify([peek(last, 'saved_at'), storedText(String(peek(last, 'session_id')))]),
        }),
      }
    },
    read: async (sessionId) => {
      await ready()
      const { rows } = await query(sql.userOf, [storableText(sessionId)])
      const found = rows.length === 0 ? undefined : await read(sessionId, storedText(String(peek(rows[0], 'user_id'))))
      return found?.session
    },
  }

  const store = guardedStore({
    isDurable: true,
    claim: async (sessionId, { userId, owner, check, takeOver = false, onSuperseded }) => {
      await ready()
      await lease.start()
      const claimed = async (): Promise<FoundSession | undefined> => {
        // Reads first, so that an unreadable or wrong session keeps its owner.
        const before = await read(sessionId, userId)
        if (before === undefined) return undefined
        check?.(before.session)
        const previous = String(peek(before.row, 'owner'))
        // If this process failed to release the session, the row still names this process, but no owner in this process uses the session.
        const isLeftOver = peek(before.row, 'process_id') === lease.processId && !lease.holds(sessionId, previous)
        const isFree = takeOver || isLeftOver
        const holder = isFree ? undefined : holderOf(before.row)
        if (holder !== undefined) throw openElsewhere(sessionId, holder)
        const ids = [sessionId, userId, owner].map(storableText)
        const { processId } = lease
        const values = [...ids, OPEN_LOCK_TIMEOUT_MS, processId, previous, isFree ? 'yes' : 'no']
        const { rows } = await query(sql.claim, values)
        // After `read`, another process has become the owner of the session or has renewed its lease.
        if (rows.length === 0) return claimed()
        // After `read`, the previous owner may have saved the session.
        const isSame = ['tool_results', 'saved_at'].every(
          (column) => peek(rows[0], column) === peek(before.row, column),
        )
        return isSame ? before : await read(sessionId, userId)
      }
      const found = await claimed()
      lease.hold(sessionId, owner, { isStored: found !== undefined, onSuperseded })
      rowsOf.delete(sessionId)
      if (found !== undefined && found.sequences.length > 0) {
        const sequences = new Set(found.sequences)
        const entries = itemsOf(found.session).filter(({ sequence }) => sequences.has(sequence))
        rowsOf.set(sessionId, new EntryRows(owner, entries))
      }
      return found?.session
    },

    confirm: async (sessionId, owner) => {
      if (!(await lease.confirm(sessionId, owner))) throw superseded(sessionId)
    },

    ...(subscriptions !== undefined && {
      subscribe: async (sessionId, options) => {
        await ready()
        return subscriptions.open(sessionId, options)
      },
    }),

    save: async (session, owner, { isStored = false, releases = false, newEntries = [] } = {}) => {
      const { sessionId, userId, namespaces } = session
      revision += 1
      const known = rowsOf.get(sessionId)
      // The session may have been deleted with its entry rows, so all are written again.
      if (!isStored) known?.written.clear()
      const isOwner = known?.owner === owner
      const { inline, own } = divided(itemsOf(session), isOwner ? known.written : undefined)
      const row = {
        session_id: sessionId,
        user_id: userId,
        namespaces,
        tool_results: documentOf(
          session,
          inline,
          own.map(({ sequence }) => sequence),
        ),
        owner,
        revision,
        process_id: releases ? null : lease.processId,
        is_stored: isStored,
      }
      const rows = isOwner ? known : own.length > 0 ? new EntryRows(owner, []) : undefined
      // A previous owner must not change the state of the new one.
      if (rows !== undefined && known === undefined) rowsOf.set(sessionId, rows)
      const { added = [], removed = [] } = rows?.change(own) ?? {}
      const isSaved = await saves.write({
        row: storableText(sessionId),
        json: storableJson(JSON.stringify(row)),
        added: added.map((entry) => entryRow(sessionId, entry)),
        logged: subscriptions === undefined ? [] : newEntries.map((entry) => entryRow(sessionId, entry)),
        removed: removed.map((sequence) => storableJson(JSON.stringify({ session_id: sessionId, sequence }))),
      })
      if (!isSaved) throw superseded(sessionId)
      lease.saved(sessionId, owner, releases)
      rows?.committed(own, removed)
      if (rows?.possible.size === 0 && rowsOf.get(sessionId) === rows) rowsOf.delete(sessionId)
    },

    delete: async (sessionId, { userId }) => {
      await ready()
      const { rows } = await query(sql.delete, [
        ...[sessionId, userId].map(storableText),
        OPEN_LOCK_TIMEOUT_MS,
        channel,
      ])
      if (rows.length === 0) return false
      if (peek(rows[0], 'user') === 'same') return true
      throw wrongUser(sessionId)
    },

    release: (sessionId, owner) => {
      if (rowsOf.get(sessionId)?.owner === owner) rowsOf.delete(sessionId)
      lease.release(sessionId, owner)
    },
  })
  return { ...store, ...guardedReader(reader) }
}

function positionOf(text: string): readonly [string, string] | undefined {
  const parsed = parseJson(text)
  const [savedAt, sessionId] = parsed.ok && Array.isArray(parsed.value) ? parsed.value : []
  return typeof savedAt === 'string' && typeof sessionId === 'string' ? [savedAt, sessionId] : undefined
}

function entryRow(sessionId: string, entry: StoredItem): string {
  return storableJson(JSON.stringify({ session_id: sessionId, sequence: entry.sequence, entry: entryDocument(entry) }))
}

function trimmer(query: Query, sql: Statements, { keepMs = DEFAULT_KEEP_MS }: StoreSubscriptionOptions) {
  if (!(keepMs > 0 && Number.isFinite(keepMs))) {
    throw new RangeError(
      `postgresStore: \`subscriptions.keepMs\` is ${keepMs}. Expected a positive number of milliseconds.`,
    )
  }
  let renewals = 0
  return async (): Promise<void> => {
    if (renewals++ % RENEWALS_PER_TRIM === 0) await query(sql.trimLog, [`${keepMs} milliseconds`])
  }
}

function ownerOptions({ address, leaseMs = DEFAULT_LEASE_MS }: StoreOwnerOptions) {
  if (address !== undefined && (typeof address !== 'string' || address === '')) {
    const given = JSON.stringify(address)
    throw new TypeError(
      `postgresStore: \`owner.address\` is ${given}. Expected the address of this process, such as 'http://10.0.0.5:3000'.`,
    )
  }
  if (!(leaseMs >= MIN_LEASE_MS && Number.isFinite(leaseMs))) {
    throw new RangeError(
      `postgresStore: \`owner.leaseMs\` is ${leaseMs}. Expected a number of milliseconds, at least ${MIN_LEASE_MS}.`,
    )
  }
  return { leaseMs, ...(address !== undefined && { address }) }
}

function holderOf(row: unknown): SessionOwner | undefined {
  const [expiresAt, expiresInMs] = ['expires_at', 'expires_in'].map((column) => Number(peek(row, column)))
  if (expiresAt === undefined || expiresInMs === undefined || !(expiresInMs > 0)) return undefined
  const address = String(peek(row, 'address'))
  return { ...(address !== '' && { address: address }), expiresAt, expiresInMs }
}

type StoredItem = SessionEntry | StoredMessage

function itemsOf({ entries, messages = [] }: StoredSession): readonly StoredItem[] {
  return [...entries, ...messages]
}

function sizeOf(item: StoredItem): number {
  return 'message' in item ? item.message.length : entrySize(item)
}

class EntryRows {
  readonly owner: string
  readonly written: Map<number, StoredItem>
  /** Contains also rows that may not exist: after a failed save, the store does not know whether the rows were written. */
  readonly possible: Set<number>

  constructor(owner: string, entries: readonly StoredItem[]) {
    this.owner = owner
    this.written = new Map(entries.map((entry) => [entry.sequence, entry]))
    this.possible = new Set(this.written.keys())
  }

  change(own: readonly StoredItem[]) {
    const current = new Set(own.map(({ sequence }) => sequence))
    const added = own.filter((entry) => this.written.get(entry.sequence) !== entry)
    const removed = [...this.possible].filter((sequence) => !current.has(sequence))
    for (const { sequence } of added) this.possible.add(sequence)
    for (const sequence of removed) this.written.delete(sequence)
    return { added, removed }
  }

  committed(own: readonly StoredItem[], removed: readonly number[]): void {
    for (const sequence of removed) this.possible.delete(sequence)
    for (const entry of own) this.written.set(entry.sequence, entry)
  }
}

function divided(entries: readonly StoredItem[], written: ReadonlyMap<number, StoredItem> | undefined) {
  const inline: StoredItem[] = []
  const own: StoredItem[] = []
  let left = INLINE_BYTES
  for (const entry of entries) {
    const size = written?.has(entry.sequence) === true ? Number.POSITIVE_INFINITY : sizeOf(entry)
    if (size <= left) {
      inline.push(entry)
      left -= size
    } else own.push(entry)
  }
  return { inline, own }
}

type FoundSession = ReturnType<typeof readDocument> & { readonly row: unknown }

function foundIn(rows: readonly unknown[], sessionId: string, userId: string): FoundSession {
  const row = rows.find((each) => peek(each, 'kind') === 'session')
  if (row === undefined) throw wrongUser(sessionId)
  const ofEntries = rows.filter((each) => peek(each, 'kind') === 'entry')
  const entries = new Map(
    ofEntries.map((each) => [Number(peek(each, 'sequence')), String(peek(each, 'tool_results'))] as const),
  )
  const found = readDocument(String(peek(row, 'tool_results')), entries, sessionId, userId)
  if (peek(row, 'has_same_namespaces') !== 'yes')
    throw corrupt(sessionId, ['namespaces (differ from tool_results/namespaces)'])
  return { row, ...found }
}
