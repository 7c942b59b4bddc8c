import type {
  ObservableSessions,
  SessionCall,
  SessionClaim,
  SessionEventSink,
  SessionStore,
  SessionUsage,
} from '../types/session.js'
import {
  type AskedSession,
  askedSession,
  loadSession,
  requireAsked,
  type SessionContext,
  unknownSession,
} from './load-session.js'
import { SessionNews } from './open-sessions.js'
import type { Session } from './session.js'
import { type OpenSession, SessionSlots } from './session-slots.js'
import { NamespaceTools } from './session-tools.js'
import {
  type EnvOfNamespaces,
  isSessionError,
  type NamedAgents,
  type NamespaceOf,
  SessionError,
} from './session-types.js'
import { guardedStore, memoryStore } from './stores.js'

/** What sessions are made of. */
export interface SessionRegistryOptions<Agents extends NamedAgents> {
  /** The agents and toolsets whose tools sessions have, by name. A name has no dot. */
  readonly agents: Agents
  /** Default: `memoryStore()`. */
  readonly store?: SessionStore
  /** How many updates of one call are kept that nobody takes; of more the oldest are dropped, and counted. Default 1,000. */
  readonly maxUpdatesPerCall?: number
  /**
   * Maximum size of all results and updates that a session keeps until they are taken, in bytes; texts count one byte for
   * each UTF-16 code unit. Default 64,000,000. Beyond it the oldest updates of a call are dropped for its next ones and for
   * its result. A result that is still too large becomes a failure with the reason `internal` and `droppedBytes`. A session
   * at its limit answers calls of streaming tools with a failure, `unavailable`, until something is taken.
   */
  readonly maxBytes?: number
  /** Told of what becomes of sessions and of their store. */
  readonly onEvent?: SessionEventSink
}

/** Whose session it is. */
export interface SessionUser {
  /** The user whom the application has authenticated. */
  readonly userId: string
}

/** Whose session it is, and which tools it has. */
export interface OpenOptions<Namespace extends string = string> extends SessionUser {
  /**
   * Names of agents and toolsets, `<name>.<toolset>`, or namespaces of their designs, in the order in which their tools are
   * shown; at least one.
   */
  readonly namespaces: readonly Namespace[]
}

/**
 * Opens, closes and restores sessions. An ordinary object: make one where the application is put together, and pass it on.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support, billing }, store })
 * const session = await sessions.open('s-1', { userId: 'u-7', namespaces: ['support', 'billing.invoices'] })
 */
export class SessionRegistry<const Agents extends NamedAgents = NamedAgents> implements ObservableSessions {
  readonly #tools: NamespaceTools
  readonly #context: SessionContext
  readonly #slots = new SessionSlots()

  /** @throws {TypeError} for no agents, and for an illegal name of one. @throws {RangeError} for an illegal number. */
  constructor({
    agents,
    store = memoryStore(),
    maxUpdatesPerCall = 1_000,
    maxBytes = 64_000_000,
    onEvent,
  }: SessionRegistryOptions<Agents>) {
    this.#tools = new NamespaceTools(agents)
    for (const [name, value] of Object.entries({ maxUpdatesPerCall, maxBytes })) {
      if (Number.isInteger(value) && value >= 1) continue
      throw new RangeError(`SessionRegistry: ${name} is ${value}, give a whole number from 1 on`)
    }
    const { effects } = this.#tools.context
    const news = new SessionNews(effects, onEvent)
    this.#context = { store: guardedStore(store), effects, maxUpdatesPerCall, maxBytes, news }
  }

  /** The sessions that are open in this process. */
  get sessions(): readonly Session<never>[] {
    return this.#slots.open.map(({ session }) => session)
  }

  /** What each open session holds at this moment, for metrics. Takes about a microsecond for each session. */
  usage(): readonly SessionUsage[] {
    return this.#slots.open.map(({ session, journal }) => ({ sessionId: session.id, ...journal.usage() }))
  }

