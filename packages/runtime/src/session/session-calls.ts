import type { ToolCall } from '../contract/call.js'
import type { MetaField } from '../contract/meta.js'
import type { Mutable } from '../contract/mutable.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Acknowledgement, SessionCall } from '../contract/session.js'
import type { AbortListeners } from '../execute/call/abort-listeners.js'
import { CallGroup } from '../execute/call/call-group.js'
import type { CallTarget, CountedCalls } from '../execute/call/call-target.js'
import { beginCall, type CallListener, executeCall } from '../execute/call/execute-call.js'
import { type GivenOptions, givenCall, givenOptions } from '../execute/call/given-call.js'
import type { ServedTool } from '../execute/call/tool-table.js'
import { failedOutcome } from '../execute/hint/failed-outcome.js'
import { after } from '../time/long-timer.js'
import { acknowledgement } from './acknowledgement.js'
import { endedByUs } from './ended-calls.js'
import type { SessionJournal } from './journal.js'
import { plainOutcome } from './plain-outcome.js'
import { isSessionError, type SessionError } from './session-error.js'
import type { SessionTool, SessionTools } from './session-tools.js'
import { StreamingCall } from './streaming-call.js'

/** What the calls of a session need. */
export interface CallsParts {
  readonly sessionId: string
  readonly tools: SessionTools
  readonly journal: SessionJournal
}

type AnyCall = ToolCall<unknown, MetaField>

/** A call of a streaming tool that somebody asks for. */
export interface AskedCall {
  readonly served: ServedTool
  readonly target: CallTarget
  readonly call: AnyCall
  readonly isRun: boolean
}

/** Begins a call; the listener is told of its outcome. */
export type CallStart = (
  call: AnyCall,
  options: Pick<GivenOptions, 'begun' | 'intake' | 'calls'>,
  listener: CallListener,
) => void

/** The calls and runs of one session that are under way. */
export class SessionCalls {
  readonly #parts: CallsParts
  readonly #group = new CallGroup()
  #underWay = 0
  #whenIdle: (() => void)[] = []
  #refusal: SessionError | undefined = undefined

  constructor(parts: CallsParts) {
    this.#parts = parts
  }

  /** Why no call is taken any more. */
  get refusal(): SessionError | undefined {
    return this.#refusal
  }

  /** From now on calls are refused, with this error. */
  refuse(error: SessionError): void {
    this.#refusal = error
  }

  /** Aborts all that is under way. */
  abort(reason: unknown): void {
    this.#group.abort(reason)
  }

