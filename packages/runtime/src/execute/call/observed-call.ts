import type { ToolCallRef } from '../../contract/call.js'
import type { Effects } from '../../contract/effects.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { ToolTelemetry } from '../../contract/telemetry.js'
import { toolTelemetry } from '../../event/tool-telemetry.js'
import type { BoundTool } from '../tool/bound-tool.js'
import type { CallEvents } from './call-events.js'

/** What is known of a call before anything becomes of it. */
export interface KnownCall {
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  readonly meta: ToolCallMeta
}

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

  /** Tells of the end, the moment that the outcome is there, and gives it back. @throws where the clock fails. */
  ended(outcome: ToolOutcome): ToolOutcome {
    this.#events?.end(this.known.tool, outcome, this.telemetry(outcome))
    return outcome
  }

  /** Tells of the end where the telemetry is known already. */
  endedAs(outcome: ToolOutcome, telemetry: ToolTelemetry): void {
    this.#events?.end(this.known.tool, outcome, telemetry)
  }

  /** What operators are told of the end. @throws where the clock fails. */
  telemetry(outcome: ToolOutcome): ToolTelemetry {
    const { tool, meta, startedAt } = this.known
    if (tool?.telemetryBuilder === undefined) return toolTelemetry(outcome)
    return toolTelemetry(outcome, {
      tool: tool.spec,
      meta,
      start: startedAt,
      end: this.#effects.now(),
      builder: tool.telemetryBuilder,
    })
  }
}
