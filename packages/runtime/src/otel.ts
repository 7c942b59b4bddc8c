/**
 * Spans and metrics for OpenTelemetry: `@toolgen/runtime/otel`.
 *
 * @module
 */
export { otelTracer } from './adapters/otel.js'
export { otelSessions } from './adapters/otel-sessions.js'
