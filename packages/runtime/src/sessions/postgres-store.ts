import { peek } from '../call/tool-failure.js'
import type { SessionEntry, SessionStore } from '../types/session.js'
import { entrySize } from './entries.js'
import { corrupt, documentOf, entryDocument, readDocument, storableJson, storableText } from './postgres-document.js'
import { DEFAULT_TABLE, migrateOnce, type Query, sessionMigrations } from './postgres-migrations.js'
import { statements } from './postgres-statements.js'
import { guardedStore, superseded, wrongUser } from './stores.js'

/** Change of one session. */
export interface Change {
  /** Id of the session. Two changes of one session are written one after the other. */
  readonly row: string
  /** Row of the session as JSON. */
  readonly json: string
  /** Rows of entries to write, each as JSON. */
  readonly added?: readonly string[] | undefined
  /** Keys of rows of entries to delete, each as JSON. */
  readonly removed?: readonly string[] | undefined
}

/**
 * Writes changes of different sessions in one statement that waits for a lock for at most `lockTimeoutMs`. Resolves with the
 * sessions that were changed.
 */
type WriteAll = (changes: readonly Change[], lockTimeoutMs: number) => Promise<ReadonlySet<string>>

/** Counts the changes of a failed statement that are then written one by one. */
interface Trial {
  succeeded: number
  failed: number
}

interface Waiting extends Change {
  readonly length: number
  resolve(isDone: boolean): void
  reject(error: unknown): void
  /** Present after a statement with this change and others has failed. */
  trial: Trial | undefined
}

/** Limits of one statement with several changes: their number, and their length in UTF-16 code units. */
const MAX_CHANGES = 256
const MAX_LENGTH = 1_000_000

/** A longer change is written alone, so that shorter ones do not wait for it. */
const MAX_SHARED_LENGTH = 64_000

/** Maximum number of statements with a single change that run in addition to the statement with several changes. */
const MAX_ALONE = 3

/** A statement with several changes gives up a locked row early: the changes are then written one by one. */
const LOCK_TIMEOUT_MS = { shared: 100, alone: 1_000 }

type Reason = 'locked' | 'timeout' | 'row'

/**
 * Number of changes of a trial that may fail while none succeeds. After that the cause is the database and not a row, and the
 * others fail without a statement of their own.
 */
const MAX_FAILED: Readonly<Record<Reason, number>> = { locked: 4 * MAX_ALONE, timeout: MAX_ALONE, row: MAX_CHANGES }

/** Maximum number of sessions that are remembered because their last change failed. */
const MAX_SUSPECTS = 1_000

/**
 * Joins changes of many sessions in few statements: a database commits many rows in little more time than one.
 *
 * One statement with several changes runs at a time; changes that arrive meanwhile go into the next one. Up to three more
 * statements run at the same time, each with a single change that could delay or fail the others: a long one, one whose shared
 * statement failed, or one of a session whose last change failed.
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

  /** Resolves with `true` when the change is committed; rejects with the error of its statement. */
  write({ row, json, added, removed }: Change): Promise<boolean> {
    const length = added === undefined ? json.length : added.reduce((sum, entry) => sum + entry.length, json.length)
    return new Promise((resolve, reject) => {
      // Without a spread, which takes longer than everything else here.
      this.#waiting.push({ row, json, added, removed, length, resolve, reject, trial: undefined })
      this.#schedule()
    })
  }

  /** Changes that arrive in the same turn join the same statement. */
  #schedule(): void {
    if (this.#isScheduled || (this.#isSharing && this.#alone === MAX_ALONE)) return
    this.#isScheduled = true
    queueMicrotask(() => {
      this.#isScheduled = false
      this.#start()
    })
  }

  /** Starts every statement that may start, with the changes that wait longest. Changes of one session keep their order. */
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
        // Sessions that failed before leave one statement to others.
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

  /** Never rejects. */
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
      // The state of one session must not keep the others from being stored.
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
 * Returns why a statement failed if one of its rows can be the cause. SQLSTATE classes: a value (22), a constraint (23) or
 * trigger (P0) of the application, a conflict with another transaction (40), a limit of the database (54).
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

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** Runs one statement. Its errors are the cause of `store_failed`. */
  readonly query: Query
  /** Default `session_tool_state`; may name a schema (`app.session_tool_state`), which must exist. */
  readonly table?: string
}

