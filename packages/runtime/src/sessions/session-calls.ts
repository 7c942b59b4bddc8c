import {
  completedOutcome as completedOutcomeSchema,
  failedOutcome as failedOutcomeSchema,
  storedOutcome,
  suspendedOutcome,
} from '../agents/suspension-schema.js'
import type { CallListener } from '../call/call-context.js'
import { type CallTarget, type ResolvedOptions, readCall, resolveOptions } from '../call/call-target.js'
import type { CallTracker } from '../call/call-group.js'
import { type AbortListeners, CallGroup } from '../call/call-group.js'
import type { ServedTool, ToolTable } from '../call/call-target.js'
import { deepFreeze } from '../call/descriptors.js'
import { failedOutcome } from '../call/failed-outcome.js'
import { after } from '../call/timers.js'
import { executeCall, internalFailure } from '../call/tool-call.js'
import { rejectCall, startCall } from '../call/execute.js'
import { ToolFailure } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import { shallow } from '../schema/mode.js'
import type { ToolCall } from '../types/call.js'
import type { Codec } from '../types/codec.js'
import type { Mutable } from '../types/json.js'
import type { Acknowledgement, StoredOutcome, ToolOutcome } from '../types/outcome.js'
import type { SessionCall } from '../types/session.js'
import type { MetaField } from '../types/tool.js'
import type { SessionJournal } from './journal.js'
import type { SessionTool, SessionTools } from './session-tools.js'
import { endedByUs, isSessionError, type SessionError, StreamingCall } from './session-types.js'

/** What the calls of a session need. */
interface CallsParts {
  readonly sessionId: string
  readonly tools: SessionTools
  readonly journal: SessionJournal
}

