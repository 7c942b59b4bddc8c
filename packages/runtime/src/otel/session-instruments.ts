import type { Attributes, Meter } from '@opentelemetry/api'
import type { SessionEvent } from '../contract/session-event.js'
import { OTHER } from '../metrics/other.js'
import { isSessionError } from '../session/session-error.js'
import { ERROR_TYPE, TOOLGEN } from './attribute-names.js'

/** The bounds that the conventions advise for what databases do, in seconds. */
const STORE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** What counts and measures what becomes of sessions. No attribute names a session or a user. */
export interface SessionInstruments {
  happened(event: SessionEvent): void
}

/** Makes the instruments of a meter. */
export function sessionInstruments(meter: Meter): SessionInstruments {
  const seconds = (name: string, description: string) => {
    const advice = { explicitBucketBoundaries: STORE_SECONDS }
    const histogram = meter.createHistogram(`toolgen.session.${name}.duration`, { unit: 's', description, advice })
    return (durationMs: number, attributes?: Attributes): void => histogram.record(durationMs / 1_000, attributes)
  }
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`toolgen.session.${name}`, { unit, description })
  const opened = seconds('open', 'How long sessions took to be opened or restored.')
  const saved = seconds('save', 'How long the store took to save a session.')
  const closed = seconds('close', 'How long sessions took to be closed, with the wait for calls under way.')
  const interrupted = counter('interrupted_calls', '{call}', 'Calls that ended with the process that had them.')
  const cut = counter('cut_calls', '{call}', 'Calls that had not ended when their session was closed.')
  const superseded = counter('superseded', '{session}', 'Sessions that were opened elsewhere.')
  const happened = (event: SessionEvent): void => {
    switch (event.type) {
      case 'opened':
        opened(event.durationMs, { [TOOLGEN.sessionOrigin]: 'new' })
        break
      case 'restored':
        if (event.interrupted.length > 0) interrupted.add(event.interrupted.length)
        opened(event.durationMs, { [TOOLGEN.sessionOrigin]: 'stored' })
        break
      case 'open_failed':
        opened(event.durationMs, failed(event.error))
        break
      case 'saved':
        saved(event.durationMs)
        break
      case 'save_failed':
        saved(event.durationMs, failed(event.error))
        break
      case 'calls_cut':
        cut.add(event.calls.length)
        break
      case 'closed':
        closed(event.durationMs)
        break
      case 'close_failed':
        closed(event.durationMs, failed(event.error))
        break
      case 'superseded':
        superseded.add(1)
        break
    }
  }
  return { happened }
}

function failed(error: Error): Attributes {
  return { [ERROR_TYPE]: isSessionError(error) ? error.code : OTHER }
}
