import type { Mutable } from '../types/json.js'
import type { EventBody, EventOrigin, EventSink, RunEvent } from '../types/run.js'
import { ignoreErrors, toolTelemetry } from './telemetry.js'

/** Where the events of one run, or of one call outside a run, go. */
interface EventTargets {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly sinks: readonly EventSink[]
  /** Told first of each event. */
  readonly log?: {
    push(event: RunEvent): void
    /** Where nobody else is told: the log makes the event when it is asked for. */
    note(note: PendingEvent): void
    room(): Promise<void> | undefined
  }
}

/** How far the events of a scope have come. */
interface Progress {
  sequence: number
  isClosed: boolean
}

/** Numbers the events of one run, or of one call outside a run, and tells them. */
export class EventScope {
  readonly #origin: EventOrigin
  readonly #targets: EventTargets
  readonly #progress: Progress
  readonly #isLasting: boolean

  /**
   * @param begun how many events there have been before, where a run goes on that was suspended
   * @param lasts the scope that this one goes on for; see {@link EventScope.lasting}
   */
  constructor(origin: EventOrigin, targets: EventTargets, begun = 0, lasts?: EventScope) {
    this.#origin = origin
    this.#targets = targets
    this.#progress = lasts === undefined ? { sequence: begun, isClosed: false } : lasts.#progress
    this.#isLasting = lasts !== undefined
  }

  /** How many events there have been. */
  get count(): number {
    return this.#progress.sequence
  }

  /**
   * The same scope for calls that outlive their run: what they tell when it is closed is told to the sinks alone, and
   * who iterates over the events holds none of them up.
   */
  lasting(): EventScope {
    return new EventScope(this.#origin, this.#targets, 0, this)
  }

  /**
   * Tells everybody. Never throws. The body is taken over: it becomes the event.
   *
   * @param at when it happened, where the clock was read already
   */
  publish(body: NotedBody, at?: number): void {
    const progress = this.#progress
    if (this.#isOver()) return
    progress.sequence += 1
    const note: PendingEvent = { origin: this.#origin, body, at: at ?? this.#now(), sequence: progress.sequence }
    const { sinks, log } = this.#targets
    if (log !== undefined && sinks.length === 0 && !progress.isClosed) log.note(note)
    else this.#tell(createEvent(note))
  }

  /** Passes an event of a run beneath on, as it is. Never throws. */
  relay(event: RunEvent): void {
    if (!this.#isOver()) this.#tell(event)
  }

  /** Nothing follows: what a layer still does after the end of its run is not told. */
  close(): void {
    this.#progress.isClosed = true
  }

  /** Resolves when those who iterate over the events have caught up; `undefined` where nobody is behind. */
  room(): Promise<void> | undefined {
    return this.#isLasting ? undefined : this.#targets.log?.room()
  }

  #isOver(): boolean {
    return this.#progress.isClosed && !this.#isLasting
  }

  #tell(event: RunEvent): void {
    const { sinks, log } = this.#targets
    if (!this.#progress.isClosed) log?.push(event)
    for (const sink of sinks) ignoreErrors(() => sink(event))
  }

  /** The time; that of the epoch where the clock fails, which the call or run itself will tell of. */
  #now(): number {
    try {
      return this.#targets.now()
    } catch {
      return 0
    }
  }
}

/** The end of a call whose telemetry follows from its outcome: it is made with the event. */
type PlainEnd = Omit<Extract<EventBody, { readonly type: 'call_ended' }>, 'telemetry'> & {
  readonly telemetry?: undefined
}

/** What happened, as far as it has been made. */
export type NotedBody = EventBody | PlainEnd

/** Something that happened, of which nobody has asked for the event yet. */
export interface PendingEvent extends Pick<RunEvent, 'at' | 'sequence'> {
  readonly origin: EventOrigin
  /** Taken over: it becomes the event. */
  readonly body: NotedBody
}

function wholeBody(body: NotedBody): EventBody {
  if (body.type !== 'call_ended' || body.telemetry !== undefined) return body
  return Object.assign(body, { telemetry: toolTelemetry(body.outcome) })
}

/** The event of a note, to be made once. Field by field: joining objects costs more than all else here. */
export function createEvent({ origin, body, at, sequence }: PendingEvent): RunEvent {
  const { runId, agent, sessionId, turnId, parentToolCallId } = origin
  const event: Mutable<EventOrigin> & EventBody & { at?: number; sequence?: number } = wholeBody(body)
  event.at = at
  event.sequence = sequence
  if (runId !== undefined) event.runId = runId
  if (agent !== undefined) event.agent = agent
  if (sessionId !== undefined) event.sessionId = sessionId
  if (turnId !== undefined) event.turnId = turnId
  if (parentToolCallId !== undefined) event.parentToolCallId = parentToolCallId
  return Object.freeze(event as RunEvent)
}
