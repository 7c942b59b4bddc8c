import { type MeterProvider, metrics, type TracerProvider, trace } from '@opentelemetry/api'
import type { EndedCall, Tracer } from '../contract/telemetry.js'
import { SCOPE } from './attribute-names.js'
import { callEnd, callStart } from './call-span.js'
import { type Instruments, instrumentsOf } from './instruments.js'
import { runEnd, runStart } from './run-span.js'
import { inSpan } from './span.js'

/** How a tracer for OpenTelemetry differs from the default one. */
export interface OtelTracerOptions {
  /** Makes the spans; default: the provider that is registered globally. */
  readonly tracerProvider?: TracerProvider
  /** Makes the metrics; default: the provider that is registered globally when the first call or run ends. */
  readonly meterProvider?: MeterProvider
  /**
   * Whether spans hold arguments, results and the messages of failures, each cut at 8,192 characters. They are likely to
   * hold personal data. Default false.
   */
  readonly captureContent?: boolean
}

/**
 * Spans and metrics after the OpenTelemetry conventions for generative AI: `execute_tool {tool}` for each call,
 * `invoke_agent {agent}` for each run. A span is the active one while its work runs, so that what clients trace inside
 * belongs to it; that needs a context manager, which OpenTelemetry's SDK for Node registers.
 *
 * @example
 * const runtime = new Runtime({ tracer: otelTracer() })
 */
export function otelTracer({ tracerProvider, meterProvider, captureContent = false }: OtelTracerOptions = {}): Tracer {
  const tracer = (tracerProvider ?? trace).getTracer(SCOPE)
  let instruments: Instruments | undefined
  const measured = (): Instruments => {
    // Unlike the tracer, a meter that was asked for before the SDK was set up never measures anything.
    instruments ??= instrumentsOf((meterProvider ?? metrics).getMeter(SCOPE))
    return instruments
  }
  return {
    async call(traced, work) {
      const describe = (answer: EndedCall) => callEnd(answer, captureContent)
      const ended = await inSpan(tracer, callStart(traced, captureContent), { work, describe })
      measured().callEnded(traced, ended)
      return ended
    },
    async run(meta, work) {
      const run = await inSpan(tracer, runStart(meta), { work, describe: runEnd })
      measured().runEnded(run)
      return run
    },
  }
}
