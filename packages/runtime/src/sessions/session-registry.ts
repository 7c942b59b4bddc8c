import { after } from '../call/timers.js'
import type { Effects } from '../types/call-options.js'
import type {
  ObservableSessions,
  SessionCompletion,
  SessionEventSink,
  SessionStore,
  SessionUsage,
  StoredSession,
} from '../types/session.js'
import { OpenSession, type SessionContext } from './open-session.js'
import { type EnvOfNamespaces, type NamedAgents, type NamespaceOf, Session } from './session.js'
import { SessionEvents } from './session-events.js'
import { NamespaceTools, type SessionTools } from './session-tools.js'
import { guardedStore, isSessionError, memoryStore, SessionError, wrongUser } from './stores.js'
import { failedBySession } from './streaming-call.js'

/** Options of a {@link SessionRegistry}. */
export interface SessionRegistryOptions<Agents extends NamedAgents> {
  /** Agents and toolsets whose tools sessions have, by name. A name has no dot. */
  readonly agents: Agents
  /** Default: `memoryStore()`. */
  readonly store?: SessionStore
  /** Maximum number of updates of one call that are kept until they are consumed; older ones are dropped and counted. Default 1,000. */
  readonly maxUpdatesPerCall?: number
  /**
   * Maximum size of all results and updates that a session keeps until they are consumed, in bytes; texts count one byte per
   * UTF-16 code unit. Default 64,000,000. Beyond it, the oldest updates of a call are dropped for its next ones and for its
   * result. A result that is still too large becomes a failure with the reason `internal` and `droppedBytes`. While a session
   * is at its limit, calls of streaming tools fail with the reason `unavailable`.
   */
  readonly maxBytes?: number
  /** Receives the events of sessions and of their store. */
  readonly onEvent?: SessionEventSink
}

/** User of a session. */
export interface SessionUser {
  /** Id of the user whom the application has authenticated. */
  readonly userId: string
}

/** Options of `open`. */
export interface OpenOptions<Namespace extends string = string> extends SessionUser {
  /**
   * Names of agents and toolsets, `<name>.<toolset>`, or namespaces of their designs, in the order in which their tools are
   * listed; at least one.
   */
  readonly namespaces: readonly Namespace[]
}

/** Options of `close` and `closeAll`. */
export interface CloseSessionOptions {
  /** Time that calls in progress may still take, in milliseconds. Default 30,000. */
  readonly drainMs?: number
  /** Time that the store may take after that, with all its tries, in milliseconds. Default 10,000. */
  readonly storeMs?: number
  /** Cancels the calls in progress at once. Default `false`. */
  readonly cancel?: boolean
}

/** State of one session id in a registry. One thing happens at a time. */
interface Slot {
  opened: { readonly open: OpenSession; readonly session: Session } | undefined
  /** Work to wait for; `undefined` while the session is just open. */
  busy: Promise<unknown> | undefined
  closing: Promise<void> | undefined
}

/**
 * Opens, closes and restores sessions. Create one where the application is put together, and pass it on.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support, billing }, store })
 * const session = await sessions.open('s-1', { userId: 'u-7', namespaces: ['support', 'billing.invoices'] })
 */
export class SessionRegistry<const Agents extends NamedAgents = NamedAgents> implements ObservableSessions {
  readonly #tools: NamespaceTools
  readonly #context: SessionContext
  readonly #slots = new Map<string, Slot>()

