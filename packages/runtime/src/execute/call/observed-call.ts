import type { Effects } from '../../contract/effects.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { ToolTelemetry } from '../../contract/telemetry.js'
import { toolTelemetry } from '../../event/tool-telemetry.js'
import type { CallEvents } from './call-events.js'
import type { KnownCall } from './known-call.js'

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
