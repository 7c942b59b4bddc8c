import type { EventBody, EventOrigin, EventSink, RunEvent } from '../contract/event.js'

/** Where the events of one run, or of one call outside a run, go. */
export interface EventTargets {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly sinks: readonly EventSink[]
  /** Told first of each event. */
  readonly log?: { push(event: RunEvent): void; room(): Promise<void> | undefined }
}

/** Numbers the events of one run, or of one call outside a run, and tells them. */
export class EventScope {
  readonly #origin: EventOrigin
  readonly #targets: EventTargets
  #sequence = 0

  constructor(origin: EventOrigin, targets: EventTargets) {
    this.#origin = origin
    this.#targets = targets
  }

  /** Tells everybody. Never throws. */
  publish(body: EventBody): void {
    const { now, sinks, log } = this.#targets
    this.#sequence += 1
    const event: RunEvent = Object.freeze({ ...this.#origin, at: now(), sequence: this.#sequence, ...body })
    log?.push(event)
    for (const sink of sinks) tell(sink, event)
  }

  /** Resolves when those who iterate over the events have caught up; `undefined` where nobody is behind. */
  room(): Promise<void> | undefined {
    return this.#targets.log?.room()
  }
}

/** Documented: what a sink throws is dropped. */
function tell(sink: EventSink, event: RunEvent): void {
  try {
    const told = sink(event)
    if (told !== undefined) Promise.resolve(told).catch(() => undefined)
  } catch {
    // The sink has its own ways to report; the call goes on.
  }
}
