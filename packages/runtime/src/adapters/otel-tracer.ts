import {
  type Attributes,
  type Meter,
  type MeterProvider,
  metrics,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import type { AgentRun, TracedCall, TracedOutcome, Tracer } from '../types/run.js'
import { OTHER } from './metrics.js'
import {
  callEnd,
  callStart,
  ERROR_TYPE,
  GEN_AI,
  inSpan,
  runEnd,
  runFailureReason,
  runStart,
  SCOPE,
  TOOLGEN,
} from './otel-spans.js'

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
      const describe = (answer: TracedOutcome) => callEnd(answer, captureContent)
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

/** The bounds that the conventions advise, in seconds. */
const CALL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const RUN_SECONDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]

/** What counts and measures calls and runs. No attribute holds what a model or a user made up. */
interface Instruments {
  callEnded(traced: TracedCall, ended: TracedOutcome): void
  runEnded(run: AgentRun): void
}

/** Makes the instruments of a meter. */
function instrumentsOf(meter: Meter): Instruments {
  const callSeconds = meter.createHistogram('gen_ai.execute_tool.duration', {
    unit: 's',
    description: 'The duration of a single tool execution.',
    advice: { explicitBucketBoundaries: CALL_SECONDS },
  })
  const runSeconds = meter.createHistogram('gen_ai.invoke_agent.duration', {
    unit: 's',
    description: 'The duration of a single agent invocation.',
    advice: { explicitBucketBoundaries: RUN_SECONDS },
  })
  const calls = meter.createCounter('toolgen.tool.calls', { unit: '{call}', description: 'Ended calls of tools.' })
  const tokens = meter.createCounter('toolgen.token.usage', {
    unit: '{token}',
    description: 'Tokens that tools and planners reported.',
  })
  const addTokens = (of: Attributes, input: number | undefined, output: number | undefined): void => {
    if (input !== undefined && input > 0) tokens.add(input, { ...of, [GEN_AI.tokenType]: 'input' })
    if (output !== undefined && output > 0) tokens.add(output, { ...of, [GEN_AI.tokenType]: 'output' })
  }
  return {
    callEnded({ tool, meta }, { telemetry }) {
      const { status, reason, durationMs, model, promptTokens, completionTokens } = telemetry
      const subject: Attributes = {
        [GEN_AI.tool]: tool?.toolName ?? OTHER,
        ...(meta?.agent !== undefined && { [GEN_AI.agent]: meta.agent }),
      }
      const failed: Attributes = reason === undefined ? subject : { ...subject, [ERROR_TYPE]: reason }
      callSeconds.record(durationMs / 1_000, { ...failed, [GEN_AI.toolType]: 'function' })
      calls.add(1, { ...failed, [TOOLGEN.callStatus]: status })
      // A call that waits reports its tokens again, with those that follow, when it ends.
      if (status === 'suspended' || (promptTokens === undefined && completionTokens === undefined)) return
      const spender: Attributes = {
        ...subject,
        [GEN_AI.operation]: 'execute_tool',
        ...(model !== undefined && { [TOOLGEN.model]: model }),
      }
      addTokens(spender, promptTokens, completionTokens)
    },
    runEnded(run) {
      const { agent, usage } = run
      const reason = runFailureReason(run)
      const subject: Attributes = { [GEN_AI.agent]: agent }
      runSeconds.record(usage.durationMs / 1_000, { ...subject, ...(reason !== undefined && { [ERROR_TYPE]: reason }) })
      addTokens({ ...subject, [GEN_AI.operation]: 'invoke_agent' }, usage.promptTokens, usage.completionTokens)
    },
  }
}
