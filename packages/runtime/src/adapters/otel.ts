import {
  type Attributes,
  context,
  type Meter,
  type MeterProvider,
  metrics,
  type Tracer as OtelTracer,
  propagation,
  SpanKind,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api'
import { classify } from '../call/classify.js'
import type { Issue } from '../types/codec.js'
import type { ModelResponse, RunMeta } from '../types/planner.js'
import type { AgentRun, McpConnectionInfo, TracedCall, TracedOutcome, Tracer } from '../types/run.js'
import { OTHER } from './metrics-counters.js'
import { attributeValue, bounded, MAX_LENGTH, present, type SpanEnd, type SpanStart } from './otel-attributes.js'
import { modelEnd, modelInstruments, modelStart } from './otel-model.js'
import { durations, SCOPE } from './otel-sessions.js'

/** Upper bounds of histogram buckets, in seconds. `CALL_SECONDS` contains the bounds that the OpenTelemetry conventions recommend. */
const CALL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const RUN_SECONDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]

/** The attributes never contain values that models or users choose, because each new value would create a new time series. */
function callInstruments(meter: Meter) {
  const callDuration = durations(
    meter,
    'gen_ai.execute_tool.duration',
    'The duration of a single tool execution.',
    CALL_SECONDS,
  )
  const runDuration = durations(
    meter,
    'gen_ai.invoke_agent.duration',
    'The duration of a single agent invocation.',
    RUN_SECONDS,
  )
  const calls = meter.createCounter('toolgen.tool.calls', { unit: '{call}', description: 'Ended calls of tools.' })
  const tokens = meter.createCounter('toolgen.token.usage', {
    unit: '{token}',
    description: 'Tokens that tools and planners reported.',
  })
  const cost = meter.createCounter('toolgen.run.cost', {
    description: 'Cost of runs with their nested runs, in the currency of the prices.',
  })
  const addTokens = (attributes: Attributes, input: number | undefined, output: number | undefined): void => {
    if (input !== undefined && input > 0) tokens.add(input, { ...attributes, 'gen_ai.token.type': 'input' })
    if (output !== undefined && output > 0) tokens.add(output, { ...attributes, 'gen_ai.token.type': 'output' })
  }
  const reports = meter.createCounter('toolgen.guardrail.reports', {
    description: 'Values that guardrails flagged, rewrote or blocked.',
  })
  return {
    guardrailReported(attributes: Attributes): void {
      reports.add(1, attributes)
    },
    callEnded({ tool, meta }: TracedCall, { telemetry }: TracedOutcome): void {
      const { status, reason, durationMs, model, promptTokens, completionTokens } = telemetry
      const subject: Attributes = {
        'gen_ai.tool.name': tool?.toolName ?? OTHER,
        ...(meta?.agent !== undefined && { 'gen_ai.agent.name': meta.agent }),
      }
      const failed: Attributes = reason === undefined ? subject : { ...subject, 'error.type': reason }
      callDuration(durationMs, { ...failed, 'gen_ai.tool.type': 'function' })
      calls.add(1, { ...failed, 'toolgen.call.status': status })
      // A suspended call reports its tokens when it ends.
      if (status === 'suspended') return
      const ofModel = model !== undefined && { 'toolgen.call.model': model }
      addTokens({ ...subject, 'gen_ai.operation.name': 'execute_tool', ...ofModel }, promptTokens, completionTokens)
    },
    runEnded(run: AgentRun): void {
      const { agent, usage } = run
      const reason = runFailureReason(run)
      const subject: Attributes = { 'gen_ai.agent.name': agent }
      runDuration(usage.durationMs, { ...subject, ...(reason !== undefined && { 'error.type': reason }) })
      addTokens({ ...subject, 'gen_ai.operation.name': 'invoke_agent' }, usage.promptTokens, usage.completionTokens)
      if (usage.cost !== undefined) cost.add(usage.cost, subject)
    },
  }
}

function runFailureReason({ status, error }: AgentRun): string | undefined {
  if (status === 'cancelled') return 'cancelled'
  return status === 'failed' ? (error?.reason ?? 'internal') : undefined
}

export interface OtelTracerOptions {
  /** OpenTelemetry provider for spans. Default: the global provider. */
  readonly tracerProvider?: TracerProvider
  /** OpenTelemetry provider for metrics. Default: the provider that is registered globally when the first call or run ends. */
  readonly meterProvider?: MeterProvider
  /**
   * If `true`, spans contain arguments, results, failure messages, and the messages and tool definitions of model requests. Each text has
   * at most 8,192 characters, and all messages of a request at most 65,536. Default: `false`.
   */
  readonly captureContent?: boolean
}