type AnyCall = ToolCall<unknown, MetaField>

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
    const call = readCall(asked)
    // Ours alone, and changed: a copy by a spread costs more than the rest of a call.
    const given: Mutable<ResolvedOptions> = resolveOptions(options)
    given.sessionId = sessionId
    given.calls = this.#group
    const tool = tools.find(call.tool)
    if (tool === undefined) return executeCall(tools.strangers, call, given)
    return tool.served.tool.updates === undefined
      ? this.#answered(tool, call, given)
      : this.#streamed(tool, call, given)
  }

  /** Begins a call of a streaming tool: {@link beginStreaming}. */
  begin(asked: AskedCall, start: CallStart): Promise<ToolOutcome | Acknowledgement> {
    return beginStreaming(asked, start, {
      journal: this.#parts.journal,
      calls: this.#group,
      entered: () => {
        this.#underWay += 1
      },
      left: () => this.#leave(),
    })
  }

  /** Where runs are counted. */
  get runs(): CallTracker {
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

  #answered({ target }: SessionTool, call: AnyCall, given: ResolvedOptions): Promise<ToolOutcome> {
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
    given: Mutable<ResolvedOptions>,
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
      startCall(target, call, given, undefined, listener)
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

/** A call of a streaming tool that somebody asks for. */
interface AskedCall {
  readonly served: ServedTool
  readonly target: CallTarget
  readonly call: ToolCall<unknown, MetaField>
  readonly isRun: boolean
}

/** Begins a call; the listener is told of its outcome. */
type CallStart = (
  call: ToolCall<unknown, MetaField>,
  options: Pick<ResolvedOptions, 'begun' | 'intake' | 'calls'>,
  listener: CallListener,
) => void

/** Where a streaming call is begun. */
interface StreamingScene {
  readonly journal: SessionJournal
  readonly calls: CallGroup
  /** Told when the call is under way. */
  readonly entered: () => void
  /** Told when nothing of it is any more. */
  readonly left: () => void
}

/**
 * Begins a call of a streaming tool. It is acknowledged when its tool begins; what it came to before that is its answer.
 *
 * @param start begins it, with what it is called here and what its options need beside their own
 * @throws {SessionError} where it cannot be stored that the call has begun.
 */
function beginStreaming(
  given: AskedCall,
  start: CallStart,
  { journal, calls, entered, left }: StreamingScene,
): Promise<ToolOutcome | Acknowledgement> {
  const { served, target, call: asked } = given
  const { full } = journal
  if (full !== undefined) {
    return Promise.resolve(rejectCall(target, asked, new ToolFailure(full, { reason: 'unavailable', action: 'wait' })))
  }
  return new Promise((resolve, reject) => {
    const call = streamingCall(given)
    entered()
    let stored: Promise<void> | undefined
    let isAcknowledged = false
    const begun: ResolvedOptions['begun'] = (running) => {
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
    start(named, { begun, intake, calls }, (outcome) => {
      if (stored === undefined) resolve(outcome)
      else if (!isAcknowledged && isGivenUp(call, calls)) {
        // Who has given the call up does not wait for a store that does not answer.
        journal.discard(call)
        resolve(outcome)
      } else {
        journal.end(call, { outcome: plainOutcome(target.table, unsuspended(outcome, given), served) })
        stored.catch((error) => (isAnswerWithout(error, outcome) ? resolve(outcome) : reject(error)))
      }
      left()
    })
  })
}

/** Whether a call was aborted by who asks for it, and not by its session. */
function isGivenUp({ running, isDiscarded, hasEnded }: StreamingCall, ofSession: CallGroup): boolean {
  if (running?.aborted === undefined || isDiscarded || hasEnded) return false
  return running.aborted.reason !== ofSession.aborted?.reason
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
  const { tool: _, durationMs, attempts, ...detail } = provenance
  const message = 'The call came to wait for somebody after it had begun, and nobody can answer it there.'
  const failed = { call, tool, rejected, durationMs, attempts, detail }
  return failedOutcome({ reason: 'internal', message, action: 'replan' }, failed)
}

/** Whether a result may be given at once that could not be acknowledged: the work is done, and nobody else has it. */
function isAnswerWithout(error: unknown, { status }: ToolOutcome): boolean {
  return isSessionError(error) && error.code === 'store_failed' && status === 'completed'
}

/** What a streaming tool's call is answered with when it has begun; models know the tool by its wire name. */
function acknowledgement({ callId, toolCallId, tool }: SessionCall, wireName: string): Acknowledgement {
  const message = `The tool '${wireName}' has begun. Its result will follow, under the call id '${callId}'.`
  const ids = toolCallId === undefined ? { callId } : { callId, toolCallId }
  return Object.freeze({ status: 'streaming', ...ids, tool, message })
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

/**
 * An outcome as plain data, frozen, that can be stored and read again: what layers put into it or still hold of it does no
 * harm. One that is none becomes a failure.
 *
 * @param served the tool that was called
 */
function plainOutcome(table: ToolTable, outcome: ToolOutcome, { isLayered }: ServedTool): StoredOutcome {
  try {
    const stored = storedOutcome(table, outcome)
    return !isLayered && isOwn(outcome) ? Object.freeze(stored) : checked(stored)
  } catch (error) {
    return Object.freeze(storedOutcome(table, internalFailure(outcome.call, '', error)))
  }
}

/** Whether an outcome that no layer has touched has no parts from elsewhere either. */
function isOwn({ status, provenance }: ToolOutcome): boolean {
  const { extra, children, durationMs } = provenance
  return status !== 'suspended' && extra === undefined && children === undefined && Number.isFinite(durationMs)
}

/** A copy that is what stored outcomes are. @throws where the outcome is no JSON, or none of a call. */
function checked(outcome: StoredOutcome): StoredOutcome {
  const { provenance } = outcome
  // A clock of the application's own may say anything; what a call cost is no reason to lose its result.
  const cost = { durationMs: amount(provenance.durationMs), attempts: amount(provenance.attempts) }
  const copy: unknown = JSON.parse(JSON.stringify({ ...outcome, provenance: { ...provenance, ...cost } }))
  if (!shallow(copy)) throw new TypeError('the outcome is nested too deep to be stored')
  const decoded = outcomeCodec().decodeValue(copy)
  if (!decoded.ok) throw new TypeError(`a layer answered with no outcome: ${decoded.issues[0]?.path}`)
  return deepFreeze(decoded.value)
}

function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

let codec: Codec<never, StoredOutcome> | undefined

/** Made when a layered tool of a session ends for the first time. */
function outcomeCodec(): Codec<never, StoredOutcome> {
  // A run beneath is read when it is resumed.
  const schema = { anyOf: [completedOutcomeSchema, failedOutcomeSchema, suspendedOutcome({ type: 'object' })] }
  codec ??= payloadCodec({ schema, unknown: 'keep' })
  return codec
}
