/**
 * Metrics of calls, runs and sessions without OpenTelemetry: `@toolgen/runtime/metrics`.
 *
 * @module
 */

export type { MetricsSnapshot } from './adapters/metrics.js'
export { RuntimeMetrics } from './adapters/metrics.js'
