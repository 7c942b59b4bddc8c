import {
  type Attributes,
  type BatchObservableCallback,
  type Meter,
  type MeterProvider,
  metrics,
} from '@opentelemetry/api'
import type { AgentRun, TracedCall, TracedOutcome } from '../types/run.js'
import type { ObservableSessions } from '../types/session.js'
import { OTHER, sessionErrorCode } from './metrics.js'

/** Name of the tracer and the meter. */
export const SCOPE = '@toolgen/runtime'

/** Bucket bounds that the conventions recommend, in seconds. */
const CALL_SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const RUN_SECONDS = [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6]
const STORE_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

/** Creates a histogram of durations. @returns a function that records milliseconds */
function durations(
  meter: Meter,
  name: string,
  description: string,
  explicitBucketBoundaries: number[],
): (durationMs: number, attributes?: Attributes) => void {
  const histogram = meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries } })
  return (durationMs, attributes) => histogram.record(durationMs / 1_000, attributes)
}

/** Records metrics of calls and runs. No attribute has a value that a model or a user chose. */
interface CallInstruments {
  callEnded(call: TracedCall, ended: TracedOutcome): void
  runEnded(run: AgentRun): void
}

export function callInstruments(meter: Meter): CallInstruments {
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
  const addTokens = (attributes: Attributes, input: number | undefined, output: number | undefined): void => {
    if (input !== undefined && input > 0) tokens.add(input, { ...attributes, 'gen_ai.token.type': 'input' })
    if (output !== undefined && output > 0) tokens.add(output, { ...attributes, 'gen_ai.token.type': 'output' })
  }
  return {
    callEnded({ tool, meta }, { telemetry }) {
      const { status, reason, durationMs, model, promptTokens, completionTokens } = telemetry
      const subject: Attributes = {
        'gen_ai.tool.name': tool?.toolName ?? OTHER,
        ...(meta?.agent !== undefined && { 'gen_ai.agent.name': meta.agent }),
      }
      const failed: Attributes = reason === undefined ? subject : { ...subject, 'error.type': reason }
      callDuration(durationMs, { ...failed, 'gen_ai.tool.type': 'function' })
      calls.add(1, { ...failed, 'toolgen.call.status': status })
      // A suspended call reports its tokens again when it ends.
      if (status === 'suspended') return
      const ofModel = model !== undefined && { 'toolgen.call.model': model }
      addTokens({ ...subject, 'gen_ai.operation.name': 'execute_tool', ...ofModel }, promptTokens, completionTokens)
    },
    runEnded(run) {
      const { agent, usage } = run
      const reason = runFailureReason(run)
      const subject: Attributes = { 'gen_ai.agent.name': agent }
      runDuration(usage.durationMs, { ...subject, ...(reason !== undefined && { 'error.type': reason }) })
      addTokens({ ...subject, 'gen_ai.operation.name': 'invoke_agent' }, usage.promptTokens, usage.completionTokens)
    },
  }
}

/** Returns why a run failed; `undefined` if it completed, was stopped by a limit, or is suspended. */
export function runFailureReason({ status, error }: AgentRun): string | undefined {
  if (status === 'cancelled') return 'cancelled'
  return status === 'failed' ? (error?.reason ?? 'internal') : undefined
}

/**
 * Records metrics of the sessions of a registry: their number and content, and durations and failures of opening, restoring,
 * saving and closing. Calls in sessions are recorded by the tracer. Set up the SDK first: without a provider nothing is
 * recorded, then and later.
 *
 * @returns a function that ends that
 * @throws what the OpenTelemetry SDK throws when instruments are created
 *
 * @example
 * const sessions = new SessionRegistry({ agents: { support }, store })
 * otelSessions(sessions)
 */
export function otelSessions(
  sessions: ObservableSessions,
  { meterProvider }: { readonly meterProvider?: MeterProvider } = {},
): () => void {
  const meter = (meterProvider ?? metrics).getMeter(SCOPE)
  const duration = (name: string, description: string) =>
    durations(meter, `toolgen.session.${name}.duration`, description, STORE_SECONDS)
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`toolgen.session.${name}`, { unit, description })
  const opened = duration('open', 'How long sessions took to be opened or restored.')
  const saved = duration('save', 'How long the store took to save a session.')
  const closed = duration('close', 'How long sessions took to be closed, with the wait for calls under way.')
  const interrupted = counter('interrupted_calls', '{call}', 'Calls that ended with the process that had them.')
  const timedOut = counter('timed_out_calls', '{call}', 'Calls that had not ended when their session was closed.')
  const superseded = counter('superseded', '{session}', 'Sessions that were opened elsewhere.')
  const failed = (error: Error): Attributes => ({ 'error.type': sessionErrorCode(error) })
  const unobserve = observeUsage(meter, sessions)
  const unsubscribe = sessions.subscribe((event) => {
    switch (event.type) {
      case 'opened':
        return opened(event.durationMs, { 'toolgen.session.origin': 'new' })
      case 'restored':
        if (event.interrupted.length > 0) interrupted.add(event.interrupted.length)
        return opened(event.durationMs, { 'toolgen.session.origin': 'stored' })
      case 'open_failed':
        return opened(event.durationMs, failed(event.error))
      case 'saved':
        return saved(event.durationMs)
      case 'save_failed':
        return saved(event.durationMs, failed(event.error))
      case 'calls_timed_out':
        return timedOut.add(event.calls.length)
      case 'closed':
        return closed(event.durationMs)
      case 'close_failed':
        return closed(event.durationMs, failed(event.error))
      case 'superseded':
        return superseded.add(1)
    }
  })
  return () => {
    unsubscribe()
    unobserve()
  }
}

/** Values of each open session: end of the metric's name, unit, description and field. */
const USAGE = [
  ['pending_calls', '{call}', 'calls of streaming tools that are under way', 'pendingCalls'],
  ['entries', '{entry}', 'entries that nobody has taken', 'entries'],
  ['memory', 'By', 'memory of the entries that nobody has taken, roughly', 'bytes'],
  ['unsaved', '{change}', 'changes that wait for the store', 'unsaved'],
] as const

/**
 * Observes the content of open sessions whenever metrics are collected: the sum, which can be added up over processes, and
 * the maximum of a session.
 */
function observeUsage(meter: Meter, sessions: ObservableSessions): () => void {
  const open = meter.createObservableUpDownCounter('toolgen.session.count', {
    unit: '{session}',
    description: 'Open sessions.',
  })
  const gauges = USAGE.map(([name, unit, description, field]) => ({
    field,
    total: meter.createObservableUpDownCounter(`toolgen.session.${name}`, {
      unit,
      description: `Of all open sessions together: ${description}.`,
    }),
    largest: meter.createObservableGauge(`toolgen.session.${name}.max`, {
      unit,
      description: `Of the session that holds most: ${description}.`,
    }),
  }))
  const observe: BatchObservableCallback = (observer) => {
    const usage = sessions.usage()
    observer.observe(open, usage.length)
    for (const { field, total, largest } of gauges) {
      let [sum, max] = [0, 0]
      for (const { [field]: value } of usage) {
        sum += value
        max = Math.max(max, value)
      }
      observer.observe(total, sum)
      observer.observe(largest, max)
    }
  }
  const observed = [open, ...gauges.flatMap(({ total, largest }) => [total, largest])]
  meter.addBatchObservableCallback(observe, observed)
  return () => meter.removeBatchObservableCallback(observe, observed)
}