/** Maximum time that opening or deleting a session waits for a lock, in milliseconds. */
const LOCK_TIMEOUT_MSPostgresStore = '1000'

/**
 * Maximum size of the entries in the row of their session, which every save writes again, in bytes as {@link entrySize}
 * counts them. Every other entry has a row of its own, which is written once.
 */
const INLINE_BYTES = 4_000

/**
 * Stores sessions in PostgreSQL 12 or newer, on a server or embedded (PGlite). Creates or migrates its tables when it is first
 * used. Saves of different sessions are joined in one statement; each save resolves when that is committed. A save writes
 * changes only, so the size of results that were saved before does not matter. Up to four statements run at a time: give a
 * pool at least five connections.
 *
 * The store neither opens nor closes the database connection. The directory of an embedded database belongs to one process;
 * see {@link lockDirectory}.
 *
 * @throws {TypeError} for an invalid table name
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * const store = postgresStore({ query: (text, values) => pool.query(text, values) })
 */
export function postgresStore({ query, table = DEFAULT_TABLE }: PostgresStoreOptions): SessionStore {
  const sql = statements(table)
  const ready = migrateOnce(query, table, sessionMigrations)
  const saves = new GroupCommit(async (changes, lockTimeoutMs) => {
    await ready()
    const array = (jsons: readonly string[]): string => `[${jsons.join(',')}]`
    const values = [array(changes.map(({ json }) => json)), String(lockTimeoutMs)]
    const added = changes.flatMap(({ added = [] }) => added)
    const removed = changes.flatMap(({ removed = [] }) => removed)
    const { rows } =
      added.length + removed.length === 0
        ? await query(sql.save, values)
        : await query(sql.saveWithEntries, [...values, array(added), array(removed)])
    return new Set(rows.map((row) => String(peek(row, 'session_id'))))
  })
  /** Rows of entries of the open sessions that have any, by session. */
  const rowsOf = new Map<string, EntryRows>()
  // Orders the saves of an owner: a statement that was given up may reach the database after its successor, also after
  // another store has taken its place.
  let revision = Date.now() * 1_000

  const read = async (sessionId: string, userId: string): Promise<FoundSession | undefined> => {
    const { rows } = await query(sql.read, [sessionId, userId].map(storableText))
    return rows.length === 0 ? undefined : foundIn(rows, sessionId, userId)
  }

  return guardedStore({
    isDurable: true,
    claim: async (sessionId, { userId, owner, check }) => {
      await ready()
      // Read first: a session that cannot be read, or is another one, stays with its owner.
      const before = await read(sessionId, userId)
      if (before === undefined) return undefined
      check?.(before.session)
      const { rows } = await query(sql.claim, [
        ...[sessionId, userId, owner].map(storableText),
        LOCK_TIMEOUT_MSPostgresStore,
      ])
      // Its last owner may have saved it meanwhile, and cannot any more.
      const isSame = ['tool_results', 'saved_at'].every((column) => peek(rows[0], column) === peek(before.row, column))
      const found = rows.length > 0 && isSame ? before : await read(sessionId, userId)
      rowsOf.delete(sessionId)
      if (found !== undefined && found.sequences.length > 0) {
        const sequences = new Set(found.sequences)
        const entries = found.session.entries.filter(({ sequence }) => sequences.has(sequence))
        rowsOf.set(sessionId, new EntryRows(owner, entries))
      }
      return found?.session
    },

    save: async (session, owner, { isStored = false } = {}) => {
      const { sessionId, userId, namespaces } = session
      revision += 1
      const known = rowsOf.get(sessionId)
      // A session that may not be stored may have no rows.
      if (!isStored) known?.written.clear()
      const isOwner = known?.owner === owner
      const { inline, own } = divided(session.entries, isOwner ? known.written : undefined)
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
        is_stored: isStored,
      }
      const rows = isOwner ? known : own.length > 0 ? new EntryRows(owner, []) : undefined
      // A superseded owner must not replace what is known of the session's new owner.
      if (rows !== undefined && known === undefined) rowsOf.set(sessionId, rows)
      const { added = [], removed = [] } = rows?.change(own) ?? {}
      const isSaved = await saves.write({
        row: storableText(sessionId),
        json: storableJson(JSON.stringify(row)),
        added: added.map((entry) =>
          storableJson(
            JSON.stringify({ session_id: sessionId, sequence: entry.sequence, entry: entryDocument(entry) }),
          ),
        ),
        removed: removed.map((sequence) => storableJson(JSON.stringify({ session_id: sessionId, sequence }))),
      })
      if (!isSaved) throw superseded(sessionId)
      rows?.committed(own, removed)
      if (rows?.possible.size === 0 && rowsOf.get(sessionId) === rows) rowsOf.delete(sessionId)
    },

    delete: async (sessionId, { userId }) => {
      await ready()
      const { rows } = await query(sql.delete, [...[sessionId, userId].map(storableText), LOCK_TIMEOUT_MSPostgresStore])
      if (rows.length === 0) return false
      if (peek(rows[0], 'user') === 'same') return true
      throw wrongUser(sessionId)
    },

    release: (sessionId, owner) => {
      if (rowsOf.get(sessionId)?.owner === owner) rowsOf.delete(sessionId)
    },
  })
}