/**
 * Returns a tracer that creates spans and metrics according to the OpenTelemetry conventions for generative AI:
 * - a span `invoke_agent {agent}` for each run,
 * - a span `chat {model}` for each request to a model,
 * - a span `execute_tool {tool}` for each call.
 *
 * A span is active while its run, request or call is in progress, so that spans of your clients become its children. Active spans require a
 * context manager, which the OpenTelemetry SDK for Node registers. The tracer sends the trace context to MCP servers. For a call from an MCP
 * client, the span continues the trace of this client.
 *
 * @example
 * const runtime = new Runtime({ tracer: otelTracer() })
 */
export function otelTracer({ tracerProvider, meterProvider, captureContent = false }: OtelTracerOptions = {}): Tracer {
  const tracer = (tracerProvider ?? trace).getTracer(SCOPE)
  let instruments:
    | (ReturnType<typeof callInstruments> & { modelEnded: ReturnType<typeof modelInstruments> })
    | undefined
  const measured = () => {
    if (instruments !== undefined) return instruments
    // The meter is created late: if it is created before the OpenTelemetry SDK is set up, it never records anything.
    const meter = (meterProvider ?? metrics).getMeter(SCOPE)
    instruments = { ...callInstruments(meter), modelEnded: modelInstruments(meter) }
    return instruments
  }
  return {
    async call(call, work) {
      const describe = (ended: TracedOutcome) => callEnd(ended, captureContent)
      const ended = await inSpan(tracer, callStart(call, captureContent), work, describe)
      measured().callEnded(call, ended)
      return ended
    },
    async run(meta, work) {
      const run = await inSpan(tracer, runStart(meta), work, runEnd)
      measured().runEnded(run)
      return run
    },
    async model(call, work) {
      const start = performance.now()
      const describe = (response: ModelResponse) => modelEnd(response, captureContent)
      try {
        const response = await inSpan(tracer, modelStart(call, captureContent), work, describe)
        measured().modelEnded(call, performance.now() - start, response)
        return response
      } catch (error) {
        measured().modelEnded(call, performance.now() - start, undefined, classify(error, 0).reason)
        throw error
      }
    },
    guardrail({ stage, guardrail, action, message, call }, { agent }) {
      const attributes = {
        'toolgen.guardrail.name': guardrail,
        'toolgen.guardrail.stage': stage,
        'toolgen.guardrail.action': action,
      }
      const content = captureContent && message !== undefined && { 'toolgen.guardrail.message': bounded(message) }
      const ofCall = call !== undefined && { 'gen_ai.tool.call.id': call.toolCallId }
      trace.getActiveSpan()?.addEvent('toolgen.guardrail', { ...attributes, ...ofCall, ...content })
      measured().guardrailReported({ ...attributes, ...(agent !== undefined && { 'gen_ai.agent.name': agent }) })
    },
    mcpConnection(connection) {
      trace.getActiveSpan()?.setAttributes(connectionAttributes(connection))
    },
    traceContext() {
      // The globally registered propagators write these properties.
      const written: { traceparent?: string; tracestate?: string; baggage?: string } = {}
      propagation.inject(context.active(), written)
      const { traceparent, tracestate, baggage } = written
      if (traceparent === undefined) return undefined
      return { traceparent, ...(tracestate !== undefined && { tracestate }), ...(baggage !== undefined && { baggage }) }
    },
  }
}

/**
 * If a request from another process started the work, the span continues the trace of that process, and links to the span that is active in this
 * process.
 */
async function inSpan<Result>(
  tracer: OtelTracer,
  { name, attributes, kind = SpanKind.INTERNAL, parent }: SpanStart,
  work: () => Promise<Result>,
  describe: (result: Result) => SpanEnd,
): Promise<Result> {
  const active = context.active()
  const from = parent === undefined ? active : propagation.extract(active, parent)
  const ambient = parent === undefined ? undefined : trace.getSpanContext(active)
  const links = ambient === undefined ? [] : [{ context: ambient }]
  const span = tracer.startSpan(name, { kind, attributes, links }, from)
  const end = (describeEnd: () => SpanEnd): void => {
    try {
      if (!span.isRecording()) return
      const { attributes, failure } = describeEnd()
      span.setAttributes(attributes)
      if (failure === undefined) return
      const { reason, message } = failure
      span.setAttribute('error.type', reason)
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
    } finally {
      span.end()
    }
  }
  let result: Result
  try {
    result = await context.with(trace.setSpan(from, span), work)
  } catch (error) {
    end(() => ({ attributes: {}, failure: { reason: classify(error, 0).reason } }))
    throw error
  }
  end(() => describe(result))
  return result
}

const MAX_ISSUES = 20

function connectionAttributes({ protocolVersion, sessionId }: McpConnectionInfo): Attributes {
  return present({
    'mcp.protocol.version': protocolVersion && bounded(protocolVersion, MAX_LENGTH.name),
    'mcp.session.id': sessionId && bounded(sessionId),
  })
}

