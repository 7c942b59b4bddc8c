import type { DesignIr } from '../ir/types.js'

/** How many of each the design has. */
export interface DesignCounts {
  readonly toolsets: number
  readonly tools: number
  readonly agents: number
}

/** Counts what a design defines. */
export function countDesign({ toolsets, agents }: DesignIr): DesignCounts {
  const tools = toolsets.reduce((sum, toolset) => sum + toolset.tools.length, 0)
  return { toolsets: toolsets.length, tools, agents: agents.length }
}
