import { peek } from '../call/tool-failure.js'
import type { SaveSessionOptions, SessionClaim, SessionEntry, SessionStore, StoredSession } from '../types/session.js'
import { type Change, GroupCommit } from './group-commit.js'
import { entrySize } from './kept-entries.js'
import { corrupt, documentOf, readDocument, rowOf, sessionOf, storableJson, storableText } from './postgres-document.js'
import { DEFAULT_TABLE, migrate, type Query, statements } from './postgres-statements.js'
import { SessionError } from './session-error.js'
import { guardedStore } from './stores.js'

/** Settings of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** Runs one statement. What it rejects with is the cause of `store_failed`. */
  readonly query: Query
  /** Default `session_tool_state`; a schema that is named too (`app.session_tool_state`) has to exist. */
  readonly table?: string
}

/** Maximum time that opening or deleting a session waits for a lock, in milliseconds. */
const LOCK_TIMEOUT_MS = 1_000

/**
 * Maximum size of the entries that stand in the row of their session, which every save writes again, in bytes as
 * {@link entrySize} counts them. Every other entry has a row of its own, which is written once.
 */
const INLINE_BYTES = 4_000

/**
 * Keeps sessions in PostgreSQL 12 or newer, on a server or embedded (PGlite). The store creates its tables, or migrates
 * them, when it is first used. It joins saves of different sessions in one statement; each save resolves when that is
 * committed. A save writes what changed: the size of results that were saved before does not matter. Up to four statements
 * run at a time, so give a pool at least five connections.
 *
 * The database connection stays the application's: the store opens none and closes none. An embedded database's directory
 * belongs to one process; see {@link lockDirectory}.
 *
 * @throws {TypeError} for an invalid table name.
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * const store = postgresStore({ query: (text, values) => pool.query(text, values) })
 */
export function postgresStore({ query, table = DEFAULT_TABLE }: PostgresStoreOptions): SessionStore {
  const sql = statements(table)
  const ready = migratedOnce(query, table)
  const saves = new GroupCommit(async (changes, { lockTimeoutMs }) => {
    await ready()
    const list = (texts: readonly string[]): string => `[${texts.join(',')}]`
    const values = [list(changes.map(({ json }) => json)), String(lockTimeoutMs)]
    const added = changes.flatMap(({ added = [] }) => added)
    const removed = changes.flatMap(({ removed = [] }) => removed)
    const { rows } =
      added.length + removed.length === 0
        ? await query(sql.save, values)
        : await query(sql.saveWithEntries, [...values, list(added), list(removed)])
    return new Set(rows.map((row) => String(peek(row, 'session_id'))))
  })
  /** Rows of entries of the open sessions that have any, by session. */
  const rowsOf = new Map<string, EntryRows>()
  // Tells a save from a later one of the same owner, also where this store goes on for another: a statement that was given
  // up may reach the database after its successor.
  let revision = Date.now() * 1_000

  const read = async (sessionId: string, userId: string): Promise<Found | undefined> => {
    const { rows } = await query(sql.read, [sessionId, userId].map(storableText))
    return rows.length === 0 ? undefined : foundIn(rows, sessionId, userId)
  }

  const claim = async (
    sessionId: string,
    { userId, owner, check }: SessionClaim,
  ): Promise<StoredSession | undefined> => {
    await ready()
    // Read first: a session that cannot be read, or is not the one that is meant, stays with its owner.
    const before = await read(sessionId, userId)
    if (before === undefined) return undefined
    check?.(before.session)
    const texts = [sessionId, userId, owner].map(storableText)
    const { rows } = await query(sql.claim, [...texts, String(LOCK_TIMEOUT_MS)])
    // Its last owner may have saved it meanwhile. Nobody else saves it from now on.
    const found = rows.length > 0 && isSame(rows[0], before.row) ? before : await read(sessionId, userId)
    rowsOf.delete(sessionId)
    if (found !== undefined && found.sequences.length > 0) {
      rowsOf.set(sessionId, rowsFrom(found, owner))
    }
    return found?.session
  }

  const save = async (
    session: StoredSession,
    owner: string,
    { isStored = false }: SaveSessionOptions = {},
  ): Promise<void> => {
    const { sessionId, userId, namespaces } = session
    revision += 1
    // A session that is not known to be stored has no rows for certain.
    if (!isStored) rowsOf.get(sessionId)?.written.clear()
    const { inline, own } = parted(session.entries, rowsOf.get(sessionId), owner)
    const sequences = own.map(({ sequence }) => sequence)
    const row = {
      session_id: sessionId,
      user_id: userId,
      namespaces,
      tool_results: documentOf(session, inline, sequences),
      owner,
      revision,
      is_stored: isStored,
    }
    const json = storableJson(JSON.stringify(row))
    const change = rowChange(sessionId, owner, own, rowsOf)
    const { added, removed } = change ?? {}
    const isSaved = await saves.write({ row: storableText(sessionId), json, added, removed })
    if (!isSaved) throw superseded(sessionId)
    change?.done()
  }

  const forget = async (sessionId: string, { userId }: Pick<SessionClaim, 'userId'>): Promise<boolean> => {
    await ready()
    const { rows } = await query(sql.delete, [...[sessionId, userId].map(storableText), String(LOCK_TIMEOUT_MS)])
    if (rows.length === 0) return false
    if (peek(rows[0], 'user') === 'same') return true
    throw wrongUser(sessionId)
  }

  const release = (sessionId: string, owner: string): void => {
    if (rowsOf.get(sessionId)?.owner === owner) rowsOf.delete(sessionId)
  }

  return guardedStore({ isDurable: true, claim, save, delete: forget, release })
}