  /** @throws {TypeError} if there are no agents, or one has an invalid name. @throws {RangeError} for an invalid number. */
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
    const events = new SessionEvents(effects, onEvent)
    this.#context = { store: guardedStore(store), effects, maxUpdatesPerCall, maxBytes, events }
  }

  /** Sessions that are open in this process. */
  get sessions(): readonly Session<never>[] {
    return this.#opened().map(({ session }) => session)
  }

  /** Returns the current content of each open session, for metrics. Takes about a microsecond per session. */
  usage(): readonly SessionUsage[] {
    return this.#opened().map(({ open }) => ({ sessionId: open.id, ...open.journal.usage() }))
  }

  /**
   * Adds a sink of session events; see `onEvent`.
   *
   * @returns a function that removes the sink
   *
   * @example
   * const stop = sessions.subscribe(({ type, sessionId }) => logger.info(type, { sessionId }))
   */
  subscribe(sink: SessionEventSink): () => void {
    return this.#context.events.subscribe(sink)
  }

  /**
   * Returns the session with this id: the open one, the stored one, or a new one. Waits if it is being closed. The id is the
   * application's; a session belongs to one user and keeps its namespaces.
   *
   * @throws {SessionError} `invalid_id`, `unknown_namespace`, `ambiguous_tool`, `wrong_user`, `other_namespaces`, `corrupt_state`, `newer_state`, `store_failed`
   */
  async open<const Namespace extends NamespaceOf<Agents>>(
    sessionId: string,
    { userId, namespaces }: OpenOptions<Namespace>,
  ): Promise<Session<EnvOfNamespaces<Agents, Namespace>>> {
    const request = sessionRequest(sessionId, userId, namespaces)
    this.#tools.of(namespaces)
    return this.#open(request)
  }

  /**
   * Returns the session with this id, open or stored, with its namespaces. `session.missingTools` lists tools that no longer
   * exist; calls that ran when their process ended have failed with the reason `interrupted`.
   *
   * @throws {SessionError} `invalid_id`, `unknown_session`, `wrong_user`, `ambiguous_tool`, `corrupt_state`, `newer_state`, `store_failed`
   */
  async restore(
    sessionId: string,
    { userId }: SessionUser,
  ): Promise<Session<EnvOfNamespaces<Agents, NamespaceOf<Agents>>>> {
    return this.#open(sessionRequest(sessionId, userId))
  }

  /**
   * Closes a session: it accepts no more calls, waits for those in progress, times out the rest, stores all entries that
   * nobody has consumed, and is removed from memory. A second call meanwhile returns the same promise; with `cancel` it
   * cancels the calls in progress.
   *
   * @throws {SessionError} `unknown_session`; `store_failed`: the session still holds its results, close it again; `superseded`
   */
  close(sessionId: string, options: CloseSessionOptions = {}): Promise<void> {
    const { drainMs = 30_000, storeMs = 10_000, cancel = false } = options
    for (const [name, value] of Object.entries({ drainMs, storeMs })) {
      if (typeof value === 'number' && value >= 0) continue
      return Promise.reject(new RangeError(`close: ${name} is ${String(value)}, give milliseconds from 0 on`))
    }
    const slot = this.#slots.get(sessionId)
    if (slot === undefined) return Promise.reject(unknownSession(sessionId, 'open'))
    const { opened, busy } = slot
    if (slot.closing !== undefined) {
      if (cancel) opened?.open.cancelAll()
      return slot.closing
    }
    if (opened === undefined) {
      const stuck = new SessionError(
        'store_failed',
        `The session '${sessionId}' is being opened, and the store does not answer: it was not closed. Close it again when the store is back.`,
      )
      return settledWithin(drainMs + storeMs, Promise.resolve(busy), stuck).then(() => this.close(sessionId, options))
    }
    const { events } = this.#context
    const closing = events
      .onFailure(sessionId, 'close_failed', async (elapsedMs) => {
        await opened.open.close({ drainMs, storeMs, cancel }, (calls) => {
          events.emit(sessionId, { type: 'calls_timed_out', calls })
        })
        events.emit(sessionId, { type: 'closed', durationMs: elapsedMs() })
      })
      .then(
        () => this.#remove(sessionId, slot),
        (error) => {
          slot.busy = undefined
          slot.closing = undefined
          throw error
        },
      )
    slot.busy = closing
    slot.closing = closing
    return closing
  }

  /**
   * Closes all open sessions. A session that was opened elsewhere meanwhile counts as closed.
   *
   * @throws {AggregateError} with the errors of those that could not be closed
   */
  async closeAll(options: CloseSessionOptions = {}): Promise<void> {
    const closed = await Promise.allSettled([...this.#slots.keys()].map((id) => this.close(id, options)))
    const errors: unknown[] = closed
      .flatMap((result) => (result.status === 'rejected' ? [result.reason] : []))
      .filter((error) => !(isSessionError(error) && ['superseded', 'unknown_session'].includes(error.code)))
    if (errors.length === 0) return
    const why = errors[0] instanceof Error ? `: ${errors[0].message}` : ''
    throw new AggregateError(errors, `${errors.length} of the sessions could not be closed${why}`)
  }

  /**
   * Deletes the stored state of a session that is not open here, also if it cannot be read.
   *
   * @throws {SessionError} `invalid_id`, `still_open`, `unknown_session`, `wrong_user`, `store_failed`
   */
  async delete(sessionId: string, { userId }: SessionUser): Promise<void> {
    const request = sessionRequest(sessionId, userId)
    const { store } = this.#context
    await this.#whenFree(sessionId, async (opened) => {
      if (opened !== undefined) {
        requireMatch(opened.open, request)
        throw new SessionError('still_open', `The session '${sessionId}' is open: close it before it is forgotten.`)
      }
      await this.#occupy(sessionId, async () => {
        if (!(await store.delete(sessionId, { userId }))) throw unknownSession(sessionId, 'stored')
        return undefined
      })
    })
  }

  #opened(): readonly NonNullable<Slot['opened']>[] {
    return [...this.#slots.values()].map(({ opened }) => opened).filter((opened) => opened !== undefined)
  }

  #open(request: SessionRequest): Promise<Session> {
    const { sessionId } = request
    return this.#whenFree(sessionId, async (opened) => {
      if (opened === undefined) {
        const loaded = await this.#occupy(sessionId, async () => {
          const open = await this.#load(request)
          return { open, session: new Session(open) }
        })
        return loaded.session
      }
      requireMatch(opened.open, request)
      if (opened.open.refusal === undefined) return opened.session
      // Its last close has failed: finish that first.
      await this.close(sessionId, { drainMs: 0, storeMs: 1_000 })
      return this.#open(request)
    })
  }

  #load(request: SessionRequest): Promise<OpenSession> {
    const { store, effects, events } = this.#context
    const { sessionId, userId, namespaces } = request
    const owner = effects.newId('session')
    const toolsOf = (stored: StoredSession): SessionTools =>
      this.#tools.of(namespaces ?? stored.namespaces.filter((namespace) => this.#tools.has(namespace)))
    const check = (stored: StoredSession): void => {
      requireMatch(stored, request)
      toolsOf(stored)
    }
    const load = async (elapsedMs: () => number): Promise<OpenSession> => {
      const stored = await store.claim(sessionId, { userId, owner, check })
      // A store of the application may not have called `check`.
      if (stored !== undefined) check(stored)
      const found = stored ?? newState(request)
      const tools = toolsOf(found)
      const state = restoredState(found, tools, effects)
      const ids = new Set(tools.ids)
      const missingTools = Object.freeze(found.availableTools.filter((id) => !ids.has(id)))
      const interrupted = found.running.map(({ startedAt: _at, droppedUpdates: _dropped, ...info }) => info)
      if (interrupted.length > 0) {
        await events.aroundSave(sessionId, () => store.save(state, owner, { isStored: true }))
      }
      const isStored = stored !== undefined
      const onSuperseded = (lost: OpenSession): void => {
        const slot = this.#slots.get(sessionId)
        if (slot?.opened?.open === lost) this.#remove(sessionId, slot)
      }
      const opened = new OpenSession(this.#context, { state, isStored, owner, tools, missingTools, onSuperseded })
      const durationMs = elapsedMs()
      const { length: entries } = state.entries
      if (isStored) events.emit(sessionId, { type: 'restored', entries, interrupted, missingTools, durationMs })
      else events.emit(sessionId, { type: 'opened', durationMs })
      return opened
    }
    return events.onFailure(sessionId, 'open_failed', async (elapsedMs) => {
      try {
        return await load(elapsedMs)
      } catch (error) {
        store.release(sessionId, owner)
        throw error
      }
    })
  }

  /** Calls `act` when no work is in progress for this id. */
  async #whenFree<Value>(id: string, act: (opened: Slot['opened']) => Promise<Value>): Promise<Value> {
    for (;;) {
      const slot = this.#slots.get(id)
      if (slot?.busy === undefined) return act(slot?.opened)
      await slot.busy.catch(() => undefined)
    }
  }

  /** Does work under a free id. The id is free again if the work opens no session. */
  #occupy<Opened extends Slot['opened']>(id: string, work: () => Promise<Opened>): Promise<Opened> {
    const slot: Slot = { opened: undefined, busy: undefined, closing: undefined }
    this.#slots.set(id, slot)
    const busy = work().then(
      (opened) => {
        slot.busy = undefined
        slot.opened = opened
        if (opened === undefined) this.#remove(id, slot)
        return opened
      },
      (error) => {
        this.#remove(id, slot)
        throw error
      },
    )
    slot.busy = busy
    return busy
  }

  #remove(id: string, slot: Slot): void {
    if (this.#slots.get(id) === slot) this.#slots.delete(id)
  }
}

