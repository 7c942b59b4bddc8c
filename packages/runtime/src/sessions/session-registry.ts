import type { Redaction } from '../call/redaction.js'
import { after } from '../call/timers.js'
import type { RememberedApproval } from '../types/approval.js'
import type { Effects } from '../types/call-options.js'
import type { JsonText } from '../types/json.js'
import type {
  ObservableSessions,
  SessionCompletion,
  SessionEntry,
  SessionEventSink,
  SessionStore,
  SessionUsage,
  StoredSession,
  SubscribeSessionOptions,
} from '../types/session.js'
import { type ConversationOptions, conversationLimits } from './conversation.js'
import { OpenSession, type SessionContext } from './open-session.js'
import { type EnvOfNamespaces, type NamedAgents, type NamespaceOf, Session } from './session.js'
import { SessionEvents } from './session-events.js'
import { requireMatch, type SessionRequest, sessionRequest } from './session-request.js'
import { NamespaceTools, type SessionTools } from './session-tools.js'
import { guardedStore, isSessionError, memoryStore, SessionError, superseded, unknownSession } from './stores.js'
import { failedBySession } from './streaming-call.js'

/** Options of a {@link SessionRegistry}: agents, store, limits, conversation and events. */
export interface SessionRegistryOptions<Agents extends NamedAgents> {
  /** Agents and toolsets that sessions can use, by name. A name must not contain a dot. */
  readonly agents: Agents
  /**
   * Store for the state of sessions. If the store is unavailable, sessions repeat their writes. Default:
   * `memoryStore()`.
   */
  readonly store?: SessionStore
  /**
   * Maximum number of unconsumed updates of one call. Above this number, the session drops the oldest updates. The
   * property `droppedUpdates` of the result entry contains the number of dropped updates. Default: 1,000.
   */
  readonly maxUpdatesPerCall?: number
  /**
   * Maximum size of all unconsumed results and updates of a session, in bytes. Each UTF-16 code unit of a string is counted as one byte. At the
   * limit, the session drops the oldest updates of a call to store its later updates and its result. If the result is still too large, a failure with
   * the reason `internal` replaces the result. In this case, the property `droppedBytes` of the result entry is the size of the dropped result. A
   * session at the limit rejects new calls of streaming tools with the reason `unavailable`. Default: 64,000,000.
   */
  readonly maxBytes?: number
  /**
   * Limits for the stored messages, or `true` for the default limits. With this option, each session stores the messages of its runs, and each run of
   * {@link Session.run} continues this conversation. Default: sessions store no messages.
   */
  readonly conversation?: true | ConversationOptions | undefined
  /**
   * Function that receives the events of all sessions, such as `opened`, `saved` or `save_failed`. Default: no
   * function.
   */
  readonly onEvent?: SessionEventSink
}

/** User who owns a session. */
export interface SessionUser {
  /** Id of the authenticated user. Other users cannot use the session. */
  readonly userId: string
}

/** Options of {@link SessionRegistry.restore}: the user, and `takeOver`. */
export interface RestoreOptions extends SessionUser {
  /**
   * `true` takes the session from a process that has the session open. The running calls of that process are interrupted, and its next write fails
   * with `superseded`. Use this option if you know that the process has ended or must not continue. Default: `false`.
   */
  readonly takeOver?: boolean
}

/** Options of {@link SessionRegistry.open}: the user, the tools, and `takeOver`. */
export interface OpenOptions<Namespace extends string = string> extends RestoreOptions {
  /**
   * Names that select the tools of the session; at least one. Each name is a name from the registry, one toolset of an
   * agent (`<name>.<toolset>`), or a namespace of the design.
   */
  readonly namespaces: readonly Namespace[]
}

export interface CloseSessionOptions {
  /**
   * Maximum time to wait for running calls, in milliseconds. After this time, the session aborts the calls. Default:
   * 30,000.
   */
  readonly drainMs?: number
  /**
   * Maximum time to save the session after its calls have ended, in milliseconds. The session repeats failed saves during this time. Default:
   * 10,000.
   */
  readonly storeMs?: number
  /** `true` cancels running calls immediately. Default: `false`. */
  readonly cancel?: boolean
}

interface Slot {
  opened: { readonly open: OpenSession; readonly session: Session } | undefined
  busy: Promise<unknown> | undefined
  closing: Promise<void> | undefined
}

/**
 * Opens, restores and closes sessions. Create one registry per application.
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support, billing }, store })
 * const session = await sessions.open('s-1', { userId: 'u-7', namespaces: ['support', 'billing.invoices'] })
 */
