import type { ToolCallRef } from '../../contract/call.js'
import type { Effects } from '../../contract/effects.js'
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
  readonly effects: Pick<Effects, 'now'>
}

/** Who observes a call. */
export interface Observers {
  readonly events: CallEvents | undefined
  readonly tracer: Tracer | undefined
}

/** Told of the outcome of a call the moment that it is there; gives it back. */
export type Ended = (outcome: ToolOutcome) => ToolOutcome

/**
 * Runs a call between its two events, accompanied by the tracer. Rejects only where `work` does.
 *
 * @param request absent where the call is refused
 */
export function observedCall(
  observed: ObservedCall,
  request: CallRequest | undefined,
  { events, tracer }: Observers,
  work: (ended: Ended) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  events?.start(observed.tool, request)
  if (tracer !== undefined) return tracedCall(observed, { events, tracer }, work)
  if (events === undefined) return work(untold)
  return work((outcome) => {
    events.end(observed.tool, outcome, telemetryOf(observed, outcome))
    return outcome
  })
}

const untold: Ended = (outcome) => outcome

async function tracedCall(
  observed: ObservedCall,
  { events, tracer }: { readonly events: CallEvents | undefined; readonly tracer: Tracer },
  work: (ended: Ended) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { call, arguments: sent, tool, meta } = observed
  const span = { call, arguments: sent, ...(tool !== undefined && { tool: tool.spec }), meta }
  const told = async (): Promise<EndedCall> => {
    const outcome = await work(untold)
    const telemetry = telemetryOf(observed, outcome)
    events?.end(tool, outcome, telemetry)
    return { outcome, telemetry }
  }
  return (await traced((inSpan) => tracer.call(span, inSpan), told)).outcome
}

function telemetryOf({ tool, meta, startedAt, effects }: ObservedCall, outcome: ToolOutcome): ToolTelemetry {
  if (tool?.telemetryBuilder === undefined) return toolTelemetry(outcome)
  return toolTelemetry(outcome, {
    tool: tool.spec,
    meta,
    start: startedAt,
    end: effects.now(),
    builder: tool.telemetryBuilder,
  })
}