/** Maximum length of an id, in UTF-16 code units. */
const MAX_ID_LENGTH = 256

/** @throws {SessionError} `invalid_id`; `unknown_namespace` for an empty or invalid list */
function sessionRequest(sessionId: string, userId: string, namespaces?: readonly string[]): SessionRequest {
  requireId('session id', sessionId)
  requireId('user id', userId)
  if (namespaces === undefined) return { sessionId, userId, namespaces }
  if (!Array.isArray(namespaces) || !namespaces.every((name) => typeof name === 'string')) {
    throw new SessionError('unknown_namespace', "Give the namespaces as a list of names, e.g. ['support'].")
  }
  if (namespaces.length === 0) {
    throw new SessionError('unknown_namespace', 'A session without namespaces has no tools: give at least one.')
  }
  return { sessionId, userId, namespaces: Object.freeze([...namespaces]) }
}

/** @throws {SessionError} `invalid_id` */
function requireId(name: 'session id' | 'user id', id: unknown): void {
  let problem: string
  if (typeof id !== 'string') problem = 'is no text'
  else if (id === '') problem = 'is empty'
  else if (id.length > MAX_ID_LENGTH) problem = `has ${id.length} characters`
  // Not every store can keep these.
  else if (/\p{Cc}|\p{Cs}/u.test(id)) problem = 'holds control characters or half of a character'
  else return
  throw new SessionError(
    'invalid_id',
    `The ${name} ${problem}. Give the one of your own records, 1 to ${MAX_ID_LENGTH} characters; never one that a model made up.`,
  )
}

