/** Spans and metrics for OpenTelemetry: `@toolgen/runtime/otel`. */
export type { OtelTracerOptions } from './otel/otel-tracer.js'
export { otelTracer } from './otel/otel-tracer.js'