export class SessionRegistry<const Agents extends NamedAgents = NamedAgents> implements ObservableSessions {
  readonly #tools: NamespaceTools
  readonly #context: SessionContext
  readonly #slots = new Map<string, Slot>()

  /**
   * Creates a registry without open sessions.
   * @throws {TypeError} if `agents` is empty or has an invalid name or value.
   * @throws {RangeError} if a limit is not an integer of at least 1.
   */
  constructor({
    agents,
    store = memoryStore(),
    maxUpdatesPerCall = 1_000,
    maxBytes = 64_000_000,
    conversation,
    onEvent,
  }: SessionRegistryOptions<Agents>) {
    this.#tools = new NamespaceTools(agents)
    for (const [name, value] of Object.entries({ maxUpdatesPerCall, maxBytes })) {
      if (Number.isInteger(value) && value >= 1) continue
      throw new RangeError(`SessionRegistry: ${name} is ${value}. Expected an integer of at least 1.`)
    }
    const { effects } = this.#tools.context
    const events = new SessionEvents(effects, onEvent)
    this.#context = {
      store: guardedStore(store),
      effects,
      maxUpdatesPerCall,
      maxBytes,
      conversation: conversationLimits('SessionRegistry', conversation),
      events,
    }
  }

  /** Sessions that are open in this process. */
  get sessions(): readonly Session<never>[] {
    return this.#opened().map(({ session }) => session)
  }

  /**
   * Returns metrics about each open session: the number and size of its entries (updates and results). This method needs about one microsecond per
   * session.
   */
  usage(): readonly SessionUsage[] {
    return this.#opened().map(({ open }) => ({ sessionId: open.id, ...open.journal.usage() }))
  }

  /**
   * Adds a listener for session events, in addition to the option `onEvent`.
   *
   * @returns a function that removes the listener
   *
   * @example
   * const stop = sessions.subscribe(({ type, sessionId }) => logger.info(type, { sessionId }))
   */
  subscribe(sink: SessionEventSink): () => void
  /**
   * Returns an iterator over the entries (updates and results) of a session. The session can be open in any process.
   * The iterator returns each entry once, in the order of `sequence`. The iterator returns an entry when the entry is
   * stored, even if the application consumes the entry in the meantime. The iteration continues if the session moves to
   * another process. The iteration ends if you leave the loop or the session is deleted. Slow readers do not fill the
   * memory. The store must support subscriptions, for example `postgresStore({ subscriptions: { listen } })`.
   *
   * @throws {TypeError} if the store does not support subscriptions
   * @throws {RangeError} if `after` is not an integer of at least 0
   * @throws {SessionError} `invalid_id`, `unknown_session`, `wrong_user`, `entries_expired`, `store_failed`
   *
   * @example
   * for await (const entry of await sessions.subscribe('s-1', { userId: 'u-7', after: lastSequence })) send(entry)
   */
  subscribe(sessionId: string, options: SubscribeSessionOptions): Promise<AsyncIterableIterator<SessionEntry>>
  subscribe(
    subject: SessionEventSink | string,
    options?: SubscribeSessionOptions,
  ): (() => void) | Promise<AsyncIterableIterator<SessionEntry>> {
    return typeof subject === 'function' ? this.#context.events.subscribe(subject) : this.#follow(subject, options)
  }

  async #follow(
    sessionId: string,
    options: SubscribeSessionOptions | undefined,
  ): Promise<AsyncIterableIterator<SessionEntry>> {
    const { store } = this.#context
    const { userId = '', after } = options ?? {}
    sessionRequest(sessionId, userId)
    if (after !== undefined && !(Number.isSafeInteger(after) && after >= 0)) {
      throw new RangeError(
        `subscribe: after is ${after}. Expected the \`sequence\` of the last entry, or 0 for all entries.`,
      )
    }
    if (store.subscribe === undefined) {
      throw new TypeError(
        'subscribe: the store has no subscriptions. Use `postgresStore({ query, subscriptions: { listen } })` in every process.',
      )
    }
    return store.subscribe(sessionId, { userId, ...(after !== undefined && { after }) })
  }

  /**
   * Opens the session with the id `sessionId`. Returns the open session, loads the stored session, or creates a new session. If the session is
   * being closed, waits until it is closed. The application chooses the id. The user and the namespaces of a session never change.
   *
   * With a durable store, a session is open in one process at a time. If another process has the session open, `open` fails with `open_elsewhere`,
   * and `error.owner` contains the address of that process. With `takeOver: true`, or after the lease of that process has expired, this process
   * takes the session over.
   *
   * @throws {SessionError} `invalid_id`, `unknown_namespace`, `ambiguous_tool`, `wrong_user`, `other_namespaces`, `open_elsewhere`,
   * `corrupt_state`, `newer_state`, `store_failed`
   */
  async open<const Namespace extends NamespaceOf<Agents>>(
    sessionId: string,
    { userId, namespaces, takeOver = false }: OpenOptions<Namespace>,
  ): Promise<Session<EnvOfNamespaces<Agents, Namespace>>> {
    const request = sessionRequest(sessionId, userId, namespaces)
    this.#tools.of(namespaces)
    return this.#open(request, takeOver)
  }

  /**
   * Returns the open or stored session with the id `sessionId`. The session has its original namespaces. `session.missingTools` lists the tools
   * that no longer exist. Streaming calls that were interrupted by the end of an earlier process fail with the reason `interrupted`.
   *
   * @throws {SessionError} `invalid_id`, `unknown_session`, `wrong_user`, `ambiguous_tool`, `open_elsewhere`, `corrupt_state`,
   * `newer_state`, `store_failed`
   */
  async restore(
    sessionId: string,
    { userId, takeOver = false }: RestoreOptions,
  ): Promise<Session<EnvOfNamespaces<Agents, NamespaceOf<Agents>>>> {
    return this.#open(sessionRequest(sessionId, userId), takeOver)
  }

  /**
   * Closes a session. Rejects new calls, waits for running calls, and aborts calls that still run after `drainMs`.
   * Stores all unconsumed results and updates, then removes the session from memory. Aborted calls fail with the reason
   * `timeout`. If the session is already being closed, returns the existing promise. In this case, the option `cancel`
   * still cancels running calls.
   *
   * @throws {SessionError} `unknown_session`; `store_failed`, after which you can close the session again; `superseded`
   */
  close(sessionId: string, options: CloseSessionOptions = {}): Promise<void> {
    const { drainMs = 30_000, storeMs = 10_000, cancel = false } = options
    for (const [name, value] of Object.entries({ drainMs, storeMs })) {
      if (typeof value === 'number' && value >= 0) continue
      return Promise.reject(new RangeError(`close: ${name} is ${String(value)}. Expected a number of at least 0.`))
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
        `The session '${sessionId}' was not closed, because it is being opened and the store does not answer. Close it again when the store is available.`,
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
   * Closes all open sessions. Ignores sessions that another process has taken over.
   *
   * @throws {AggregateError} if at least one session cannot be closed; contains one error for each of these sessions
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
   * Deletes the stored state of a session, even if the state is invalid. If the session is open in this process, close the session first.
   *
   * @throws {SessionError} `invalid_id`, `still_open`, `unknown_session`, `wrong_user`, `store_failed`
   */
  async delete(sessionId: string, { userId }: SessionUser): Promise<void> {
    const request = sessionRequest(sessionId, userId)
    const { store } = this.#context
    await this.#whenFree(sessionId, async (opened) => {
      if (opened !== undefined) {
        requireMatch(opened.open, request)
        throw new SessionError('still_open', `The session '${sessionId}' is open. Close it before you delete it.`)
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

  #open(request: SessionRequest, takeOver: boolean): Promise<Session> {
    const { sessionId } = request
    return this.#whenFree(sessionId, async (opened) => {
      if (opened === undefined) {
        const loaded = await this.#occupy(sessionId, async () => {
          const open = await this.#load(request, takeOver)
          return { open, session: new Session(open) }
        })
        return loaded.session
      }
      requireMatch(opened.open, request)
      if (opened.open.refusal === undefined) return opened.session
      const slot = this.#slots.get(sessionId)
      if (opened.open.journal.stopped !== undefined && slot?.opened === opened) {
        // The session was superseded while it was opened.
        this.#remove(sessionId, slot)
        return this.#open(request, takeOver)
      }
      // The last close has failed, so the session is still in memory.
      await this.close(sessionId, { drainMs: 0, storeMs: 1_000 })
      return this.#open(request, takeOver)
    })
  }

  #load(request: SessionRequest, takeOver: boolean): Promise<OpenSession> {
    const { store, effects, events } = this.#context
    const { sessionId, userId, namespaces } = request
    const owner = effects.newId('session')
    const toolsOf = (stored: StoredSession): SessionTools =>
      this.#tools.of(namespaces ?? stored.namespaces.filter((namespace) => this.#tools.has(namespace)))
    const check = (stored: StoredSession): void => {
      requireMatch(stored, request)
      toolsOf(stored)
    }
    let open: OpenSession | undefined
    let lost: Error | undefined
    const onSuperseded = (error: Error): void => {
      lost = error
      open?.journal.supersede(superseded(sessionId))
    }
    /** Stores a new session immediately, so that no other process can create the same session. */
    const reserve = async (state: StoredSession): Promise<boolean> => {
      try {
        await store.save(state, owner)
        return true
      } catch (error) {
        if (isSessionError(error) && error.code === 'superseded') return false
        throw error
      }
    }
    const load = async (elapsedMs: () => number): Promise<OpenSession> => {
      const stored = await store.claim(sessionId, { userId, owner, check, takeOver, onSuperseded })
      // A custom store may not have called `check`.
      if (stored !== undefined) check(stored)
      const found = stored ?? newState(request)
      const tools = toolsOf(found)
      const { redactions } = tools.unknownTarget.context
      const redaction = redactions.of(`session:${sessionId}`)
      const opened =
        redaction === undefined ? found : withApprovedValues(await redactions.restoreState(redaction, found), redaction)
      const state = restoredState(opened, tools, effects)
      if (stored === undefined && store.isDurable && !(await reserve(state))) return load(elapsedMs)
      const ids = new Set(tools.ids)
      const missingTools = Object.freeze(found.availableTools.filter((id) => !ids.has(id)))
      const interrupted = found.running.map(({ startedAt: _at, droppedUpdates: _dropped, ...info }) => info)
      if (interrupted.length > 0) {
        const newEntries = state.entries.slice(found.entries.length)
        const log = store.subscribe !== undefined && { newEntries }
        const hidden = redaction === undefined ? state : await redactions.hideState(redaction, state)
        await events.aroundSave(sessionId, () => store.save(hidden, owner, { isStored: true, ...log }))
      }
      const parts = { state, owner, tools, missingTools, isStored: stored !== undefined || store.isDurable }
      const created = new OpenSession(this.#context, {
        ...parts,
        onSuperseded: (session) => {
          const slot = this.#slots.get(sessionId)
          if (slot?.opened?.open === session) this.#remove(sessionId, slot)
        },
      })
      open = created
      if (lost !== undefined) throw superseded(sessionId)
      const durationMs = elapsedMs()
      const { length: entries } = state.entries
      if (stored === undefined) events.emit(sessionId, { type: 'opened', durationMs })
      else events.emit(sessionId, { type: 'restored', entries, interrupted, missingTools, durationMs })
      return created
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

  async #whenFree<Value>(id: string, act: (opened: Slot['opened']) => Promise<Value>): Promise<Value> {
    for (;;) {
      const slot = this.#slots.get(id)
      if (slot?.busy === undefined) return act(slot?.opened)
      await slot.busy.catch(() => undefined)
    }
  }

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

