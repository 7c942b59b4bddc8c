import { CallGroup, type CallTracker } from '../call/call-group.js'
import { type CallTarget, type ResolvedOptions, readCall, resolveOptions } from '../call/call-target.js'
import { rejectCall, startCall } from '../call/execute.js'
import { approvalNote } from '../call/render.js'
import type { ServedTool } from '../call/served-tool.js'
import { after } from '../call/timers.js'
import { peek, ToolFailure } from '../call/tool-failure.js'
import type { Effects } from '../types/call-options.js'
import type { Mutable } from '../types/json.js'
import type { Acknowledgement, ToolOutcome } from '../types/outcome.js'
import type { SessionCall, StoredSession } from '../types/session.js'
import type { MetaField, ToolCall } from '../types/tool.js'
import { ConversationRun } from './conversation.js'
import { SessionJournal } from './journal.js'
import type { ConversationLimits } from './kept-messages.js'
import type { SessionEvents } from './session-events.js'
import type { SessionTool, SessionTools } from './session-tools.js'
import { type GuardedStore, isSessionError, SessionError } from './stores.js'
import { acknowledgement, failedBySession, notSuspended, plainOutcome, StreamingCall } from './streaming-call.js'

export type AnyCall = ToolCall<unknown, MetaField>

export interface SessionContext {
  readonly store: GuardedStore
  readonly effects: Effects
  readonly maxUpdatesPerCall: number
  readonly maxBytes: number
  readonly conversation: ConversationLimits | undefined
  readonly events: SessionEvents
}

interface OpenSessionParts {
  readonly state: StoredSession
  readonly isStored: boolean
  readonly owner: string
  readonly tools: SessionTools
  readonly missingTools: readonly string[]
  readonly onSuperseded: (session: OpenSession) => void
}

interface StreamingRequest {
  readonly served: ServedTool
  readonly target: CallTarget
  readonly call: AnyCall
  readonly isRun: boolean
}

/** Starts a call with the options of the session and additional `options`. Never rejects. */
type StartCall = (
  call: AnyCall,
  options: Pick<ResolvedOptions, 'onExecute' | 'updates' | 'calls'>,
) => Promise<ToolOutcome>

export class OpenSession {
  readonly id: string
  readonly userId: string
  readonly namespaces: readonly string[]
  readonly tools: SessionTools
  readonly missingTools: readonly string[]
  readonly journal: SessionJournal
  /**
   * Confirms that this process still owns the session. Rejects if the store cannot confirm the owner. `undefined` if the store does not support
   * confirmation.
   */
  readonly confirm: (() => Promise<void>) | undefined
  refusal: SessionError | undefined = undefined
  readonly #group = new CallGroup()
  readonly #hasConversation: boolean
  #hasRun = false
  #active = 0
  #whenIdle: (() => void)[] = []

  constructor(
    { store, maxUpdatesPerCall, maxBytes, conversation, events }: SessionContext,
    { state, isStored, owner, tools, missingTools, onSuperseded }: OpenSessionParts,
  ) {
    const { sessionId, userId, namespaces } = state
    this.id = sessionId
    this.userId = userId
    this.namespaces = namespaces
    this.tools = tools
    this.missingTools = missingTools
    this.#hasConversation = conversation !== undefined
    this.journal = new SessionJournal(state, {
      maxUpdatesPerCall,
      maxBytes,
      conversation,
      isDurable: store.isDurable,
      hasSubscribers: store.subscribe !== undefined,
      save: async (current, options) => {
        const { redactions } = tools.unknownTarget.context
        const redaction = redactions.of(`session:${sessionId}`)
        const hidden = redaction === undefined ? current : await redactions.hideState(redaction, current)
        const { newEntries } = options
        const log = redaction?.hides('state') === true && newEntries !== undefined
        const more = log ? { ...options, newEntries: redaction.structure(newEntries, 'state') } : options
        await events.aroundSave(sessionId, () => store.save(hidden, owner, { isStored, ...more }))
        isStored = true
      },
      onSuperseded: (error) => {
        this.refusal = error
        this.#group.abort(error)
        onSuperseded(this)
        events.emit(sessionId, { type: 'superseded' })
      },
      onEnd: () => store.release(sessionId, owner),
    })
    this.confirm = store.confirm && (() => this.#confirmed(store.confirm?.(sessionId, owner)))
  }

  get #lost(): SessionError | undefined {
    const { stopped } = this.journal
    return stopped?.code === 'superseded' ? stopped : undefined
  }

