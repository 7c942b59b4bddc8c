import { metrics } from '@opentelemetry/api'
import type { ObservableSessions } from '../contract/session-usage.js'
import { SCOPE } from './attribute-names.js'
import type { OtelTracerOptions } from './otel-tracer.js'
import { sessionInstruments } from './session-instruments.js'
import { usageGauges } from './usage-gauges.js'

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
