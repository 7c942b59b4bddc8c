import type { ToolCallRef } from '../contract/call.js'
import type { ToolLayer } from '../contract/layer.js'
import type { ToolOutcome } from '../contract/outcome.js'
import { unheard } from '../event/unheard.js'

/** One passage of a call through a tracing layer. */
export interface TraceSpan {
  readonly call: ToolCallRef
  /** 1 for the first attempt, where the layer stands beneath a retry. */
  readonly attempt: number
  /** In milliseconds since the epoch. */
  readonly start: number
  readonly durationMs: number
  readonly status: ToolOutcome['status']
}

/**
 * Reports each passage of a call through this place of the layers. Spans for OpenTelemetry come from
 * `@toolgen/runtime/otel`. What `report` throws is dropped.
 *
 * @param now milliseconds since the epoch; default: the machine's clock
 *
 * @example
 * runConfig().layer(tracing((span) => console.debug(span.call.tool, span.status, span.durationMs)))
 */
export function tracing(report: (span: TraceSpan) => void, now: () => number = Date.now): ToolLayer {
  return (next) => async (request) => {
    const start = now()
    const outcome = await next(request)
    const { call, meta } = request
    const { status } = outcome
    unheard(() => report({ call, attempt: meta.attempt, start, durationMs: Math.max(0, now() - start), status }))
    return outcome
  }
}
