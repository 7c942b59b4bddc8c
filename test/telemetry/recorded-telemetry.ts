import { type Attributes, context, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, type ReadableSpan, type Span, type SpanProcessor } from '@opentelemetry/sdk-trace-base'

/** A span with its child spans, in the order of their start. */
export interface SpanTree {
  readonly name: string
  readonly kind: string
  readonly status: string
  readonly message?: string
  readonly attributes: Attributes
  /** Absent if the span has no events. */
  readonly events?: readonly { readonly name: string; readonly attributes: Attributes | undefined }[]
  readonly children: readonly SpanTree[]
}

/** One point of a metric. For a histogram, its count and sum. */
export interface MetricPoint {
  readonly attributes: Attributes
  readonly value: unknown
}

/** Telemetry providers that record spans and metrics. */
export interface RecordedTelemetry {
  readonly tracerProvider: BasicTracerProvider
  readonly meterProvider: MeterProvider
  /** Tracer for a client inside an executor. */
  readonly client: Tracer
  /** Returns the recorded spans. @throws if a span has not ended or has ended twice */
  trees(): readonly SpanTree[]
  points(metric: string): Promise<readonly MetricPoint[]>
  /** Returns the bucket bounds of a histogram. */
  bounds(metric: string): Promise<unknown>
}

class Recorder implements SpanProcessor {
  readonly started: Span[] = []
  readonly ended: ReadableSpan[] = []
  onStart(span: Span): void {
    this.started.push(span)
  }
  onEnd(span: ReadableSpan): void {
    this.ended.push(span)
  }
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

class Reader extends MetricReader {
  protected async onForceFlush(): Promise<void> {}
  protected async onShutdown(): Promise<void> {}
}

/** Makes active spans follow asynchronous calls. Returns a function that restores the previous state. */
export function followContext(): () => void {
  const manager = new AsyncLocalStorageContextManager().enable()
  context.setGlobalContextManager(manager)
  return () => {
    context.disable()
    trace.disable()
  }
}

export function recordTelemetry(): RecordedTelemetry {
  const recorder = new Recorder()
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [recorder] })
  const reader = new Reader()
  const meterProvider = new MeterProvider({ readers: [reader] })
  const collected = async (name: string) => {
    const { resourceMetrics } = await reader.collect()
    return resourceMetrics.scopeMetrics.flatMap(({ metrics }) =>
      metrics.filter((each) => each.descriptor.name === name),
    )
  }
  return {
    tracerProvider,
    meterProvider,
    client: tracerProvider.getTracer('client'),
    trees() {
      const { started, ended } = recorder
      if (started.length !== ended.length || new Set(ended).size !== ended.length) {
        throw new Error(`${started.length} spans began and ${ended.length} ended`)
      }
      return childrenOf(undefined, started)
    },
    async points(name) {
      return (await collected(name))
        .flatMap(({ dataPoints }): readonly { attributes: Attributes; value: unknown }[] => dataPoints)
        .map(({ attributes, value }) => ({ attributes, value: countAndSum(value) }))
    },
    async bounds(name) {
      const values = (await collected(name)).flatMap(({ dataPoints }): readonly { value: unknown }[] => dataPoints)
      return boundariesOf(values[0]?.value)
    },
  }
}

function countAndSum(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('count' in value) || !('sum' in value)) return value
  return { count: value.count, sum: value.sum }
}

function boundariesOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('buckets' in value)) return undefined
  const { buckets } = value
  return typeof buckets === 'object' && buckets !== null && 'boundaries' in buckets ? buckets.boundaries : undefined
}

function childrenOf(parent: string | undefined, spans: readonly Span[]): readonly SpanTree[] {
  return spans
    .filter((span) => span.parentSpanContext?.spanId === parent)
    .map((span) => ({
      name: span.name,
      kind: SpanKind[span.kind],
      status: SpanStatusCode[span.status.code],
      ...(span.status.message !== undefined && { message: span.status.message }),
      attributes: span.attributes,
      ...(span.events.length > 0 && { events: span.events.map(({ name, attributes }) => ({ name, attributes })) }),
      children: childrenOf(span.spanContext().spanId, spans),
    }))
}
