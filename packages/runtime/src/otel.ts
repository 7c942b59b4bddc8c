/**
 * Spans and metrics for OpenTelemetry: `@toolgen/runtime/otel`.
 *
 * @module
 */
export { otelSessions } from './otel/otel-sessions.js'
export type { OtelTracerOptions } from './otel/otel-tracer.js'
export { otelTracer } from './otel/otel-tracer.js'
