import type { Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { EventBody, EventOrigin, EventSink, RunEvent } from '../types/run.js'
import { ignoreErrors, toolTelemetry } from './telemetry.js'

/** Receivers of the events of one run, or of one call outside a run. */
interface EventTargets {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly sinks: readonly EventSink[]
  readonly log?: {
    /** Receives pending events if there are no sinks: the log creates the events on demand. */
    push(event: RunEvent | PendingEvent): void
    room(): Promise<void> | undefined
  }
}

/** The end of a call whose telemetry follows from its outcome: it is created with the event. */
type PlainEnd = Omit<Extract<EventBody, { readonly type: 'call_ended' }>, 'telemetry'> & {
  readonly telemetry?: undefined
}

/** The body of an event, perhaps without its telemetry. */
export type PendingBody = EventBody | PlainEnd

/** An event that is created on demand. */
export interface PendingEvent extends Pick<RunEvent, 'at' | 'sequence'> {
  readonly origin: EventOrigin
  /** Becomes the event. */
  readonly body: PendingBody
}

/** Numbers and publishes the events of one run, or of one call outside a run. */
export class EventScope {
  readonly #origin: EventOrigin
  readonly #targets: EventTargets
  readonly #progress: { sequence: number; isClosed: boolean }
  readonly #isLasting: boolean

  /**
   * @param count number of earlier events of a resumed run
   * @param lasts the scope that this one continues; see {@link EventScope.lasting}
   */
  constructor(origin: EventOrigin, targets: EventTargets, count = 0, lasts?: EventScope) {
    this.#origin = origin
    this.#targets = targets
    this.#progress = lasts === undefined ? { sequence: count, isClosed: false } : lasts.#progress
    this.#isLasting = lasts !== undefined
  }

  get count(): number {
    return this.#progress.sequence
  }

  /** The same scope for calls that outlive their run: once it is closed, only the sinks receive their events. */
  lasting(): EventScope {
    return new EventScope(this.#origin, this.#targets, 0, this)
  }

  /**
   * Publishes an event. Never throws. The body becomes the event.
   *
   * @param at time of the event, where the clock was read already
   */
  publish(body: PendingBody, at?: number): void {
    const progress = this.#progress
    if (this.#isOver()) return
    progress.sequence += 1
    const event: PendingEvent = { origin: this.#origin, body, at: at ?? this.#now(), sequence: progress.sequence }
    const { sinks, log } = this.#targets
    if (log !== undefined && sinks.length === 0 && !progress.isClosed) log.push(event)
    else this.#send(createEvent(event))
  }

  /** Passes on an event of a nested run, as it is. Never throws. */
  relay(event: RunEvent): void {
    if (!this.#isOver()) this.#send(event)
  }

  /** Ends the scope: what a layer still does after the end of its run is not published. */
  close(): void {
    this.#progress.isClosed = true
  }

  /** Resolves when iterators over the events have caught up; `undefined` if none is behind. */
  room(): Promise<void> | undefined {
    return this.#isLasting ? undefined : this.#targets.log?.room()
  }

  #isOver(): boolean {
    return this.#progress.isClosed && !this.#isLasting
  }

  #send(event: RunEvent): void {
    const { sinks, log } = this.#targets
    if (!this.#progress.isClosed) log?.push(event)
    for (const sink of sinks) ignoreErrors(() => sink(event))
  }

  #now(): number {
    try {
      return this.#targets.now()
    } catch {
      // The call or run itself fails for this reason.
      return 0
    }
  }
}

/** Creates the event, once. Field by field: joining objects costs more than all else here. */
export function createEvent({ origin, body, at, sequence }: PendingEvent): RunEvent {
  const { runId, agent, sessionId, turnId, parentToolCallId } = origin
  const event: Mutable<EventOrigin> & EventBody & { at?: number; sequence?: number } = completeBody(body)
  event.at = at
  event.sequence = sequence
  if (runId !== undefined) event.runId = runId
  if (agent !== undefined) event.agent = agent
  if (sessionId !== undefined) event.sessionId = sessionId
  if (turnId !== undefined) event.turnId = turnId
  if (parentToolCallId !== undefined) event.parentToolCallId = parentToolCallId
  return Object.freeze(event as RunEvent)
}

function completeBody(body: PendingBody): EventBody {
  if (body.type !== 'call_ended' || body.telemetry !== undefined) return body
  return Object.assign(body, { telemetry: toolTelemetry(body.outcome) })
}

/**
 * The ends of the suspended calls of one step. They are published when the step ends, since a final value or a cancelled
 * run cancels these calls.
 */
export class SuspendedCallEnds {
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
