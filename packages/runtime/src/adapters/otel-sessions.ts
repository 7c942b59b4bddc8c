import {
  type Attributes,
  type BatchObservableCallback,
  type Meter,
  type MeterProvider,
  metrics,
} from '@opentelemetry/api'
import type { ObservableSessions } from '../types/session.js'
import { sessionErrorCode } from './metrics-counters.js'

export const SCOPE = '@toolgen/runtime'

const STORE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

export function durations(
  meter: Meter,
  name: string,
  description: string,
  explicitBucketBoundaries: number[],
): (durationMs: number, attributes?: Attributes) => void {
  const histogram = meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
  return (durationMs, attributes) => histogram.record(durationMs / 1_000, attributes)
}

/**
 * Records metrics of the sessions in a registry. The metrics include the numbers of open sessions, of streaming calls in progress, and of results
 * that the application has not consumed, and the durations and failures of opening, restoring, saving and closing. The calls in sessions are
 * recorded by `otelTracer`. Set up the OpenTelemetry SDK before you call this function. Without the SDK, the function records nothing.
 *
 * @returns a function that stops the recording
 * @throws errors of the OpenTelemetry SDK if the SDK cannot create the metrics
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store })
 * otelSessions(sessions)
 */
export function otelSessions(
  sessions: ObservableSessions,
  { meterProvider }: { readonly meterProvider?: MeterProvider } = {},
): () => void {
  const meter = (meterProvider ?? metrics).getMeter(SCOPE)
  const duration = (name: string, description: string) =>
    durations(meter, `toolgen.session.${name}.duration`, description, STORE_SECONDS)
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`toolgen.session.${name}`, { unit, description })
  const opened = duration('open', 'Duration of opening or restoring a session.')
  const saved = duration('save', 'Duration of saving a session in the store.')
  const closed = duration('close', 'Duration of closing a session, including the wait for calls in progress.')
  const interrupted = counter('interrupted_calls', '{call}', 'Calls that failed because their process ended.')
  const timedOut = counter('timed_out_calls', '{call}', 'Calls that timed out because their session was closed.')
  const superseded = counter('superseded', '{session}', 'Sessions that ended because another process opened them.')
  const failed = (error: Error): Attributes => ({ 'error.type': sessionErrorCode(error) })
  const unobserve = observeUsage(meter, sessions)
  const unsubscribe = sessions.subscribe((event) => {
    switch (event.type) {
      case 'opened':
        return opened(event.durationMs, { 'toolgen.session.origin': 'new' })
      case 'restored':
        if (event.interrupted.length > 0) interrupted.add(event.interrupted.length)
        return opened(event.durationMs, { 'toolgen.session.origin': 'stored' })
      case 'open_failed':
        return opened(event.durationMs, failed(event.error))
      case 'saved':
        return saved(event.durationMs)
      case 'save_failed':
        return saved(event.durationMs, failed(event.error))
      case 'calls_timed_out':
        return timedOut.add(event.calls.length)
      case 'closed':
        return closed(event.durationMs)
      case 'close_failed':
        return closed(event.durationMs, failed(event.error))
      case 'superseded':
        return superseded.add(1)
    }
  })
  return () => {
    unsubscribe()
    unobserve()
  }
}

const USAGE = [
  ['pending_calls', '{call}', 'streaming calls in progress', 'pendingCalls'],
  ['entries', '{entry}', 'entries that were not consumed', 'entries'],
  ['memory', 'By', 'approximate memory of entries that were not consumed', 'bytes'],
  ['unsaved', '{change}', 'changes that are not stored yet', 'unsaved'],
] as const

function observeUsage(meter: Meter, sessions: ObservableSessions): () => void {
  const open = meter.createObservableUpDownCounter('toolgen.session.count', {
    unit: '{session}',
    description: 'Open sessions.',
  })
  const gauges = USAGE.map(([name, unit, description, field]) => ({
    field,
    total: meter.createObservableUpDownCounter(`toolgen.session.${name}`, {
      unit,
      description: `Total of all open sessions: ${description}.`,
    }),
    largest: meter.createObservableGauge(`toolgen.session.${name}.max`, {
      unit,
      description: `Largest value of a single open session: ${description}.`,
    }),
  }))
  const observe: BatchObservableCallback = (observer) => {
    const usage = sessions.usage()
    observer.observe(open, usage.length)
    for (const { field, total, largest } of gauges) {
      let [sum, max] = [0, 0]
      for (const { [field]: value } of usage) {
        sum += value
        max = Math.max(max, value)
      }
      observer.observe(total, sum)
      observer.observe(largest, max)
    }
  }
  const observed = [open, ...gauges.flatMap(({ total, largest }) => [total, largest])]
  meter.addBatchObservableCallback(observe, observed)
  return () => meter.removeBatchObservableCallback(observe, observed)
}
