import type { ToolOutcome } from '../../contract/outcome.js'
import type { EndedCall, Tracer } from '../../contract/telemetry.js'
import { traced } from '../../event/traced.js'
import type { ObservedCall } from './observed-call.js'

/** Runs a call within a span of the tracer. Rejects only where `work` or the clock does. */
export async function tracedCall(
  tracer: Tracer,
  observed: ObservedCall,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { call, arguments: sent, tool, meta } = observed.known
  const span = { call, arguments: sent, ...(tool !== undefined && { tool: tool.spec }), meta }
  const told = async (): Promise<EndedCall> => {
    const outcome = await work()
    const telemetry = observed.telemetry(outcome)
    observed.endedAs(outcome, telemetry)
    return { outcome, telemetry }
  }
  return (await traced((inSpan) => tracer.call(span, inSpan), told)).outcome
}
