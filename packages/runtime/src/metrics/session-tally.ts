import type { SessionFigures } from '../contract/metrics.js'
import type { SessionEvent, SessionFailure } from '../contract/session-event.js'
import type { SessionUsage } from '../contract/session-usage.js'
import { isSessionError } from '../session/session-error.js'
import { FailureTally } from './failure-tally.js'
import { OTHER } from './other.js'
import { spread } from './spread.js'
import { TimedTally } from './timed-tally.js'

/** Counts what becomes of sessions. */
export class SessionTally {
  readonly #done = {
    opened: new TimedTally(),
    restored: new TimedTally(),
    saved: new TimedTally(),
    closed: new TimedTally(),
  }
  readonly #failures: Readonly<Record<SessionFailure, FailureTally>> = {
    open_failed: new FailureTally(),
    save_failed: new FailureTally(),
    close_failed: new FailureTally(),
  }
  #superseded = 0
  #interruptedCalls = 0
  #cutCalls = 0

  record(event: SessionEvent): void {
    switch (event.type) {
      case 'restored':
        this.#interruptedCalls += event.interrupted.length
        this.#done.restored.record(event.durationMs)
        return
      case 'opened':
      case 'saved':
      case 'closed':
        this.#done[event.type].record(event.durationMs)
        return
      case 'calls_cut':
        this.#cutCalls += event.calls.length
        return
      case 'superseded':
        this.#superseded += 1
        return
      default:
        this.#failures[event.type].count(isSessionError(event.error) ? event.error.code : OTHER)
    }
  }

  /** @param usage of all sessions that are open */
  figures(usage: readonly SessionUsage[]): SessionFigures {
    const { opened, restored, saved, closed } = this.#done
    const { open_failed, save_failed, close_failed } = this.#failures
    return {
      open: usage.length,
      pendingCalls: spread(usage.map(({ pendingCalls }) => pendingCalls)),
      entries: spread(usage.map(({ entries }) => entries)),
      bytes: spread(usage.map(({ bytes }) => bytes)),
      unsaved: spread(usage.map(({ unsaved }) => unsaved)),
      opened: opened.figures(),
      restored: restored.figures(),
      openFailures: open_failed.figures(),
      saved: saved.figures(),
      saveFailures: save_failed.figures(),
      closed: closed.figures(),
      closeFailures: close_failed.figures(),
      superseded: this.#superseded,
      interruptedCalls: this.#interruptedCalls,
      cutCalls: this.#cutCalls,
    }
  }
}