  async #confirmed(confirmed: Promise<void> | undefined): Promise<void> {
    try {
      await confirmed
    } catch (error) {
      if (isSessionError(error) && error.code === 'superseded') this.journal.supersede(error)
      const message = 'The tool was not run, because the store could not confirm that this process owns the session.'
      throw new ToolFailure(message, { reason: 'unavailable', cause: error })
    }
  }

  execute(request: AnyCall, options: object): Promise<ToolOutcome<any> | Acknowledgement> {
    // `any`: the result codec of the tool ensures the type of the call.
    if (this.refusal !== undefined) return Promise.reject(this.refusal)
    const call = readCall(request)
    // Changes the resolved options in place, because a spread costs more than the rest of a call.
    const own: Mutable<ResolvedOptions> = resolveOptions(options)
    own.sessionId = this.id
    own.calls = this.#group
    own.approvals = this.journal
    const tool = this.tools.find(call.tool)
    if (tool === undefined) return startCall(this.tools.unknownTarget, call, own)
    const unconfirmed = this.#confirming(own)
    if (tool.served.tool.updates !== undefined) return this.#executeStreaming(tool, call, own, unconfirmed)
    this.#active += 1
    return startCall(tool.target, call, own).then((outcome) => {
      this.#leave()
      const error = unconfirmed?.()
      if (error !== undefined) throw error
      return outcome
    })
  }

  /**
   * The runtime calls `own.confirm` before the tool runs. The returned function must be called after the call, and returns an error if the tool did
   * not run because the store did not confirm the owner. The application can then send the call to the owner.
   */
  #confirming(own: Mutable<ResolvedOptions>): (() => unknown) | undefined {
    const { confirm } = this
    if (confirm === undefined) return undefined
    let error: unknown
    let isConfirmed = false
    own.confirm = async () => {
      try {
        await confirm()
        isConfirmed = true
      } catch (failure) {
        error = peek(failure, 'cause')
        throw failure
      }
    }
    // The session may have been superseded while the call waited for the store.
    return () => (isConfirmed ? undefined : (error ?? this.#lost))
  }

  async #executeStreaming(
    { served, target }: SessionTool,
    call: AnyCall,
    own: Mutable<ResolvedOptions>,
    unconfirmed: (() => unknown) | undefined,
  ): Promise<ToolOutcome | Acknowledgement> {
    const { signal, config } = own
    let stopListening: (() => void) | undefined
    if (signal !== undefined) {
      // The caller's signal applies only until the acknowledgement; then the call belongs to the session.
      const controller = new AbortController()
      if (signal.aborted) controller.abort(signal.reason)
      stopListening = target.context.listeners.add(signal, () => controller.abort(signal.reason))
      own.signal = controller.signal
    }
    // The layers of the run configuration wrap the tool.
    const layered = config === undefined ? served : (target.under(config).table.find(served.tool.id) ?? served)
    try {
      const answer = await this.startStreaming({ served: layered, target, call, isRun: false }, (named, more) => {
        own.onExecute = more.onExecute
        own.updates = more.updates
        return startCall(target, named, own)
      })
      const error = unconfirmed?.()
      if (error !== undefined) throw error
      return answer
    } finally {
      stopListening?.()
    }
  }

  startStreaming(request: StreamingRequest, start: StartCall): Promise<ToolOutcome | Acknowledgement> {
    const { served, target, call: asked, isRun } = request
    const { journal } = this
    const { full } = journal
    if (full !== undefined) {
      const failure = new ToolFailure(full, { reason: 'unavailable', action: 'wait' })
      return Promise.resolve(rejectCall(target, asked, failure))
    }
    return new Promise((resolve, reject) => {
      const call = new StreamingCall(served.tool, asked.toolCallId, isRun, target.context.effects)
      this.#active += 1
      let stored: Promise<void> | undefined
      let isAcknowledged = false
      const onExecute: ResolvedOptions['onExecute'] = (running) => {
        call.running = running
        stored = journal.start(call)
        stored.then(
          () => {
            isAcknowledged = true
            resolve(acknowledgement(call.info, call.tool.spec.toolName, approvalNote(running.approval)))
          },
          (error) => call.abort(error),
        )
      }
      const updates = { update: journal.update.bind(journal, call) }
      const named = asked.toolCallId === undefined ? { ...asked, toolCallId: call.info.callId } : asked
      start(named, { onExecute, updates, calls: this.#group }).then((outcome) => {
        if (stored === undefined) resolve(outcome)
        else if (!isAcknowledged && this.#isAbortedByCaller(call)) {
          // A caller that has aborted does not wait for the store.
          journal.discard(call)
          resolve(outcome)
        } else {
          journal.end(call, {
            outcome: plainOutcome(target.table, notSuspended(outcome, served.tool, asked.arguments), served),
          })
          stored.catch((error) => {
            // The tool has run and its result is not stored, so it is returned instead of the acknowledgement.
            const isStoreFailure = isSessionError(error) && error.code === 'store_failed'
            if (isStoreFailure && outcome.status === 'completed') resolve(outcome)
            else reject(error)
          })
        }
        this.#leave()
      })
    })
  }

  #isAbortedByCaller({ running, isDiscarded, hasEnded }: StreamingCall): boolean {
    if (running?.aborted === undefined || isDiscarded || hasEnded) return false
    return running.aborted.reason !== this.#group.aborted?.reason
  }

  /**
   * Starts a run in the conversation. The next run can start only after a call of the method `end` of the returned object. Returns `undefined` if the
   * session has no conversation.
   *
   * @throws {SessionError} `run_in_progress` if another run is in progress
   */
  startConversationRun(): ConversationRun | undefined {
    if (!this.#hasConversation) return undefined
    this.#requireNoRun('Await or cancel it before you start another run, or pass `conversation: false`.')
    this.#hasRun = true
    return new ConversationRun(this.journal, () => {
      this.#hasRun = false
    })
  }

  async clearMessages(): Promise<void> {
    this.#requireNoRun('Await or cancel it before you clear the messages.')
    await this.journal.clearMessages()
  }

  #requireNoRun(advice: string): void {
    if (!this.#hasRun) return
    throw new SessionError('run_in_progress', `A run of the session '${this.id}' is still in progress. ${advice}`)
  }

  /**
   * Set of the runs in progress, in which each run of the session registers itself. `close` waits for the registered runs, and cancels runs that do
   * not end in time.
   */
  get runs(): CallTracker {
    return {
      enter: (run) => {
        this.#active += 1
        return this.#group.enter(run)
      },
      leave: (membership) => {
        this.#group.leave(membership)
        this.#leave()
      },
    }
  }

  cancelAll(): void {
    this.#group.abort(new DOMException('The session was closed.', 'AbortError'))
  }

  /**
   * Closes the session: rejects new calls, waits up to `drainMs` for running calls and runs, then aborts these calls and runs, and stores all
   * changes. Aborted calls fail with the reason `timeout`.
   *
   * @param onTimedOut receives the aborted streaming calls; not called if no streaming call was aborted
   * @throws {SessionError} `store_failed`, after which you can close the session again; `superseded` if another process has opened the session
   */
  async close(
    { drainMs, storeMs, cancel }: { readonly drainMs: number; readonly storeMs: number; readonly cancel: boolean },
    onTimedOut: (calls: readonly SessionCall[]) => void,
  ): Promise<void> {
    this.refusal ??= new SessionError(
      'closing',
      `The session '${this.id}' is being closed and accepts no more calls. Open it again after it is closed.`,
    )
    if (cancel) this.cancelAll()
    await this.#idle(drainMs)
    const timedOut = this.#timeOutCalls()
    if (timedOut.length > 0) onTimedOut(timedOut)
    await this.journal.finish(storeMs)
    if (this.journal.stopped !== undefined) this.refusal = this.journal.stopped
  }

  #idle(limitMs: number): Promise<void> {
    if (this.#active === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const stopTimer = after(limitMs, resolve)
      this.#whenIdle.push(() => {
        stopTimer()
        resolve()
      })
    })
  }

  #timeOutCalls(): readonly SessionCall[] {
    const { effects } = this.tools.unknownTarget.context
    const calls = [...this.journal.running.values()].filter(({ hasEnded }) => !hasEnded)
    for (const call of calls) {
      const { info, tool, startedAt } = call
      const message = 'The call was ended without a result, because its session was closed.'
      const durationMs = Math.max(0, effects.now() - startedAt)
      const outcome = failedBySession(info, { reason: 'timeout', message, tool, durationMs })
      this.journal.end(call, { outcome, timedOut: true })
    }
    // Creates the error only if needed, because capturing its stack is slow.
    if (this.#active > 0) this.#group.abort(new DOMException('The session was closed.', 'TimeoutError'))
    return calls.map(({ info }) => info)
  }

  #leave(): void {
    this.#active -= 1
    if (this.#active === 0) for (const idle of this.#whenIdle.splice(0)) idle()
  }
}