/** Rows of entries of one open session, by sequence. */
interface EntryRows {
  readonly owner: string
  /** Entries whose rows the table has for certain, as they are. */
  readonly written: Map<number, SessionEntry>
  /** These, and those of saves whose end is not known. */
  readonly possible: Set<number>
}

function rowsFrom({ session, sequences }: Found, owner: string): EntryRows {
  const possible = new Set(sequences)
  const entries = session.entries.filter(({ sequence }) => possible.has(sequence))
  return { owner, written: new Map(entries.map((entry) => [entry.sequence, entry])), possible }
}

/** Parts entries in order of arrival: those with a row of their own keep it, others stand inline while there is room. */
function parted(
  entries: readonly SessionEntry[],
  rows: EntryRows | undefined,
  owner: string,
): { readonly inline: readonly SessionEntry[]; readonly own: readonly SessionEntry[] } {
  const inline: SessionEntry[] = []
  const own: SessionEntry[] = []
  const known = rows?.owner === owner ? rows.written : undefined
  let left = INLINE_BYTES
  for (const entry of entries) {
    const size = known?.has(entry.sequence) === true ? Number.POSITIVE_INFINITY : entrySize(entry)
    if (size <= left) {
      inline.push(entry)
      left -= size
    } else own.push(entry)
  }
  return { inline, own }
}

/** Change of the rows of entries that a save needs. `done` is called when it is committed. */
function rowChange(
  sessionId: string,
  owner: string,
  own: readonly SessionEntry[],
  rowsOf: Map<string, EntryRows>,
): (Pick<Change, 'added' | 'removed'> & { readonly done: () => void }) | undefined {
  const known = rowsOf.get(sessionId)
  const isOurs = known?.owner === owner
  if (own.length === 0 && !isOurs) return undefined
  const rows: EntryRows = isOurs ? known : { owner, written: new Map(), possible: new Set() }
  const current = new Set(own.map(({ sequence }) => sequence))
  const added = own.filter((entry) => rows.written.get(entry.sequence) !== entry)
  const removed = [...rows.possible].filter((sequence) => !current.has(sequence))
  // Until the save has succeeded, both may have happened or not.
  for (const { sequence } of added) rows.possible.add(sequence)
  for (const sequence of removed) rows.written.delete(sequence)
  // One who was superseded must not replace what is known of the session's owner.
  if (known === undefined) rowsOf.set(sessionId, rows)
  return {
    added: added.map((entry) =>
      storableJson(JSON.stringify({ session_id: sessionId, sequence: entry.sequence, entry: rowOf(entry) })),
    ),
    removed: removed.map((sequence) => storableJson(JSON.stringify({ session_id: sessionId, sequence }))),
    done: () => {
      for (const sequence of removed) rows.possible.delete(sequence)
      for (const entry of own) rows.written.set(entry.sequence, entry)
      if (rows.possible.size === 0 && rowsOf.get(sessionId) === rows) rowsOf.delete(sessionId)
    },
  }
}

/** Resolves when the tables are there; tries again where that failed. */
function migratedOnce(query: Query, table: string): () => Promise<void> {
  let migrated: Promise<void> | undefined
  return () => {
    migrated ??= migrate(query, { table }).catch((error) => {
      migrated = undefined
      throw error
    })
    return migrated
  }
}

/** A stored session with the row that it was read from. */
interface Found {
  readonly row: unknown
  readonly session: StoredSession
  /** Sequences of the entries that have rows of their own. */
  readonly sequences: readonly number[]
}

/** @throws {SessionError} `wrong_user`, `corrupt_state`, `newer_state`. */
function foundIn(rows: readonly unknown[], sessionId: string, userId: string): Found {
  const row = rows.find((each) => peek(each, 'kind') === 'session')
  if (row === undefined) throw wrongUser(sessionId)
  const entries = rows
    .filter((each) => peek(each, 'kind') === 'entry')
    .map((each) => ({ sequence: Number(peek(each, 'sequence')), json: String(peek(each, 'tool_results')) }))
  const document = readDocument(String(peek(row, 'tool_results')), entries, sessionId)
  if (peek(row, 'has_same_namespaces') !== 'yes')
    throw corrupt(sessionId, ['namespaces (differ from tool_results/namespaces)'])
  return { row, session: sessionOf(document, sessionId, userId), sequences: document.entry_sequences ?? [] }
}

/** Whether a session was not saved between two reads. */
function isSame(one: unknown, other: unknown): boolean {
  return ['tool_results', 'saved_at'].every((column) => peek(one, column) === peek(other, column))
}

function wrongUser(sessionId: string): SessionError {
  return new SessionError(
    'wrong_user',
    `The session '${sessionId}' is another user's: open one under an id of this user's own.`,
  )
}

function superseded(sessionId: string): SessionError {
  return new SessionError(
    'superseded',
    `The session '${sessionId}' was opened elsewhere, or deleted: what is stored was left as it is. Open it again to go on here.`,
  )
}
