import { type Attributes, type BatchObservableCallback, type Meter, metrics } from '@opentelemetry/api'
import { isSessionError } from '../sessions/session-error.js'
import type { ObservableSessions, SessionEvent, SessionUsage } from '../types/session.js'
import { OTHER } from './metrics.js'
import { ERROR_TYPE, SCOPE, TOOLGEN } from './otel-spans.js'
import type { OtelTracerOptions } from './otel-tracer.js'

/**
 * Metrics of the sessions of a registry: how many are open and what they hold, how long opening, restoring, saving and
 * closing takes, and how it fails. Calls in sessions are told to the tracer as everywhere. Set up the SDK first: without a
 * provider nothing is measured, then and later.
 *
 * @returns ends that
 * @throws what the OpenTelemetry SDK throws when instruments are made
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store })
 * otelSessions(sessions)
 */
export function otelSessions(
  sessions: ObservableSessions,
  { meterProvider }: Pick<OtelTracerOptions, 'meterProvider'> = {},
): () => void {
  const meter = (meterProvider ?? metrics).getMeter(SCOPE)
  const { happened } = sessionInstruments(meter)
  const unobserve = usageGauges(meter, () => sessions.usage())
  const unsubscribe = sessions.subscribe(happened)
  return () => {
    unsubscribe()
    unobserve()
  }
}

/** The bounds that the conventions advise for what databases do, in seconds. */
const STORE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** What counts and measures what becomes of sessions. No attribute names a session or a user. */
interface SessionInstruments {
  happened(event: SessionEvent): void
}

/** Makes the instruments of a meter. */
function sessionInstruments(meter: Meter): SessionInstruments {
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
  const cut = counter('timed_out_calls', '{call}', 'Calls that had not ended when their session was closed.')
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
      case 'calls_timed_out':
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

/** What is measured of each open session: the end of the metric's name, its unit and what it says. */
const MEASURED = [
  ['pending_calls', '{call}', 'calls of streaming tools that are under way', 'pendingCalls'],
  ['entries', '{entry}', 'entries that nobody has taken', 'entries'],
  ['memory', 'By', 'memory of the entries that nobody has taken, roughly', 'bytes'],
  ['unsaved', '{change}', 'changes that wait for the store', 'unsaved'],
] as const

/**
 * Observes what open sessions hold whenever metrics are collected: of all together, which may be added up over processes,
 * and of the one that holds most.
 *
 * @returns ends that
 */
function usageGauges(meter: Meter, usage: () => readonly SessionUsage[]): () => void {
  const open = meter.createObservableUpDownCounter('toolgen.session.count', {
    unit: '{session}',
    description: 'Open sessions.',
  })
  const gauges = MEASURED.map(([name, unit, what, field]) => ({
    field,
    total: meter.createObservableUpDownCounter(`toolgen.session.${name}`, {
      unit,
      description: `Of all open sessions together: ${what}.`,
    }),
    largest: meter.createObservableGauge(`toolgen.session.${name}.max`, {
      unit,
      description: `Of the session that holds most: ${what}.`,
    }),
  }))
  const observe: BatchObservableCallback = (observer) => {
    const sessions = usage()
    observer.observe(open, sessions.length)
    for (const { field, total, largest } of gauges) {
      let [sum, most] = [0, 0]
      for (const { [field]: value } of sessions) {
        sum += value
        most = Math.max(most, value)
      }
      observer.observe(total, sum)
      observer.observe(largest, most)
    }
  }
  const observed = [open, ...gauges.flatMap(({ total, largest }) => [total, largest])]
  meter.addBatchObservableCallback(observe, observed)
  return () => meter.removeBatchObservableCallback(observe, observed)
}
