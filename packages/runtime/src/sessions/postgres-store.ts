import { peek } from '../call/tool-failure.js'
import type { SessionEntry, SessionStore, StoredSession } from '../types/session.js'
import { GroupCommit } from './group-commit.js'
import { entrySize } from './kept-entries.js'
import { corrupt, documentOf, entryDocument, readDocument, storableJson, storableText } from './postgres-document.js'
import { DEFAULT_TABLE, migrateOnce, type Query, sessionMigrations, statements } from './postgres-statements.js'
import { SessionError } from './session-error.js'
import { guardedStore } from './stores.js'

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** Runs one statement. Its errors are the cause of `store_failed`. */
  readonly query: Query
  /** Default `session_tool_state`; may name a schema (`app.session_tool_state`), which must exist. */
  readonly table?: string
}

/** Maximum time that opening or deleting a session waits for a lock, in milliseconds. */
const LOCK_TIMEOUT_MS = '1000'

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
      const { rows } = await query(sql.claim, [...[sessionId, userId, owner].map(storableText), LOCK_TIMEOUT_MS])
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
      if (!isSaved) {
        throw new SessionError(
          'superseded',
          `The session '${sessionId}' was opened elsewhere, or deleted: what is stored was left as it is. Open it again to go on here.`,
        )
      }
      rows?.committed(own, removed)
      if (rows?.possible.size === 0 && rowsOf.get(sessionId) === rows) rowsOf.delete(sessionId)
    },

    delete: async (sessionId, { userId }) => {
      await ready()
      const { rows } = await query(sql.delete, [...[sessionId, userId].map(storableText), LOCK_TIMEOUT_MS])
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

/** A stored session with its row. */
interface FoundSession {
  readonly row: unknown
  readonly session: StoredSession
  /** Sequences of the entries with rows of their own. */
  readonly sequences: readonly number[]
}

/** @throws {SessionError} `wrong_user`, `corrupt_state`, `newer_state` */
function foundIn(rows: readonly unknown[], sessionId: string, userId: string): FoundSession {
  const row = rows.find((each) => peek(each, 'kind') === 'session')
  if (row === undefined) throw wrongUser(sessionId)
  const entries = rows
    .filter((each) => peek(each, 'kind') === 'entry')
    .map((each) => ({ sequence: Number(peek(each, 'sequence')), json: String(peek(each, 'tool_results')) }))
  const found = readDocument(String(peek(row, 'tool_results')), entries, sessionId, userId)
  if (peek(row, 'has_same_namespaces') !== 'yes')
    throw corrupt(sessionId, ['namespaces (differ from tool_results/namespaces)'])
  return { row, ...found }
}

function wrongUser(sessionId: string): SessionError {
  return new SessionError(
    'wrong_user',
    `The session '${sessionId}' is another user's: open one under an id of this user's own.`,
  )
}
