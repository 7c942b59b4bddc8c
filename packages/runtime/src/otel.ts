/**
 * Spans and metrics for OpenTelemetry: `@toolgen/runtime/otel`.
 *
 * @module
 */
export { otelSessions, otelTracer } from './adapters/otel.js'