function newState({ sessionId, userId, namespaces }: SessionRequest): StoredSession {
  if (namespaces === undefined) throw unknownSession(sessionId, 'stored')
  return { version: 1, sessionId, userId, namespaces, availableTools: [], entries: [], running: [], nextSequence: 1 }
}

/** The process of the running calls has ended, so each of these calls fails with the reason `interrupted`. */
function restoredState(stored: StoredSession, tools: SessionTools, { now }: Pick<Effects, 'now'>): StoredSession {
  const interruptions = stored.running.map(({ startedAt, droppedUpdates, ...info }, index): SessionCompletion => {
    const tool = tools.find(info.tool)?.served.tool
    // The duration ends now, because the time of the interruption is unknown.
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
 * Remembered approvals need the original values instead of pseudonyms, so that the approvals match the arguments of later calls. Models never read
 * approvals, so the sensitive values remain hidden.
 */
function withApprovedValues(state: StoredSession, redaction: Redaction): StoredSession {
  const { approvals } = state
  if (approvals === undefined) return state
  const restoredJson = (json: JsonText): JsonText => {
    // The pseudonym of a number is no JSON text.
    const restored: unknown = /^["[{]/.test(json) ? redaction.restoreJson(json) : redaction.restore(json)
    return typeof restored === 'string' ? restored : JSON.stringify(restored)
  }
  const withValues = (approval: RememberedApproval): RememberedApproval => {
    if (approval.rule === 'tool') return approval
    if (approval.rule === 'call') return { ...approval, arguments: restoredJson(approval.arguments) }
    const fields = Object.entries(approval.fields).map(([field, json]) => [field, restoredJson(json)])
    return { ...approval, fields: Object.fromEntries(fields) }
  }
  return { ...state, approvals: approvals.map(withValues) }
}
