import type { JsonText, JsonValue, Mutable } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { TelemetryBuilder, TelemetryInput, ToolTelemetry } from '../types/run.js'

/**
 * Returns the telemetry of an ended call, for all providers. Tokens come from `promptTokens` and `completionTokens`
 * in the `extra` of the provenance.
 */
export function toolTelemetry(
  outcome: ToolOutcome,
  facts?: Omit<TelemetryInput, 'outcome' | 'extras'> & { readonly builder: TelemetryBuilder | undefined },
): ToolTelemetry {
  const { durationMs, attempts, model, service, children, extra = {} } = outcome.provenance
  const telemetry: Mutable<ToolTelemetry> = {
    status: outcome.status,
    durationMs,
    attempts,
    structured: outcome.status === 'completed' && isStructured(outcome.json),
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
  const attributes = facts?.builder && attributesOf(facts.builder, { ...facts, outcome, extras: extra })
  if (attributes !== undefined) telemetry.attributes = attributes
  return telemetry
}

function isStructured(json: JsonText): boolean {
  return json.startsWith('{') || json.startsWith('[')
}

function attributesOf(
  builder: TelemetryBuilder,
  { tool, meta, start, end, outcome, extras }: TelemetryInput,
): Readonly<Record<string, JsonValue>> | undefined {
  try {
    const attributes: unknown = builder({ tool, meta, start, end, outcome, extras })
    return isAttributes(attributes) ? attributes : unheardLater(attributes)
  } catch {
    // Documented: telemetry never changes what becomes of a call.
    return undefined
  }
}

function isAttributes(value: unknown): value is Readonly<Record<string, JsonValue>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Promise)
}

/** A builder that answers later says nothing; its failure must not bring the process down. */
function unheardLater(answer: unknown): undefined {
  ignoreErrors(() => answer)
}

/**
 * Does work inside a tracer's span. The work is done exactly once and its answer counts, whatever the tracer does: one
 * that throws, calls it twice, late or never, or does not come to an end itself changes nothing.
 *
 * @param span calls `work` at once, within the span
 */
export function traced<Answer>(
  span: (work: () => Promise<Answer>) => Promise<unknown>,
  work: () => Promise<Answer>,
): Promise<Answer> {
  let running: Promise<Answer> | undefined
  const once = (): Promise<Answer> => {
    running ??= work()
    return running
  }
  ignoreErrors(() => span(once))
  return once()
}

/** Does something for others whose failure, at once or later, concerns nobody here: it is dropped. */
export function ignoreErrors(action: () => unknown): void {
  try {
    const later: unknown = action()
    if (later instanceof Promise) later.catch(() => undefined)
  } catch {
    // The other side has its own ways to report.
  }
}
