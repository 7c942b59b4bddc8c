import type { ToolCall, ToolCallRef } from '../types/call.js'
import type { CallOptions, Effects } from '../types/call-options.js'
import type { Decoded } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { EventBody, ToolTelemetry } from '../types/run.js'
import type { MetaField, ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tool.js'
import { callMeta, metaValue } from './call-meta.js'
import type { EventScope, NotedBody } from './events.js'
import type { HintTemplate } from './hint-text.js'
import { failedOutcome } from './hints.js'
import type { RunningCall } from './running-call.js'
import { toolTelemetry } from './telemetry.js'
import { FIXED_MESSAGES } from './tool-failure.js'
import type { CallRequest, RequestParts } from './tool-request.js'

/** What a call begins with. */
interface CallBeginning {
  readonly call: ToolCallRef
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  /** As it was asked for. */
  readonly asked: ToolCall<unknown, MetaField>
  readonly options: CallOptions & { readonly env: unknown }
  /** The name of the agent that calls. */
  readonly agent: string | undefined
  readonly running: RunningCall
}

/** What is known of a call before anything becomes of it. */
export class KnownCall implements RequestParts {
  readonly isFirst = true
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  readonly #asked: ToolCall<unknown, MetaField>
  readonly #options: CallBeginning['options']
  readonly #agent: string | undefined
  readonly #running: RunningCall
  #meta: ToolCallMeta | undefined = undefined

  constructor({ call, startedAt, tool, asked, options, agent, running }: CallBeginning) {
    this.call = call
    this.arguments = asked.arguments
    this.startedAt = startedAt
    this.tool = tool
    this.#asked = asked
    this.#options = options
    this.#agent = agent
    this.#running = running
  }

  /** What the caller gave. */
  get env(): unknown {
    return this.#options.env
  }

  /** Made when somebody asks for it, which most calls do not: that costs a tenth of a call. */
  get meta(): ToolCallMeta {
    if (this.#meta === undefined) {
      const known = { toolCallId: this.call.toolCallId, agent: this.#agent, running: this.#running }
      this.#meta = callMeta(this.#asked, this.#options, known)
    }
    return this.#meta
  }
}

/**
 * The ends of the suspended calls of one step. They are told when the step ends, since a final value or a cancelled run
 * cancels these calls.
 */
export class WaitingEnds {
  #ends: { readonly outcome: ToolOutcome; readonly end: (last: ToolOutcome) => void }[] | undefined = []

  /** Keeps the end of a call; `end` receives the outcome with which the step ends it. After the step it is called at once. */
  add(outcome: ToolOutcome, end: (last: ToolOutcome) => void): void {
    if (this.#ends === undefined) end(outcome)
    else this.#ends.push({ outcome, end })
  }

  /** Ends the calls, in the order in which they were suspended. */
  end(last: (outcome: ToolOutcome) => ToolOutcome): void {
    const ends = this.#ends ?? []
    this.#ends = undefined
    for (const { outcome, end } of ends) end(last(outcome))
  }
}

/** A call that ends before those who observe it. */
export class ObservedCall {
  readonly known: KnownCall
  readonly #effects: Pick<Effects, 'now'>
  readonly #events: CallEvents | undefined
  readonly #waiting: WaitingEnds | undefined

  /**
   * @param events absent where nobody listens
   * @param waiting keeps the end of a suspended call; absent for a call outside a run
   */
  constructor(
    known: KnownCall,
    effects: Pick<Effects, 'now'>,
    events: CallEvents | undefined,
    waiting: WaitingEnds | undefined,
  ) {
    this.known = known
    this.#effects = effects
    this.#events = events
    this.#waiting = waiting
  }

  /**
   * Tells of the end, the moment that the outcome is there, and gives it back.
   *
   * @param isNow whether the outcome was made this very moment: its own reading of the clock counts
   * @throws where the clock fails.
   */
  ended(outcome: ToolOutcome, isNow: boolean): ToolOutcome {
    const at = isNow ? this.known.startedAt + outcome.provenance.durationMs : undefined
    if (outcome.status === 'suspended' && this.#waiting !== undefined)
      this.#waiting.add(outcome, (last) => this.#end(last))
    else this.#end(outcome, at)
    return outcome
  }

  #end(outcome: ToolOutcome, at?: number): void {
    this.#events?.end(outcome, this.#isPlain(outcome) ? undefined : this.telemetry(outcome), at)
  }

  /** Tells of the end where the telemetry is known already. */
  endedAs(outcome: ToolOutcome, telemetry: ToolTelemetry): void {
    const end = (last: ToolOutcome): void => {
      if (last === outcome) this.#events?.end(outcome, telemetry)
      else this.#end(last)
    }
    if (outcome.status === 'suspended' && this.#waiting !== undefined) this.#waiting.add(outcome, end)
    else end(outcome)
  }

  /** Whether the telemetry of an outcome follows from it alone, and is the same whenever it is asked for. */
  #isPlain(outcome: ToolOutcome): boolean {
    const { tool } = this.known
    return tool?.telemetryBuilder === undefined && Object.isFrozen(outcome) && Object.isFrozen(outcome.provenance)
  }

  /** What operators are told of the end. @throws where the clock fails. */
  telemetry(outcome: ToolOutcome): ToolTelemetry {
    const { tool, startedAt } = this.known
    if (tool?.telemetryBuilder === undefined) return toolTelemetry(outcome)
    return toolTelemetry(outcome, {
      tool: tool.spec,
      meta: this.known.meta,
      start: startedAt,
      end: this.#effects.now(),
      builder: tool.telemetryBuilder,
    })
  }
}

/** The events of one call, in their order: one start, its updates, one end. */
export class CallEvents {
  readonly #scope: EventScope
  readonly #known: KnownCall
  #started = false

  constructor(scope: EventScope, known: KnownCall) {
    this.#scope = scope
    this.#known = known
  }

  /**
   * Tells of the start, with the call hint over the payload where there is one and the arguments are valid. A payload
   * adapter is the application's own and may take its time: the call goes on, and the start is told when the payload is
   * known, before anything else of the call is.
   *
   * @param request absent for a call that is refused
   */
  start(request: CallRequest | undefined): void {
    const { tool, startedAt } = this.#known
    if (tool?.hints.call === undefined || request === undefined) this.#start(undefined, startedAt)
    else this.#startHinted(tool, tool.hints.call, request)
  }

  /** Tells of an update. */
  update(index: number, update: JsonText): Promise<void> | undefined {
    this.#start()
    this.#scope.publish({ type: 'call_updated', call: this.#known.call, index, update })
    return this.#scope.room()
  }

  /**
   * Tells of the end, with the result hint where there is one and the call completed.
   *
   * @param telemetry absent where it follows from the outcome, whenever it is asked for
   * @param at when the call ended, where the clock was read just now
   */
  end(outcome: ToolOutcome, telemetry: ToolTelemetry | undefined, at?: number): void {
    this.#start()
    const { call, tool } = this.#known
    const hint =
      tool?.hints.result === undefined || outcome.status !== 'completed'
        ? undefined
        : tool.hints.result(outcome.result.data)
    const body: NotedBody = { type: 'call_ended', call, title: this.#title(), outcome, telemetry }
    this.#scope.publish(hint === undefined ? body : Object.assign(body, { hint }), at)
  }

  #startHinted(tool: BoundTool, template: HintTemplate, request: CallRequest): void {
    const tell = (decoded?: Decoded<unknown>): void => {
      this.#start(decoded && callHint(tool, template, request.meta, decoded))
    }
    const now = request.decodedNow()
    // Where the adapter fails, the call itself will tell.
    if (now === undefined) request.decoded().then(tell, () => tell())
    else tell(now)
  }

  /** @param at when the call began, where that is now */
  #start(hint?: string, at?: number): void {
    if (this.#started) return
    this.#started = true
    const { call, arguments: sent } = this.#known
    const body: EventBody = { type: 'call_started', call, title: this.#title(), arguments: sent }
    this.#scope.publish(hint === undefined ? body : Object.assign(body, { hint }), at)
  }

  #title(): string {
    const { tool, call } = this.#known
    return tool?.spec.title ?? call.tool
  }
}

/** The call hint over the payload; `undefined` where the arguments are invalid. */
function callHint(
  tool: BoundTool,
  template: HintTemplate,
  meta: ToolCallMeta,
  decoded: Decoded<unknown>,
): string | undefined {
  if (!decoded.ok || typeof decoded.value !== 'object' || decoded.value === null) return undefined
  if (tool.serverOwned.length === 0) return template(decoded.value)
  const owned = tool.serverOwned.map(({ field, from }) => [field, metaValue(meta, from)])
  return template(Object.fromEntries([...Object.entries(decoded.value), ...owned]))
}

/** The outcome of a call whose clock or source of ids has failed: nothing is known of it but what its caller gave. */
export function internalFailure(call: ToolCallRef, rejected: JsonText, cause: unknown): ToolOutcome {
  const failure = { reason: 'internal', message: FIXED_MESSAGES.internal } as const
  return failedOutcome(failure, { call, rejected, durationMs: 0, attempts: 0, cause })
}