/** Rows of entries of one open session. */
class EntryRows {
  readonly owner: string
  /** Entries that certainly have a row, by sequence. */
  readonly written: Map<number, SessionEntry>
  /** Sequences of these, and of entries of saves whose result is unknown. */
  readonly possible: Set<number>

  constructor(owner: string, entries: readonly SessionEntry[]) {
    this.owner = owner
    this.written = new Map(entries.map((entry) => [entry.sequence, entry]))
    this.possible = new Set(this.written.keys())
  }

  /** Returns the changes that a save of these entries makes. Until it has succeeded, they may be made or not. */
  change(own: readonly SessionEntry[]): {
    readonly added: readonly SessionEntry[]
    readonly removed: readonly number[]
  } {
    const current = new Set(own.map(({ sequence }) => sequence))
    const added = own.filter((entry) => this.written.get(entry.sequence) !== entry)
    const removed = [...this.possible].filter((sequence) => !current.has(sequence))
    for (const { sequence } of added) this.possible.add(sequence)
    for (const sequence of removed) this.written.delete(sequence)
    return { added, removed }
  }

  committed(own: readonly SessionEntry[], removed: readonly number[]): void {
    for (const sequence of removed) this.possible.delete(sequence)
    for (const entry of own) this.written.set(entry.sequence, entry)
  }
}

/** Divides entries: those with a row of their own keep it, others are stored inline while there is room. */
function divided(
  entries: readonly SessionEntry[],
  written: ReadonlyMap<number, SessionEntry> | undefined,
): { readonly inline: readonly SessionEntry[]; readonly own: readonly SessionEntry[] } {
  const inline: SessionEntry[] = []
  const own: SessionEntry[] = []
  let left = INLINE_BYTES
  for (const entry of entries) {
    const size = written?.has(entry.sequence) === true ? Number.POSITIVE_INFINITY : entrySize(entry)
    if (size <= left) {
      inline.push(entry)
      left -= size
    } else own.push(entry)
  }
  return { inline, own }
}

type FoundSession = ReturnType<typeof readDocument> & { readonly row: unknown }

/** @throws {SessionError} `wrong_user`, `corrupt_state`, `newer_state` */
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
