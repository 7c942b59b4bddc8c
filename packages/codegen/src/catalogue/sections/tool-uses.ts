import type { DesignIr, ToolIr, UseIr } from '../../ir/types.js'
import { anchorOf } from '../page/anchor.js'
import { code, type Inline, type Line, link } from '../page/page.js'

/** Who may call a tool, and what serves it there, one sentence each. */
export function usesOfTool(tool: ToolIr, design: DesignIr): readonly Line[] {
  return design.agents.flatMap((agent) =>
    agent.uses
      .filter(({ toolset }) => tool.id === `${toolset}.${tool.name}`)
      .flatMap((use) =>
        use.tools.flatMap((used, index): readonly Line[] => {
          if (used.tool !== tool.name) return []
          const other: Line = used.wireName === tool.wireName ? [] : [' as ', code(used.wireName)]
          const who = link(anchorOf('agent', agent.name), agent.name)
          return [['The agent ', who, ' calls it', ...other, '; ', ...serverOf(use, index), ' serves it.']]
        }),
      ),
  )
}

/** What serves a tool of a use: a client's method, an agent, or a tool of an MCP server. */
export function serverOf(use: UseIr, index: number): Line {
  switch (use.provider) {
    case 'agent':
      return ['the agent ', agentLink(use.agent)]
    case 'mcp':
      return ['the tool ', code(use.tools[index]?.remote ?? ''), ' of an MCP server']
    case 'openapi':
      return ['an HTTP API']
    case 'service':
      return [code(`${use.client.path.join('.')}.${use.tools[index]?.method ?? ''}`)]
  }
}

function agentLink(name: string): Inline {
  return link(anchorOf('agent', name), name)
}
