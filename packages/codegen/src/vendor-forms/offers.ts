import type { AgentIr, DesignIr, ToolsetIr } from '../ir/types.js'
import type { OfferedTool } from './vendor-form.js'

/** Tools that one model is told of at once: those of an agent, or of a toolset that no agent uses. */
export type Offer = { readonly tools: readonly OfferedTool[] } & (
  | { readonly kind: 'agent'; readonly agent: AgentIr }
  | { readonly kind: 'toolset'; readonly toolset: ToolsetIr }
)

/** What the models of a design are told of: agents by name, then toolsets that no agent uses. */
export function offersOf({ agents, toolsets }: DesignIr): readonly Offer[] {
  const used = new Set(agents.flatMap(({ uses }) => uses.map(({ toolset }) => toolset)))
  const byName = new Map(toolsets.map((toolset) => [toolset.name, toolset]))
  return [
    ...agents.map((agent): Offer => ({ kind: 'agent', agent, tools: toolsOf(agent, byName) })),
    ...toolsets
      .filter(({ name }) => !used.has(name))
      .map((toolset): Offer => {
        const tools = toolset.tools.map((tool) => ({ toolset, tool, wireName: tool.wireName }))
        return { kind: 'toolset', toolset, tools }
      }),
  ]
}

function toolsOf({ uses }: AgentIr, toolsets: ReadonlyMap<string, ToolsetIr>): readonly OfferedTool[] {
  return uses.flatMap((use) => {
    const toolset = toolsets.get(use.toolset)
    if (toolset === undefined) return []
    const byName = new Map(toolset.tools.map((tool) => [tool.name, tool]))
    return use.tools.flatMap(({ tool: name, wireName }) => {
      const tool = byName.get(name)
      return tool === undefined ? [] : [{ toolset, tool, wireName }]
    })
  })
}
