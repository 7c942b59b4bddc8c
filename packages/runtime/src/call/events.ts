import type { Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { EventBody, EventOrigin, EventSink, RunEvent } from '../types/run.js'
import { ignoreErrors, toolTelemetry } from './telemetry.js'

interface EventTargets {
  readonly now: () => number
  readonly sinks: readonly EventSink[]
  readonly log?: {
    push(event: RunEvent | PendingEvent): void
    room(): Promise<void> | undefined
  }
}

/** Event without telemetry, which is computed from the outcome when code reads the event. */
type PlainEnd = Omit<Extract<EventBody, { readonly type: 'call_ended' }>, 'telemetry'> & {
  readonly telemetry?: undefined
}

export type PendingBody = EventBody | PlainEnd

export interface PendingEvent extends Pick<RunEvent, 'at' | 'sequence'> {
  readonly origin: EventOrigin
  /** This object becomes the event, so do not change the object later. */
  readonly body: PendingBody
}

export class EventScope {
  readonly #origin: EventOrigin
  readonly #targets: EventTargets
  readonly #progress: { sequence: number; isClosed: boolean }
  readonly #isLasting: boolean

  /**
   * @param count number of events of the run before its suspension; 0 for a new run
   * @param continued existing scope of the same run; both scopes share one sequence of numbers
   */
  constructor(origin: EventOrigin, targets: EventTargets, count = 0, continued?: EventScope, isLasting = false) {
    this.#origin = origin
    this.#targets = targets
    this.#progress = continued === undefined ? { sequence: count, isClosed: false } : continued.#progress
    this.#isLasting = isLasting
  }

  get count(): number {
    return this.#progress.sequence
  }

  /** After the end of a run, sinks receive the events of this scope, but the handle of the run does not. */
  lasting(): EventScope {
    return new EventScope(this.#origin, this.#targets, 0, this, true)
  }

  withSinks(sinks: readonly EventSink[]): EventScope {
    const all = new Set([...this.#targets.sinks, ...sinks])
    if (all.size === this.#targets.sinks.length) return this
    return new EventScope(this.#origin, { ...this.#targets, sinks: [...all] }, 0, this, this.#isLasting)
  }

  /** Never throws. `body` becomes the event, so do not change the object later. */
  publish(body: PendingBody, at?: number): void {
    const progress = this.#progress
    if (this.#isOver()) return
    progress.sequence += 1
    const event: PendingEvent = { origin: this.#origin, body, at: at ?? this.now(), sequence: progress.sequence }
    const { sinks, log } = this.#targets
    if (log !== undefined && sinks.length === 0 && !progress.isClosed) log.push(event)
    else this.#send(createEvent(event))
  }

  relay(event: RunEvent): void {
    if (!this.#isOver()) this.#send(event)
  }

  /** Drops later events, for example of a layer that is still running, except events of a {@link lasting} scope. */
  close(): void {
    this.#progress.isClosed = true
  }

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

  /** Returns 0 if the clock fails. */
  now(): number {
    try {
      return this.#targets.now()
    } catch {
      // The call or run fails with the same error.
      return 0
    }
  }
}

export function createEvent({ origin, body, at, sequence }: PendingEvent): RunEvent {
  const { runId, agent, sessionId, turnId, parentToolCallId, parentRunId } = origin
  const event: Mutable<EventOrigin> & EventBody & { at?: number; sequence?: number } = completeBody(body)
  // Assigns the properties one by one, because a spread would be much slower.
  event.at = at
  event.sequence = sequence
  if (runId !== undefined) event.runId = runId
  if (agent !== undefined) event.agent = agent
  if (sessionId !== undefined) event.sessionId = sessionId
  if (turnId !== undefined) event.turnId = turnId
  if (parentToolCallId !== undefined) event.parentToolCallId = parentToolCallId
  if (parentRunId !== undefined) event.parentRunId = parentRunId
  return Object.freeze(event as RunEvent)
}

function completeBody(body: PendingBody): EventBody {
  if (body.type !== 'call_ended' || body.telemetry !== undefined) return body
  return Object.assign(body, { telemetry: toolTelemetry(body.outcome) })
}

/** A step publishes the `call_ended` events of its suspended calls only when the step ends, because the step can still cancel the calls. */
export class SuspendedCallEnds {
  #ends: { readonly outcome: ToolOutcome; readonly end: (last: ToolOutcome) => void }[] | undefined = []

  add(outcome: ToolOutcome, end: (last: ToolOutcome) => void): void {
    if (this.#ends === undefined) end(outcome)
    else this.#ends.push({ outcome, end })
  }

  end(last: (outcome: ToolOutcome) => ToolOutcome): void {
    const ends = this.#ends ?? []
    this.#ends = undefined
    for (const { outcome, end } of ends) end(last(outcome))
  }
}
