import type { RunnableAgent } from '../agents/run-parts.js'
import type { CallContext, CallListener, RunCallContext } from '../call/call-context.js'
import { type CallTarget, type ResolvedOptions, type RunSession, resolveOptions } from '../call/call-target.js'
import type { CallTracker } from '../call/call-group.js'
import type { AbortTarget, Membership } from '../call/call-group.js'
import type { ServedTool, ToolTable } from '../call/call-target.js'
import { renderForModel } from '../call/render.js'
import { acknowledgedOutcome } from '../call/results.js'
import { callRef, rejectCall, startCall } from '../call/execute.js'
import { peek, ToolFailure } from '../call/tool-failure.js'
import type { ToolCall } from '../types/call.js'
import type { ChatMessage } from '../types/chat.js'
import type { StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { SessionCompletion, SessionEntry } from '../types/session.js'
import type { MetaField } from '../types/tool.js'
import type { SessionJournal } from './journal.js'
import type { SessionCalls } from './session-calls.js'
import type { SessionTools } from './session-tools.js'
import { SessionError } from './session-types.js'

/** What the runs of a session need. */
interface RunsParts {
  readonly sessionId: string
  readonly tools: SessionTools
  readonly calls: SessionCalls
  readonly journal: SessionJournal
}

/** The runs of one session. */
export class SessionRuns {
  readonly #parts: RunsParts

  constructor(parts: RunsParts) {
    this.#parts = parts
  }

  /**
   * The options of a run here, with what is wrong where the session does not take it.
   *
   * @param suspension what the run goes on with; absent for one that begins
   */
  options({ target: { table } }: RunnableAgent, asked: object, suspension?: { readonly of: unknown }): ResolvedOptions {
    const { sessionId, tools, calls, journal } = this.#parts
    const options = resolveOptions(asked)
    const missing = table.served.find(({ tool }) => tools.find(tool.id)?.served.tool !== tool)
    const isElsewhere = suspension !== undefined && peek(suspension.of, 'sessionId') !== sessionId
    const fault =
      calls.refusal ??
      options.fault ??
      (missing && notHere(sessionId, missing.tool.id)) ??
      (isElsewhere ? ofOther(sessionId) : undefined)
    if (fault !== undefined) return { ...options, sessionId, fault }
    const session = new RunInSession({ calls, journal, tools, table })
    return { ...options, sessionId, calls: calls.runs, session }
  }
}

function ofOther(sessionId: string): SessionError {
  return new SessionError(
    'other_session',
    `The run was not suspended in the session '${sessionId}': resume it in the session that its suspension names.`,
  )
}

function notHere(sessionId: string, tool: string): SessionError {
  return new SessionError(
    'unknown_namespace',
    `The session '${sessionId}' does not have the agent's tool '${tool}': run an agent of the registry, and open the session with its name as a namespace.`,
  )
}

/** What a run in a session is made of. */
interface RunInSessionParts {
  readonly calls: SessionCalls
  readonly journal: SessionJournal
  /** Those of the session. */
  readonly tools: SessionTools
  /** The tools of the agent. */
  readonly table: ToolTable
}

type AnyCall = ToolCall<unknown, MetaField>

/** The session as one run has it: its streaming calls are the session's, and what those come to is told to whichever run is next. */
class RunInSession implements RunSession {
  readonly #parts: RunInSessionParts

  constructor(parts: RunInSessionParts) {
    this.#parts = parts
  }

  begin(
    target: CallTarget,
    call: AnyCall,
    options: ResolvedOptions,
    frame: RunCallContext,
    listener: CallListener,
  ): void {
    const served = target.table.find(call.tool)
    if (served === undefined) startCall(target, call, options, frame, listener)
    else this.#begun(served, target, call, options, frame).then(listener)
  }

  late(accept: (messages: readonly ChatMessage[]) => boolean): Promise<void> | undefined {
    const { journal, table } = this.#parts
    const isOurs = (last: SessionEntry): boolean => this.#isOurs(last)
    if (!journal.has(isOurs)) return undefined
    const taken = journal.consume(isOurs, (entries) =>
      accept(
        entries
          .filter((entry) => entry.kind === 'completed')
          .map((entry) => lateMessage(entry, (tool) => table.find(tool)?.tool.spec.wireName)),
      ),
    )
    // Where the store does not let go of them, they come later.
    return taken.then(ignored, ignored)
  }

  /** Never rejects. */
  async #begun(
    served: ServedTool,
    target: CallTarget,
    asked: AnyCall,
    options: ResolvedOptions,
    frame: RunCallContext,
  ): Promise<ToolOutcome> {
    const { effects } = target.context
    const place = new StreamingPlace(frame, target.context)
    const events = frame.events.lasting()
    const lasting = { ...frame, calls: place, open: undefined, events, above: { ...frame.above, events } }
    try {
      const startedAt = effects.now()
      const answer = await this.#parts.calls.begin(
        { served, target, call: asked, isRun: true },
        (call, more, listener) => startCall(target, call, { ...options, ...more }, lasting, listener),
      )
      if (answer.status !== 'streaming') return answer
      const provenance = { tool: served.tool.id, durationMs: Math.max(0, effects.now() - startedAt), attempts: 1 }
      const ref = callRef(asked, options, served.tool.id, answer.toolCallId ?? answer.callId)
      return acknowledgedOutcome(ref, Object.freeze(provenance), answer)
    } catch (error) {
      const failure = new ToolFailure('The call could not be begun: it could not be stored.', {
        reason: 'unavailable',
        cause: error,
      })
      return rejectCall(target, asked, failure)
    } finally {
      place.letGo()
    }
  }

  /** Results of tools that this agent does not have are left to runs of agents that have them. */
  #isOurs({ kind, isRun, tool }: SessionEntry): boolean {
    const { table, tools } = this.#parts
    return kind === 'completed' && isRun && (table.find(tool) !== undefined || tools.find(tool) === undefined)
  }
}