  /**
   * Tells one more of what becomes of sessions, from now on; see `onEvent`.
   *
   * @returns ends that
   *
   * @example
   * const stop = sessions.subscribe(({ type, sessionId }) => logger.info(type, { sessionId }))
   */
  subscribe(sink: SessionEventSink): () => void {
    return this.#context.news.subscribe(sink)
  }

  /**
   * The session of this id: the open one, the stored one, or a new one. Where it is being closed, that is waited for. The id
   * is the application's own; a session is one user's and keeps its namespaces.
   *
   * @throws {SessionError} `invalid_id`, `unknown_namespace`, `ambiguous_tool`, `wrong_user`, `other_namespaces`, `corrupt_state`, `newer_state`, `store_failed`.
   */
  async open<const Namespace extends NamespaceOf<Agents>>(
    sessionId: string,
    { userId, namespaces }: OpenOptions<Namespace>,
  ): Promise<Session<EnvOfNamespaces<Agents, Namespace>>> {
    const asked = askedSession(sessionId, userId, namespaces)
    this.#tools.of(namespaces)
    return this.#opened(asked)
  }

  /**
   * The session of this id, open or stored, with the namespaces that it has. Tools that there are no more are listed in
   * `session.missingTools`; calls that ran when their process ended have failed with reason `interrupted`.
   *
   * @throws {SessionError} `invalid_id`, `unknown_session`, `wrong_user`, `ambiguous_tool`, `corrupt_state`, `newer_state`, `store_failed`.
   */
  async restore(
    sessionId: string,
    { userId }: SessionUser,
  ): Promise<Session<EnvOfNamespaces<Agents, NamespaceOf<Agents>>>> {
    return this.#opened(askedSession(sessionId, userId))
  }

  /**
   * Closes a session: it takes no more calls, waits for those under way, cuts what is left after the time, stores all that
   * nobody has taken, and is gone from memory. Closing again while that is under way gives the same promise; with `cancel`
   * it hastens the end.
   *
   * @throws {SessionError} `unknown_session`; `store_failed`: the session still holds its results, close it again; `superseded`.
   */
  close(sessionId: string, options: CloseSessionOptions = {}): Promise<void> {
    try {
      const limits = closeLimits(options)
      return this.#slots.close(sessionId, {
        close: (open) => this.#close(open, limits),
        hasten: (open) => {
          if (limits.cancel) cancelCalls(open)
        },
        unknown: () => unknownSession(sessionId, 'open'),
        limitMs: limits.drainMs + limits.storeMs,
        stuck: () =>
          new SessionError(
            'store_failed',
            `The session '${sessionId}' is being opened, and the store does not answer: it was not closed. Close it again when the store is back.`,
          ),
      })
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /**
   * Closes all sessions that are open. One that was opened elsewhere meanwhile counts as closed.
   *
   * @throws {AggregateError} with the errors of those that could not be closed.
   */
  async closeAll(options: CloseSessionOptions = {}): Promise<void> {
    const closed = await Promise.allSettled(this.#slots.ids.map((id) => this.close(id, options)))
    const errors = closed
      .flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      .filter((error) => !isGone(error))
    if (errors.length > 0) throw notClosed(errors)
  }

  /**
   * Deletes what is stored of a session that is not open here, also where it cannot be read.
   *
   * @throws {SessionError} `invalid_id`, `still_open`, `unknown_session`, `wrong_user`, `store_failed`.
   */
  async delete(sessionId: string, { userId }: SessionUser): Promise<void> {
    const asked = askedSession(sessionId, userId)
    const { store } = this.#context
    await this.#slots.whenFree(sessionId, async (open) => {
      if (open !== undefined) {
        requireAsked(open.session, asked)
        throw new SessionError('still_open', `The session '${sessionId}' is open: close it before it is forgotten.`)
      }
      await this.#slots.occupy(sessionId, async () => {
        if (!(await store.delete(sessionId, { userId }))) throw unknownSession(sessionId, 'stored')
        return undefined
      })
    })
  }

  #opened(asked: AskedSession): Promise<Session> {
    const { sessionId } = asked
    return this.#slots.whenFree(sessionId, async (open) => {
      if (open === undefined) {
        const opened = await this.#slots.occupy(sessionId, () => this.#loaded(asked))
        return opened.session
      }
      requireAsked(open.session, asked)
      if (open.calls.refusal === undefined) return open.session
      // Its last close has failed: that comes first.
      await this.close(sessionId, { drainMs: 0, storeMs: 1_000 })
      return this.#opened(asked)
    })
  }

  #loaded(asked: AskedSession): Promise<OpenSession> {
    const lost = ({ session }: OpenSession): void => this.#slots.remove(session.id, session)
    return loadSession(asked, { context: this.#context, tools: this.#tools, who: this.#claim(asked.userId), lost })
  }

  #close(open: OpenSession, limits: CloseLimits): Promise<void> {
    const { news } = this.#context
    const { id } = open.session
    return news.ofFailure(id, 'close_failed', async (elapsed) => {
      await closeSession(open, limits, (calls) => news.tell(id, { type: 'calls_timed_out', calls }))
      news.tell(id, { type: 'closed', durationMs: elapsed() })
    })
  }

  #claim(userId: string): SessionClaim {
    return { userId, owner: this.#context.effects.newId('session') }
  }
}

