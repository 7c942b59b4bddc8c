import type { CallFigures } from '../contract/metrics.js'
import type { FailureReason } from '../contract/retry-hint.js'
import type { ToolTelemetry } from '../contract/telemetry.js'
import { FailureTally } from './failure-tally.js'
import { TimedTally } from './timed-tally.js'

/** Counts calls that have ended. */
export class CallTally {
  readonly #timed = new TimedTally()
  readonly #failures = new FailureTally<FailureReason>()
  #suspended = 0

  record({ status, reason, durationMs }: ToolTelemetry): void {
    this.#timed.record(durationMs)
    if (reason !== undefined) this.#failures.count(reason)
    else if (status === 'suspended') this.#suspended += 1
  }

  figures(): CallFigures {
    const timed = this.#timed.figures()
    const { total: failed } = this.#failures
    return {
      ...timed,
      completed: timed.count - failed - this.#suspended,
      failed,
      suspended: this.#suspended,
      failures: this.#failures.figures(),
    }
  }
}