  /**
   * Answers with the outcome of a tool that answers once, and with an acknowledgement where a streaming tool has begun.
   *
   * @throws {SessionError} where the session takes no calls, or cannot store that the call has begun.
   */
  execute(asked: AnyCall, options: object): Promise<ToolOutcome<any> | Acknowledgement> {
    // `any`: the result codec of the tool stands behind the type that the call carries.
    if (this.#refusal !== undefined) return Promise.reject(this.#refusal)
    const { sessionId, tools } = this.#parts
    const call = givenCall(asked)
    // Ours alone, and changed: a copy by a spread costs more than the rest of a call.
    const given: Mutable<GivenOptions> = givenOptions(options)
    given.sessionId = sessionId
    given.calls = this.#group
    const tool = tools.find(call.tool)
    if (tool === undefined) return executeCall(tools.strangers, call, given)
    return tool.served.tool.updates === undefined
      ? this.#answered(tool, call, given)
      : this.#streamed(tool, call, given)
  }

  /**
   * Begins a call of a streaming tool. It is acknowledged when its tool begins; what it came to before that is its answer.
   *
   * @param start begins it, with what it is called here and what its options need beside their own
   * @throws {SessionError} where it cannot be stored that the call has begun.
   */
  begin(given: AskedCall, start: CallStart): Promise<ToolOutcome | Acknowledgement> {
    const { journal } = this.#parts
    const { served, target, call: asked } = given
    return new Promise((resolve, reject) => {
      const call = streamingCall(given)
      this.#underWay += 1
      let stored: Promise<void> | undefined
      let isAcknowledged = false
      const begun: GivenOptions['begun'] = (running) => {
        call.running = running
        stored = journal.begin(call)
        stored.then(
          () => {
            isAcknowledged = true
            resolve(acknowledgement(call.facts, call.tool.spec.wireName))
          },
          (error) => call.abort(error),
        )
      }
      const intake = { update: journal.update.bind(journal, call) }
      const named = asked.toolCallId === undefined ? { ...asked, toolCallId: call.facts.callId } : asked
      start(named, { begun, intake, calls: this.#group }, (outcome) => {
        if (stored === undefined) resolve(outcome)
        else if (!isAcknowledged && isGivenUp(call)) {
          // Who has given the call up does not wait for a store that does not answer.
          journal.discard(call)
          resolve(outcome)
        } else {
          journal.end(call, { outcome: plainOutcome(target.table, unsuspended(outcome, given), served) })
          stored.catch((error) => (isAnswerWithout(error, outcome) ? resolve(outcome) : reject(error)))
        }
        this.#leave()
      })
    })
  }

  /** Where runs are counted. */
  get runs(): CountedCalls {
    return {
      enter: (run) => {
        this.#underWay += 1
        return this.#group.enter(run)
      },
      leave: (membership) => {
        this.#group.leave(membership)
        this.#leave()
      },
    }
  }

  /** Resolves when nothing is under way, or the time is over. */
  drained(limitMs: number): Promise<void> {
    if (this.#underWay === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const stopTimer = after(limitMs, resolve)
      this.#whenIdle.push(() => {
        stopTimer()
        resolve()
      })
    })
  }

  /** Ends what is under way: calls that have begun time out, the others are aborted. @returns those that had begun */
  cut(): readonly SessionCall[] {
    const { journal } = this.#parts
    const cut = [...journal.running.values()].filter(({ hasEnded }) => !hasEnded)
    for (const call of cut) journal.end(call, { outcome: this.#timedOut(call), timedOut: true })
    // Errors keep where they were made, which costs more than all else of a close that has nothing to cut.
    if (this.#underWay > 0) this.abort(new DOMException('the session was closed', 'TimeoutError'))
    return cut.map(({ facts }) => facts)
  }

  #answered({ target }: SessionTool, call: AnyCall, given: GivenOptions): Promise<ToolOutcome> {
    this.#underWay += 1
    return executeCall(target, call, given).then((outcome) => {
      this.#leave()
      return outcome
    })
  }

  /** A streaming tool that a caller asks for. */
  #streamed(
    { served, target }: SessionTool,
    asked: AnyCall,
    given: Mutable<GivenOptions>,
  ): Promise<ToolOutcome | Acknowledgement> {
    const caller = given.signal && untilAnswered(given.signal, target.context.listeners)
    if (caller !== undefined) given.signal = caller.signal
    // The layers of a configuration count too.
    const around =
      given.config === undefined ? served : (target.under(given.config).table.find(served.tool.id) ?? served)
    const asks = { served: around, target, call: asked, isRun: false }
    const answer = this.begin(asks, (call, { begun, intake }, listener) => {
      given.begun = begun
      given.intake = intake
      beginCall(target, call, given, undefined, listener)
    })
    return caller === undefined ? answer : answer.finally(caller.letGo)
  }

  #timedOut({ facts, tool, startedAt }: StreamingCall): ReturnType<typeof endedByUs> {
    const { effects } = this.#parts.tools.strangers.context
    return endedByUs(facts, {
      reason: 'timeout',
      message: 'The call was ended before it had its result: its session was closed.',
      tool,
      durationMs: Math.max(0, effects.now() - startedAt),
    })
  }

  #leave(): void {
    this.#underWay -= 1
    if (this.#underWay === 0) for (const idle of this.#whenIdle.splice(0)) idle()
  }
}

/** The signal of a caller who waits for an answer: what goes on behind an acknowledgement is not the caller's any more. */
function untilAnswered(
  caller: AbortSignal,
  listeners: AbortListeners,
): { readonly signal: AbortSignal; readonly letGo: () => void } {
  const controller = new AbortController()
  if (caller.aborted) controller.abort(caller.reason)
  const letGo = listeners.add(caller, () => controller.abort(caller.reason))
  return { signal: controller.signal, letGo }
}

/** Whether a call was aborted from outside, and not by its session. */
function isGivenUp({ running, isDiscarded, hasEnded }: StreamingCall): boolean {
  return running?.aborted !== undefined && !isDiscarded && !hasEnded
}

/** @throws where the source of ids, or the clock, fails. */
function streamingCall({ served: { tool }, target, call, isRun }: AskedCall): StreamingCall {
  const { effects } = target.context
  const callId = effects.newId('toolCall')
  const now = effects.now()
  // A clock of the application's own may say what cannot be stored.
  const startedAt = Number.isFinite(now) && now > 0 ? now : 0
  return new StreamingCall({ tool, callId, toolCallId: call.toolCallId, isRun, startedAt })
}

/** A call that has begun cannot wait for somebody any more: who would answer has been told that it goes on. */
function unsuspended(
  outcome: ToolOutcome,
  { served: { tool }, call: { arguments: rejected } }: AskedCall,
): ToolOutcome {
  if (outcome.status !== 'suspended') return outcome
  const { call, provenance } = outcome
  const message = 'The call came to wait for somebody after it had begun, and nobody can answer it there.'
  return failedOutcome({ reason: 'internal', message, action: 'replan' }, { ...provenance, call, tool, rejected })
}

/** Whether a result may be given at once that could not be acknowledged: the work is done, and nobody else has it. */
function isAnswerWithout(error: unknown, { status }: ToolOutcome): boolean {
  return isSessionError(error) && error.code === 'store_failed' && status === 'completed'
}
