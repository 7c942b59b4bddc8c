/**
 * Metrics of calls, runs and sessions without OpenTelemetry: `@toolgen/runtime/metrics`.
 *
 * @module
 */

export { RuntimeMetrics } from './adapters/metrics.js'
export type { MetricsSnapshot } from './adapters/metrics-snapshot.js'
