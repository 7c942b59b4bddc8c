import type { ToolCallRef } from '../../contract/call.js'
import type { JsonText } from '../../contract/json.js'
import type { ToolOutcome } from '../../contract/outcome.js'
import type { EndedCall, Tracer } from '../../contract/telemetry.js'
import type { EventScope } from '../../event/event-scope.js'
import { hintText } from '../../event/hint-text.js'
import { toolTelemetry } from '../../event/tool-telemetry.js'
import { traced } from '../../event/traced.js'
import type { CallRequest } from '../pipeline/call-request.js'
import type { BoundTool } from '../tool/bound-tool.js'
import { metaValue } from '../tool/meta-value.js'

/** A call that somebody observes. */
export interface ObservedCall {
  readonly call: ToolCallRef
  readonly arguments: JsonText
  readonly startedAt: number
  /** Absent for an unknown tool. */
  readonly tool: BoundTool | undefined
  /** Absent where the call is refused. */
  readonly request: CallRequest | undefined
  readonly now: () => number
}

/** Who observes a call. */
export interface Observers {
  readonly events: EventScope | undefined
  readonly tracer: Tracer | undefined
}

/** Runs a call between its two events, accompanied by the tracer. `work` never rejects, and neither does this. */
export async function observedCall(
  observed: ObservedCall,
  { events, tracer }: Observers,
  work: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { call, tool, request } = observed
  const title = tool?.spec.title ?? call.tool
  if (events !== undefined) {
    const hint = await callHint(observed)
    events.publish({
      type: 'call_started',
      call,
      title,
      arguments: observed.arguments,
      ...(hint !== undefined && { hint }),
    })
  }
  const ended = async (): Promise<EndedCall> => {
    const outcome = await work()
    const telemetry = telemetryOf(observed, outcome)
    if (events !== undefined) {
      const hint = resultHint(tool, outcome)
      events.publish({ type: 'call_ended', call, title, outcome, ...(hint !== undefined && { hint }), telemetry })
    }
    return { outcome, telemetry }
  }
  if (tracer === undefined) return (await ended()).outcome
  const span = {
    call,
    arguments: observed.arguments,
    ...(tool !== undefined && { tool: tool.spec }),
    ...(request !== undefined && { meta: request.meta }),
  }
  return (await traced((inSpan) => tracer.call(span, inSpan), ended)).outcome
}

function telemetryOf({ tool, request, startedAt, now }: ObservedCall, outcome: ToolOutcome): EndedCall['telemetry'] {
  if (tool === undefined || request === undefined) return toolTelemetry(outcome)
  const { meta } = request
  return toolTelemetry(outcome, {
    tool: tool.spec,
    meta,
    start: startedAt,
    end: now(),
    builder: tool.telemetryBuilder,
  })
}

/** The call hint over the payload; `undefined` where there is none or the arguments are invalid. */
async function callHint({ tool, request }: ObservedCall): Promise<string | undefined> {
  if (tool?.hints.call === undefined || request === undefined) return undefined
  try {
    const decoded = await request.decode()
    if (!decoded.ok || typeof decoded.value !== 'object') return undefined
    const owned = tool.serverOwned.map(({ field, from }) => [field, metaValue(request.meta, from)])
    return hintText(tool.hints.call, owned.length === 0 ? decoded.value : withFields(decoded.value, owned))
  } catch {
    // The payload adapter failed: the call itself will tell.
    return undefined
  }
}

function withFields(value: object | null, fields: readonly (readonly unknown[])[]): object {
  return Object.fromEntries([...Object.entries(value ?? {}), ...fields.map(([name, field]) => [name, field])])
}

function resultHint(tool: BoundTool | undefined, outcome: ToolOutcome): string | undefined {
  if (tool?.hints.result === undefined || outcome.status !== 'completed') return undefined
  return hintText(tool.hints.result, outcome.result.data)
}
