import type { ToolCallRef } from '../../contract/call.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolCallMeta } from '../../contract/meta.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { EndedCall, ToolTelemetry, Tracer } from '../../contract/telemetry.js'
import { toolTelemetry } from '../../event/tool-telemetry.js'
import { traced } from '../../event/traced.js'
import type { CallRequest } from '../pipeline/call-request.js'
import type { BoundTool } from '../tool/bound-tool.js'
import type { CallEvents } from './call-events.js'

/** A call that somebody observes. */
export interface ObservedCall {
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  readonly meta: ToolCallMeta
  /** Absent where the call is refused. */
  readonly request: CallRequest | undefined
  readonly now: () => number
}

/** Who observes a call. */
export interface Observers {
  readonly events: CallEvents | undefined
  readonly tracer: Tracer | undefined
}

/** Runs a call between its two events, accompanied by the tracer. Rejects only where `work` does. */
export async function observedCall(
  observed: ObservedCall,
  { events, tracer }: Observers,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { call, tool, meta, request } = observed
  events?.start(tool, request)
  const ended = async (): Promise<EndedCall> => {
    const outcome = await work()
    const telemetry = telemetryOf(observed, outcome)
    events?.end(tool, outcome, telemetry)
    return { outcome, telemetry }
  }
  if (tracer === undefined) return (await ended()).outcome
  const span = {
    call,
    arguments: observed.arguments,
    ...(tool !== undefined && { tool: tool.spec }),
    meta,
  }
  return (await traced((inSpan) => tracer.call(span, inSpan), ended)).outcome
}

function telemetryOf({ tool, meta, startedAt, now }: ObservedCall, outcome: ToolOutcome): ToolTelemetry {
  if (tool?.telemetryBuilder === undefined) return toolTelemetry(outcome)
  return toolTelemetry(outcome, {
    tool: tool.spec,
    meta,
    start: startedAt,
    end: now(),
    builder: tool.telemetryBuilder,
  })
}