/** Resolves when `work` has settled; rejects with `error` if that takes longer. */
function settledWithin(limitMs: number, work: Promise<unknown>, error: SessionError): Promise<void> {
  return new Promise((resolve, reject) => {
    const stopTimer = after(limitMs, () => reject(error))
    const settled = (): void => {
      stopTimer()
      resolve()
    }
    work.then(settled, settled)
  })
}

interface SessionRequest {
  readonly sessionId: string
  readonly userId: string
  /** Absent: those of the session. */
  readonly namespaces: readonly string[] | undefined
}

function newState({ sessionId, userId, namespaces }: SessionRequest): StoredSession {
  if (namespaces === undefined) throw unknownSession(sessionId, 'stored')
  return { version: 1, sessionId, userId, namespaces, availableTools: [], entries: [], running: [], nextSequence: 1 }
}

/** Returns a stored session without running calls: those fail as interrupted, after all earlier entries. */
function restoredState(stored: StoredSession, tools: SessionTools, { now }: Pick<Effects, 'now'>): StoredSession {
  const interruptions = stored.running.map(({ startedAt, droppedUpdates, ...info }, index): SessionCompletion => {
    const tool = tools.find(info.tool)?.served.tool
    // Until now: the time of the interruption is unknown.
    const durationMs = Math.max(0, now() - startedAt)
    return Object.freeze({
      kind: 'completed',
      sequence: stored.nextSequence + index,
      ...info,
      outcome: failedBySession(info, { reason: 'interrupted', message: '', tool, durationMs }),
      ...(droppedUpdates !== undefined && { droppedUpdates }),
    })
  })
  return {
    ...stored,
    availableTools: tools.ids,
    entries: [...stored.entries, ...interruptions],
    running: [],
    nextSequence: stored.nextSequence + interruptions.length,
  }
}

/**
 * Requires that a session, open or stored, is the requested one.
 *
 * @throws {SessionError} `wrong_user`, which says nothing else of the session; `other_namespaces`
 */
function requireMatch(
  found: Pick<StoredSession, 'userId' | 'namespaces'>,
  { sessionId, userId, namespaces }: SessionRequest,
): void {
  if (found.userId !== userId) {
    throw wrongUser(sessionId)
  }
  const isSame =
    namespaces?.length === found.namespaces.length && namespaces.every((name) => found.namespaces.includes(name))
  if (namespaces === undefined || isSame) return
  const quoted = (all: readonly string[]): string => all.map((name) => `'${name}'`).join(', ')
  throw new SessionError(
    'other_namespaces',
    `The session '${sessionId}' was opened with the namespaces ${quoted(found.namespaces)}, not ${quoted(namespaces)}: open it with the same ones, or a new session with these.`,
  )
}

function unknownSession(sessionId: string, state: 'open' | 'stored'): SessionError {
  const advice = state === 'open' ? 'Open it first, or restore it.' : 'Open a new one.'
  return new SessionError('unknown_session', `No session '${sessionId}' is ${state}. ${advice}`)
}
