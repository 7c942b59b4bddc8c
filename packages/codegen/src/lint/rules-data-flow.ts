import type { AgentIr, DesignIr, ToolIr } from '../ir/types.js'
import type { LintDiagnostic, Rule } from './context.js'

export const dataFlowRules: readonly Rule[] = [
  {
    id: 'data-flow',
    code: 'TG8326',
    next: "Add `confirmation` to each tool that can send data to outsiders, or split the agent. If the application attaches the layer `dataFlow()` to the runs, state this in `lint: { 'data-flow': '...' }` of the agent. If a label is wrong, correct `reads` or `writes` of the tool.",
    check: ({ design }) =>
      design.agents.flatMap((agent): readonly LintDiagnostic[] => {
        const tools = reachableTools(agent, design)
        const [untrusted, secret, external] = [
          tools.filter(({ tool }) => tool.reads?.includes('untrusted')),
          tools.filter(({ tool }) => tool.reads?.includes('private')),
          tools.filter(({ tool }) => tool.writes?.includes('external')),
        ]
        const open = external.filter(({ tool }) => tool.confirmation === undefined)
        if (untrusted.length === 0 || secret.length === 0 || open.length === 0) return []
        const message = `\`${agent.name}\` reads untrusted text and private data, and can send data to outsiders: an instruction in the text can make it send private data away.`
        const facts = [
          `Reads untrusted text: ${pathsText(untrusted, 'reads')}.`,
          `Reads private data: ${pathsText(secret, 'reads')}.`,
          `Can send data to outsiders without a confirmation: ${pathsText(open, 'writes')}.`,
        ]
        return [{ subject: { kind: 'agent', agent: agent.name }, message, facts }]
      }),
  },
]

interface ReachableTool {
  readonly tool: ToolIr
  /** Ids of the tools that start nested agents on the way to this tool, outermost first. */
  readonly through: readonly string[]
}

function reachableTools(agent: AgentIr, { agents, toolsets }: DesignIr): readonly ReachableTool[] {
  const tools = new Map(toolsets.flatMap((toolset) => toolset.tools.map((tool) => [tool.id, tool] as const)))
  const found = new Map<string, ReachableTool>()
  const visited = new Set<string>()
  // Breadth first, so that the first path to a tool is a shortest one.
  const waiting: { readonly agent: AgentIr; readonly through: readonly string[] }[] = [{ agent, through: [] }]
  for (const { agent: current, through } of waiting) {
    if (visited.has(current.name)) continue
    visited.add(current.name)
    for (const use of current.uses) {
      const used = use.tools.flatMap(({ tool: name }) => tools.get(`${use.toolset}.${name}`) ?? [])
      for (const tool of used) if (!found.has(tool.id)) found.set(tool.id, { tool, through })
      const nested = use.provider === 'agent' ? agents.find(({ name }) => name === use.agent) : undefined
      const [first] = used
      if (nested !== undefined && first !== undefined) waiting.push({ agent: nested, through: [...through, first.id] })
    }
  }
  return [...found.values()]
}

const maxListed = 6

function pathsText(tools: readonly ReachableTool[], label: 'reads' | 'writes'): string {
  const shown = tools.slice(0, maxListed).map(({ tool, through }) => {
    const path = through.length === 0 ? '' : ` over ${through.map((id) => `\`${id}\``).join(' and ')}`
    return `\`${tool.id}\`${path}${tool.suggested?.includes(label) ? ' (suggested by the import)' : ''}`
  })
  const left = tools.length - shown.length
  return left > 0 ? `${shown.join(', ')} and ${left} more` : shown.join(', ')
}
