import type { SourcePlace } from '../../diagnostics/diagnostic.js'
import type { DesignIr } from '../../ir/types.js'

/** Where a design says something; `undefined` where it does not. */
export interface DesignPlaces {
  readonly toolset: (name: string) => SourcePlace | undefined
  /** By `toolset.tool`. */
  readonly tool: (id: string) => SourcePlace | undefined
  readonly agent: (name: string) => SourcePlace | undefined
}

/** The places of a design's definitions. */
export function placesOf({ toolsets, agents }: Pick<DesignIr, 'toolsets' | 'agents'>): DesignPlaces {
  const ofToolsets = new Map(toolsets.map(({ name, place }) => [name, place]))
  const ofTools = new Map(toolsets.flatMap(({ tools }) => tools.map(({ id, place }) => [id, place] as const)))
  const ofAgents = new Map(agents.map(({ name, place }) => [name, place]))
  return {
    toolset: (name) => ofToolsets.get(name),
    tool: (id) => ofTools.get(id),
    agent: (name) => ofAgents.get(name),
  }
}
