import type { SaveSessionOptions, SessionClaim, SessionStore, StoredSession } from '../contract/session.js'
import { peek } from '../execute/failure/peek.js'
import { guardedStore } from '../session/guarded-store.js'
import { SessionError } from '../session/session-error.js'
import { GroupCommit } from './group-commit.js'
import { DEFAULT_TABLE, migrate } from './migrate.js'
import type { Query } from './query.js'
import { corrupt, readDocument } from './read-document.js'
import { statements } from './statements.js'
import { storableJson, storableText } from './storable-json.js'
import { documentOf, sessionOf } from './stored-document.js'

/** Settings of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** Runs one statement. What it rejects with is the cause of `store_failed`. */
  readonly query: Query
  /** Default `session_tool_state`; a schema that is named too (`app.session_tool_state`) has to exist. */
  readonly table?: string
}

/**
 * Keeps sessions in PostgreSQL 12 or newer, on a server or embedded (PGlite). The tables are made, or brought up to date,
 * when the store is first used. Saves of different sessions that come while a statement is under way are joined in one
 * statement; each of them is done only when that is committed.
 *
 * The database connection stays the application's: the store opens none and closes none. An embedded database's directory
 * belongs to one process; see {@link lockDirectory}.
 *
 * @throws {TypeError} for a table name that is none.
 * @example
 * const pool = new Pool({ connectionString: process.env.DATABASE_URL })
 * const store = postgresStore({ query: (text, values) => pool.query(text, values) })
 */
export function postgresStore({ query, table = DEFAULT_TABLE }: PostgresStoreOptions): SessionStore {
  const sql = statements(table)
  const ready = migratedOnce(query, table)
  const saves = new GroupCommit(async (changes) => {
    await ready()
    const { rows } = await query(sql.save, [`[${changes.map(({ json }) => json).join(',')}]`])
    return new Set(rows.map((row) => String(peek(row, 'session_id'))))
  })
  // Tells a save from a later one of the same owner, also where this store goes on for another: a statement that was given
  // up may reach the database after its successor.
  let revision = Date.now() * 1_000

  const claim = async (
    sessionId: string,
    { userId, owner, check }: SessionClaim,
  ): Promise<StoredSession | undefined> => {
    await ready()
    const [id, user] = [storableText(sessionId), storableText(userId)]
    const read = async (text: string, ...values: unknown[]): Promise<StoredSession | undefined> => {
      const { rows } = await query(text, [id, user, ...values])
      return rows.length === 0 ? undefined : sessionIn(rows[0], sessionId, userId)
    }
    // Read first: a session that cannot be read, or is not the one that is meant, stays with its owner.
    const stored = await read(sql.read)
    if (stored === undefined) return undefined
    check?.(stored)
    return read(sql.claim, storableText(owner))
  }

  const save = async (
    session: StoredSession,
    owner: string,
    { isStored = false }: SaveSessionOptions = {},
  ): Promise<void> => {
    const { sessionId, userId, namespaces } = session
    revision += 1
    const row = {
      session_id: sessionId,
      user_id: userId,
      namespaces,
      tool_results: documentOf(session),
      owner,
      revision,
      is_stored: isStored,
    }
    const isSaved = await saves.write({ row: storableText(sessionId), json: storableJson(JSON.stringify(row)) })
    if (!isSaved) throw superseded(sessionId)
  }

  const forget = async (sessionId: string, { userId }: Pick<SessionClaim, 'userId'>): Promise<boolean> => {
    await ready()
    const { rows } = await query(sql.delete, [sessionId, userId].map(storableText))
    if (rows.length === 0) return false
    if (peek(rows[0], 'user') === 'same') return true
    throw wrongUser(sessionId)
  }

  return guardedStore({ isDurable: true, claim, save, delete: forget })
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

/** @throws {SessionError} `wrong_user`, `corrupt_state`, `newer_state`. */
function sessionIn(row: unknown, sessionId: string, userId: string): StoredSession {
  if (peek(row, 'user') !== 'same') throw wrongUser(sessionId)
  const document = readDocument(String(peek(row, 'tool_results')), sessionId)
  if (peek(row, 'has_same_namespaces') !== 'yes')
    throw corrupt(sessionId, ['namespaces (differ from tool_results/namespaces)'])
  return sessionOf(document, sessionId, userId)
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
