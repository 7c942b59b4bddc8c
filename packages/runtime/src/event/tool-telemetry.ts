import type { JsonValue } from '../contract/json.js'
import type { ToolOutcome } from '../contract/outcome.js'
import type { TelemetryBuilder, TelemetryFacts, ToolTelemetry } from '../contract/telemetry.js'

/**
 * What an ended call tells operators: the one builder of all providers. Tokens are known where the executor gave
 * `promptTokens` and `completionTokens` in the `extra` of its provenance.
 */
export function toolTelemetry(
  outcome: ToolOutcome,
  facts?: Omit<TelemetryFacts, 'outcome' | 'extras'> & { readonly builder: TelemetryBuilder | undefined },
): ToolTelemetry {
  const { durationMs, attempts, model, service, extra = {} } = outcome.provenance
  const attributes = facts?.builder && attributesOf(facts.builder, { ...facts, outcome, extras: extra })
  return {
    status: outcome.status,
    ...(outcome.status === 'failed' && { reason: outcome.hint.reason }),
    durationMs,
    attempts,
    ...(model !== undefined && { model }),
    ...(service !== undefined && { service }),
    ...tokensOf(extra),
    structured: outcome.status === 'completed' && /^[[{]/.test(outcome.json),
    ...(attributes !== undefined && { attributes }),
  }
}

function tokensOf(
  extra: Readonly<Record<string, JsonValue>>,
): Pick<ToolTelemetry, 'promptTokens' | 'completionTokens'> {
  const { promptTokens, completionTokens } = extra
  return {
    ...(typeof promptTokens === 'number' && { promptTokens }),
    ...(typeof completionTokens === 'number' && { completionTokens }),
  }
}

function attributesOf(
  builder: TelemetryBuilder,
  { tool, meta, start, end, outcome, extras }: TelemetryFacts,
): Readonly<Record<string, JsonValue>> | undefined {
  try {
    return builder({ tool, meta, start, end, outcome, extras })
  } catch {
    // Documented: telemetry never changes what becomes of a call.
    return undefined
  }
}
