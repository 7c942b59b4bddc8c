import type { ToolCall } from '../contract/call.js'
import type { MetaField } from '../contract/meta.js'
import type { Mutable } from '../contract/mutable.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { Acknowledgement, SessionCall } from '../contract/session.js'
import { CallGroup } from '../execute/call/call-group.js'
import type { CountedCalls } from '../execute/call/call-target.js'
import { beginCall, executeCall } from '../execute/call/execute-call.js'
import { type GivenOptions, givenCall, givenOptions } from '../execute/call/given-call.js'
import { after } from '../time/long-timer.js'
import { type AskedCall, beginStreaming, type CallStart } from './begin-streaming.js'
import { endedByUs } from './ended-calls.js'
import type { SessionJournal } from './journal.js'
import type { SessionError } from './session-error.js'
import type { SessionTool, SessionTools } from './session-tools.js'
import type { StreamingCall } from './streaming-call.js'
import { untilAnswered } from './until-answered.js'

/** What the calls of a session need. */
export interface CallsParts {
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
