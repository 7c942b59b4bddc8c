import type { Effects } from '../../contract/effects.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { ToolTelemetry } from '../../contract/telemetry.js'
import { toolTelemetry } from '../../event/tool-telemetry.js'
import type { CallEvents } from './call-events.js'
import type { KnownCall } from './known-call.js'

/** A call that ends before those who observe it. */
export class ObservedCall {
  readonly known: KnownCall
  readonly #effects: Pick<Effects, 'now'>
  readonly #events: CallEvents | undefined

  /** @param events absent where nobody listens */
  constructor(known: KnownCall, effects: Pick<Effects, 'now'>, events: CallEvents | undefined) {
    this.known = known
    this.#effects = effects
    this.#events = events
  }

  /**
   * Tells of the end, the moment that the outcome is there, and gives it back.
   *
   * @param isNow whether the outcome was made this very moment: its own reading of the clock counts
   * @throws where the clock fails.
   */
  ended(outcome: ToolOutcome, isNow: boolean): ToolOutcome {
    const at = isNow ? this.known.startedAt + outcome.provenance.durationMs : undefined
    this.#events?.end(outcome, this.#isPlain(outcome) ? undefined : this.telemetry(outcome), at)
    return outcome
  }

  /** Tells of the end where the telemetry is known already. */
  endedAs(outcome: ToolOutcome, telemetry: ToolTelemetry): void {
    this.#events?.end(outcome, telemetry)
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
