import type { RunEvent } from '../../packages/runtime/src/index.js'
import type { SpanTree } from '../telemetry/recorded-telemetry.js'
import type { CallFacts, EndedFacts, Provider } from './provider.js'

/**
 * Returns events, outcomes or spans as JSON. Normalizes the names of hand-written tools, and the ids of the runs that serve calls. Throws if such an
 * id is missing.
 */
export function plain(observed: unknown): any {
  const json = JSON.stringify(observed, (key, value) => {
    if (typeof value === 'string' && NAMES.has(key)) return value.replace('orders_', '')
    if (key === 'extra' && typeof value?.runId === 'string') return { ...value, runId: runId(value.runId) }
    return value
  })
  return JSON.parse(json)
}

const NAMES: ReadonlySet<string> = new Set(['name', 'gen_ai.tool.name'])

function runId(id: string): string {
  if (/^run-\d+$/.test(id)) return 'run'
  throw new Error(`'${id}' is not the id of a run`)
}

/** Changes the events, outcomes or spans of one provider to those that another provider with the same calls must have. */
export function withFactsOf(provider: Pick<Provider, 'kind' | 'facts' | 'connection'>, observed: any): any {
  const { kind, facts } = provider
  // `any`: JSON of events, outcomes and spans.
  const changed = (value: any): any => {
    if (Array.isArray(value)) return value.map(changed)
    if (typeof value !== 'object' || value === null) return value
    const parts: any = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, changed(part)]))
    if (parts.provenance !== undefined && parts.call !== undefined) return outcomeWith(facts, parts)
    if (parts.type === 'call_ended') return { ...parts, telemetry: telemetryWith(facts(endOf(parts.outcome)), parts) }
    if (parts.attributes?.['toolgen.tool.id'] !== undefined)
      return { ...parts, ...(kind === 'mcp' && { kind: 'CLIENT' }), attributes: spanWith(provider, parts) }
    // The span of a run has the tokens of its calls.
    return parts.attributes?.['toolgen.run.id'] === undefined || parts.inside === undefined ? parts : runWith(parts)
  }
  return changed(observed)
}

function endOf({ call, status, hint, provenance }: any): EndedFacts {
  return { toolCallId: call.toolCallId, status, reason: hint?.reason, attempts: provenance.attempts }
}

function outcomeWith(facts: Provider['facts'], outcome: any): any {
  if (outcome.hint?.reason === 'unknown_tool') return outcome
  const { service: _, ...common } = outcome.provenance
  const { usage, ...own } = facts(endOf(outcome))
  const provenance = { ...common, ...own, ...(usage !== undefined && { extra: { runId: 'run', ...usage } }) }
  if (outcome.status !== 'completed') return { ...outcome, provenance }
  return { ...outcome, provenance, result: { ...outcome.result, provenance } }
}

function telemetryWith({ service, model, children, usage }: CallFacts, { telemetry, outcome }: any): any {
  if (outcome.hint?.reason === 'unknown_tool') return telemetry
  const { service: _, ...common } = telemetry
  return defined({
    ...common,
    service,
    model,
    children: children?.length,
    promptTokens: usage?.promptTokens,
    completionTokens: usage?.completionTokens,
  })
}

function spanWith(
  { kind, facts, connection }: Pick<Provider, 'kind' | 'facts' | 'connection'>,
  { attributes }: any,
): any {
  const { service, model, children, usage } = facts({
    toolCallId: attributes['gen_ai.tool.call.id'],
    status: attributes['toolgen.call.status'],
    reason: attributes['error.type'],
    attempts: attributes['toolgen.call.attempts'],
  })
  const { 'toolgen.call.service': _, ...common } = attributes
  return defined({
    ...common,
    'toolgen.tool.provider': kind,
    // Attribute of the OpenTelemetry conventions for MCP clients.
    'mcp.method.name': kind === 'mcp' ? 'tools/call' : undefined,
    ...(attributes['toolgen.call.attempts'] > 0 && connection),
    'toolgen.call.service': service,
    'toolgen.call.model': model,
    'toolgen.call.children': children?.length,
    'gen_ai.usage.input_tokens': usage?.promptTokens,
    'gen_ai.usage.output_tokens': usage?.completionTokens,
  })
}

function runWith(span: any): any {
  const sumOf = (name: string): number | undefined =>
    span.inside.reduce((sum: number, { attributes }: any) => sum + (attributes[name] ?? 0), 0) || undefined
  const tokens = ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens'].map((name) => [name, sumOf(name)])
  return { ...span, attributes: defined({ ...span.attributes, ...Object.fromEntries(tokens) }) }
}

function defined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Sorts the ends of parallel calls in the order of the calls. */
export function inOrderOfCalls(events: readonly RunEvent[]): readonly RunEvent[] {
  const ends = events.filter((event) => event.type === 'call_ended')
  ends.sort((one, other) => (one.call.toolCallId < other.call.toolCallId ? -1 : 1))
  return events.map((event) => {
    if (event.type !== 'call_ended') return event
    // The sequence numbers do not move: they number all events.
    const { sequence } = event
    return { ...(ends.shift() ?? event), sequence }
  })
}

/** Removes the spans of the run that serves a call. */
export function withoutBeneath({ children, ...span }: SpanTree): object {
  return { ...span, inside: span.name.startsWith('execute_tool') ? [] : children.map(withoutBeneath) }
}
