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