function callStart({ tool, call, meta, arguments: sent, parent, mcp }: TracedCall, captureContent: boolean): SpanStart {
  const isMcp = tool?.provider === 'mcp'
  return {
    kind: mcp !== undefined ? SpanKind.SERVER : isMcp ? SpanKind.CLIENT : SpanKind.INTERNAL,
    ...(parent !== undefined && { parent }),
    // Spans are not named after unknown tools, so that models cannot create span names.
    name: tool === undefined ? 'execute_tool' : `execute_tool ${tool.toolName}`,
    attributes: present({
      'gen_ai.operation.name': 'execute_tool',
      'mcp.method.name': isMcp || mcp !== undefined ? 'tools/call' : undefined,
      ...(mcp !== undefined && connectionAttributes(mcp)),
      'gen_ai.tool.name': tool?.toolName ?? bounded(call.tool, MAX_LENGTH.name),
      'gen_ai.tool.type': 'function',
      'gen_ai.tool.call.id': call.toolCallId,
      'gen_ai.tool.description': tool && bounded(tool.description, MAX_LENGTH.description),
      'toolgen.tool.id': tool && call.tool,
      'toolgen.tool.provider': tool?.provider,
      'gen_ai.agent.name': meta?.agent,
      'gen_ai.conversation.id': meta?.sessionId,
      'toolgen.run.id': meta?.runId,
      'toolgen.turn.id': meta?.turnId,
      'toolgen.call.parent_id': call.parentToolCallId,
      'gen_ai.tool.call.arguments': captureContent ? bounded(sent) : undefined,
    }),
  }
}

function callEnd({ outcome, telemetry }: TracedOutcome, captureContent: boolean): SpanEnd {
  const { issues, attributes: own = {} } = telemetry
  const attributes = present({
    'toolgen.call.status': telemetry.status,
    'toolgen.call.attempts': telemetry.attempts,
    'toolgen.call.structured': telemetry.structured,
    'toolgen.call.service': telemetry.service,
    'toolgen.call.model': telemetry.model,
    'gen_ai.usage.input_tokens': telemetry.promptTokens,
    'gen_ai.usage.output_tokens': telemetry.completionTokens,
    'toolgen.call.children': telemetry.children,
    'toolgen.call.result_bytes': outcome.provenance.cut?.before.bytes,
    'toolgen.call.shown_bytes': outcome.provenance.cut?.after.bytes,
    'toolgen.call.issue_count': issues && issueCount(issues),
    'toolgen.call.issues': issues?.slice(0, MAX_ISSUES).map((issue) => issueText(issue, captureContent)),
    ...Object.fromEntries(
      Object.entries(own).map(([name, value]) => [`toolgen.attributes.${name}`, attributeValue(value)]),
    ),
    'gen_ai.tool.call.result': captureContent && outcome.status === 'completed' ? bounded(outcome.json) : undefined,
  })
  if (outcome.status !== 'failed') return { attributes }
  const { reason, message } = outcome.hint
  // The message can contain arguments or data of the service.
  return { attributes, failure: { reason, ...(captureContent && { message: bounded(message) }) } }
}

function issueCount(issues: readonly Issue[]): number {
  return issues.reduce((sum, issue) => sum + (issue.constraint === 'more_issues' ? issue.count : 1), 0)
}

/** Without `captureContent`, omits the message of the issue, because the message can contain arguments. */
function issueText({ constraint, path, message }: Issue, captureContent: boolean): string {
  const broken = path === '' ? constraint : `${constraint} ${path}`
  return bounded(captureContent ? `${broken}: ${message}` : broken, MAX_LENGTH.issue)
}

function runStart({ agent, runId, sessionId, turnId, parentToolCallId }: RunMeta): SpanStart {
  return {
    name: `invoke_agent ${agent}`,
    attributes: present({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.conversation.id': sessionId,
      'toolgen.run.id': runId,
      'toolgen.turn.id': turnId,
      'toolgen.call.parent_id': parentToolCallId,
    }),
  }
}

function runEnd(run: AgentRun): SpanEnd {
  const { status, stop, usage } = run
  const reason = runFailureReason(run)
  return {
    attributes: present({
      'toolgen.run.status': status,
      'toolgen.run.stop_reason': stop.reason,
      'toolgen.run.turns': usage.turns,
      'toolgen.run.tool_calls': usage.toolCalls,
      // A value of 0 means that the planner reported no tokens, so the attribute is omitted.
      'gen_ai.usage.input_tokens': usage.promptTokens || undefined,
      'gen_ai.usage.output_tokens': usage.completionTokens || undefined,
      'toolgen.run.cost': usage.cost,
      'toolgen.run.model': usage.model,
    }),
    ...(reason !== undefined && { failure: { reason } }),
  }
}