function notClosed(errors: readonly unknown[]): AggregateError {
  const [first] = errors
  const why = first instanceof Error ? `: ${first.message}` : ''
  return new AggregateError(errors, `${errors.length} of the sessions could not be closed${why}`)
}

/** Whether a session could not be closed since there is none here any more. */
function isGone(error: unknown): boolean {
  return isSessionError(error) && (error.code === 'superseded' || error.code === 'unknown_session')
}

/** How a session is closed. */
export interface CloseSessionOptions {
  /** How long calls under way may still take, in milliseconds. Default 30,000. */
  readonly drainMs?: number
  /** How long the store may take after that, with all its tries, in milliseconds. Default 10,000. */
  readonly storeMs?: number
  /** Cancels the calls under way at once. Default false. */
  readonly cancel?: boolean
}

/** How a session is closed, checked. */
type CloseLimits = Required<CloseSessionOptions>

/** @throws {RangeError} for a time that is none. */
function closeLimits({ drainMs = 30_000, storeMs = 10_000, cancel = false }: CloseSessionOptions = {}): CloseLimits {
  requireTime('drainMs', drainMs)
  requireTime('storeMs', storeMs)
  return { drainMs, storeMs, cancel }
}

/**
 * Lets a session come to its end: no new calls, those under way end or are cut, everything is stored.
 *
 * @param cut told which calls had to be cut
 * @throws {SessionError} `store_failed`, and the session may be closed again; `superseded`.
 */
async function closeSession(
  { session, calls, journal }: OpenSession,
  { drainMs, storeMs, cancel }: CloseLimits,
  cut: (calls: readonly SessionCall[]) => void,
): Promise<void> {
  if (calls.refusal === undefined) calls.refuse(closing(session.id))
  if (cancel) cancelCalls({ calls })
  await calls.drained(drainMs)
  const left = calls.cut()
  if (left.length > 0) cut(left)
  await journal.finish(storeMs)
  if (journal.stopped !== undefined) calls.refuse(journal.stopped)
}

/** Cancels all calls of a session that is being closed. */
function cancelCalls({ calls }: Pick<OpenSession, 'calls'>): void {
  calls.abort(new DOMException('the session was closed', 'AbortError'))
}

function closing(id: string): SessionError {
  return new SessionError(
    'closing',
    `The session '${id}' is being closed and takes no more calls. Open it again when that is done.`,
  )
}

function requireTime(option: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return
  throw new RangeError(`close: ${option} is ${String(value)}, give milliseconds from 0 on`)
}