function ignored(): void {}

/** The place of a call that begins among those of a run's step and goes on without the run, among those of the runtime. */
class StreamingPlace implements CallTracker {
  readonly #frame: Pick<RunCallContext, 'calls' | 'open'>
  readonly #runtime: CallTracker
  #ofStep: Membership | undefined = undefined

  constructor(frame: Pick<RunCallContext, 'calls' | 'open'>, { calls }: CallContext) {
    this.#frame = frame
    this.#runtime = calls
  }

  enter(running: AbortTarget): Membership {
    this.#ofStep = this.#frame.calls.enter(running)
    this.#frame.open?.begin()
    return this.#runtime.enter(running)
  }

  leave(membership: Membership): void {
    this.#runtime.leave(membership)
    this.letGo()
  }

  /** From now on neither the step nor the run waits for the call or ends it. */
  letGo(): void {
    if (this.#ofStep === undefined) return
    this.#frame.calls.leave(this.#ofStep)
    this.#frame.open?.end()
    this.#ofStep = undefined
  }
}

/** What a model is told when a call has ended that was acknowledged before: under both ids that the acknowledgement has. */
export function lateMessage(
  { callId, toolCallId, tool, outcome }: SessionCompletion,
  wireNameOf: (tool: string) => string | undefined,
): ChatMessage {
  const ids = toolCallId === undefined || toolCallId === callId ? `'${callId}'` : `'${callId}' ('${toolCallId}')`
  const ended = outcome.status === 'completed' ? 'has ended. Its result:' : `has ${outcome.status}:`
  const content = `The call ${ids} of the tool '${wireNameOf(tool) ?? tool}' ${ended}\n${toldOf(outcome)}`
  return Object.freeze({ role: 'user', content })
}

/** As JSON, so that no text of a tool can pass for words of the user's. */
function toldOf(outcome: StoredOutcome): string {
  try {
    const told = renderForModel(outcome)
    return outcome.status === 'completed' ? told : JSON.stringify(told)
  } catch {
    // A store of the application's own may give anything.
    return '"It cannot be shown."'
  }
}
