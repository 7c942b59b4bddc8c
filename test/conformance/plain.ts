import type { RunEvent } from '../../packages/runtime/src/index.js'

/**
 * What observers are told, without what belongs to one provider:
 * - who provides the tool, and the names that hand-written tools have;
 * - of an agent that it was handed over to, the calls it made, and what its run cost: `service`, `children`, `extra`.
 */
export function plain(told: unknown): any {
  const json = JSON.stringify(told, (key, value) => {
    if (ONLY_OF_AGENTS.has(key)) return undefined
    if (typeof value === 'string' && NAMES.has(key)) return value.replace('orders_', '')
    if (Array.isArray(value)) return value.filter((each) => each?.type !== 'handoff').map(renumbered)
    return value
  })
  return JSON.parse(json)
}

const NAMES: ReadonlySet<string> = new Set(['name', 'gen_ai.tool.name'])

const ONLY_OF_AGENTS: ReadonlySet<string> = new Set([
  'service',
  'children',
  'extra',
  'promptTokens',
  'completionTokens',
  'toolgen.tool.provider',
  'toolgen.call.service',
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.output_tokens',
])

/** Events are counted with the handoffs among them. */
function renumbered(each: any, index: number): unknown {
  return typeof each?.sequence === 'number' ? { ...each, sequence: index + 1 } : each
}

/** The ends of calls in the order of the calls: of calls beside each other, the one that is answered first ends first. */
export function inOrderOfCalls(events: readonly RunEvent[]): readonly RunEvent[] {
  const ends = events.filter((event) => event.type === 'call_ended')
  ends.sort((one, other) => (one.call.toolCallId < other.call.toolCallId ? -1 : 1))
  return events.map((event) => (event.type === 'call_ended' ? (ends.shift() ?? event) : event))
}
