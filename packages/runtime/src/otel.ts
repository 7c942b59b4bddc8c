/**
 * Spans and metrics for OpenTelemetry: `@toolgen/runtime/otel`.
 *
 * @module
 */
export { otelSessions } from './adapters/otel-metrics.js'
export type { OtelTracerOptions } from './adapters/otel-tracer.js'
export { otelTracer } from './adapters/otel-tracer.js'
