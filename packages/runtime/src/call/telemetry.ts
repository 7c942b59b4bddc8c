import { isFields } from '../schema/json-values.js'
import type { Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { TelemetryInput, ToolTelemetry } from '../types/run.js'

export function toolTelemetry(
  outcome: ToolOutcome,
  attributesOf?: (extras: TelemetryInput['extras']) => unknown,
): ToolTelemetry {
  const { durationMs, attempts, model, service, children, extra = {} } = outcome.provenance
  const telemetry: Mutable<ToolTelemetry> = {
    status: outcome.status,
    durationMs,
    attempts,
    structured: outcome.status === 'completed' && (outcome.json.startsWith('{') || outcome.json.startsWith('[')),
  }
  if (outcome.status === 'failed') {
    telemetry.reason = outcome.hint.reason
    const { issues } = outcome.error
    if (issues !== undefined) telemetry.issues = issues
  }
  if (model !== undefined) telemetry.model = model
  if (service !== undefined) telemetry.service = service
  if (typeof extra.promptTokens === 'number') telemetry.promptTokens = extra.promptTokens
  if (typeof extra.completionTokens === 'number') telemetry.completionTokens = extra.completionTokens
  if (children !== undefined) telemetry.children = children.length
  ignoreErrors(() => {
    const attributes = attributesOf?.(extra)
    if (attributes instanceof Promise) return attributes
    if (isFields(attributes)) telemetry.attributes = attributes as ToolTelemetry['attributes'] & object
    return undefined
  })
  return telemetry
}

/**
 * Runs `work` exactly once, even if the tracer throws, never ends, or calls `work` several times or not at all.
 *
 * @param span must call its argument synchronously within the span
 */
export function traced<Result>(
  span: (work: () => Promise<Result>) => Promise<unknown>,
  work: () => Promise<Result>,
): Promise<Result> {
  let running: Promise<Result> | undefined
  const once = (): Promise<Result> => {
    running ??= work()
    return running
  }
  ignoreErrors(() => span(once))
  return once()
}

export function ignoreErrors(action: () => unknown): void {
  try {
    const result: unknown = action()
    if (result instanceof Promise) result.catch(() => undefined)
  } catch {}
}
