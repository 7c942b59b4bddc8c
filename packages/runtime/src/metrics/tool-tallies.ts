import type { CallFigures } from '../contract/metrics.js'
import type { ToolTelemetry } from '../contract/telemetry.js'
import { CallTally } from './call-tally.js'
import { OTHER } from './other.js'

/** Counts calls by tool, for so many tools at most. */
export class ToolTallies {
  readonly #byTool = new Map<string, CallTally>()
  readonly #maxTools: number

  constructor(maxTools: number) {
    this.#maxTools = maxTools
  }

  /** @param tool the tool's id; `undefined` where there is no such tool */
  record(tool: string | undefined, telemetry: ToolTelemetry): void {
    this.#tallyOf(tool ?? OTHER).record(telemetry)
  }

  figures(): Readonly<Record<string, CallFigures>> {
    return Object.fromEntries([...this.#byTool].map(([tool, tally]) => [tool, tally.figures()]))
  }

  #tallyOf(tool: string): CallTally {
    const known = this.#byTool.get(tool)
    if (known !== undefined) return known
    if (tool !== OTHER && this.#byTool.size - (this.#byTool.has(OTHER) ? 1 : 0) >= this.#maxTools) {
      return this.#tallyOf(OTHER)
    }
    const tally = new CallTally()
    this.#byTool.set(tool, tally)
    return tally
  }
}
