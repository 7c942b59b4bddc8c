import type { AgentIr, DesignIr, ToolIr, ToolsetIr } from '../../ir/types.js'
import { type Offer, offersOf } from '../../vendor-forms/offers.js'
import type { VendorForms } from '../../vendor-forms/vendor-form.js'
import { type Field, fieldsOf } from './fields.js'
import { importOf } from './imported-toolset.js'

/** What rules look at. */
export interface Scene {
  readonly design: DesignIr
  /** The tools of the design, toolset by toolset; of what was imported, those that an agent has. */
  readonly tools: readonly ToolScene[]
  /** Agents by name, then toolsets of the design itself that no agent uses. */
  readonly sights: readonly Sight[]
  /** How tools are sent; vendors of which nobody asks are missing. */
  readonly forms: VendorForms
}

/** A tool with what models send to it and read of it. */
export interface ToolScene {
  readonly toolset: ToolsetIr
  readonly tool: ToolIr
  /** What a model sends. */
  readonly fields: readonly Field[]
  /** What it answers. */
  readonly resultFields: readonly Field[]
}

/** Tools that one model sees at once. */
export interface Sight {
  /** Absent: the tools are a toolset that no agent uses. */
  readonly agent?: AgentIr
  readonly tools: readonly SeenTool[]
}

/** A tool under the name by which that model knows it. */
export interface SeenTool extends ToolScene {
  readonly wireName: string
}

/** Prepares a design for the rules. What was imported and no agent has, no model sees. */
export function sceneOf(design: DesignIr, forms: VendorForms): Scene {
  const offers = offersOf(design).filter((offer) => offer.kind === 'agent' || importOf(offer.toolset) === undefined)
  const offered = new Set(offers.flatMap(({ tools }) => tools.map(({ tool }) => tool)))
  const scenes = new Map(
    design.toolsets.flatMap((toolset) => {
      const { tools } = toolset
      const seen = importOf(toolset) === undefined ? tools : tools.filter((tool) => offered.has(tool))
      return seen.map((tool) => [tool, sceneIn(toolset, tool)])
    }),
  )
  return { design, tools: [...scenes.values()], sights: offers.map((offer) => sightOf(offer, scenes)), forms }
}

function sceneIn(toolset: ToolsetIr, tool: ToolIr): ToolScene {
  const { defs } = toolset
  return { toolset, tool, fields: fieldsOf(tool.arguments, defs), resultFields: fieldsOf(tool.result, defs) }
}

function sightOf(offer: Offer, scenes: ReadonlyMap<ToolIr, ToolScene>): Sight {
  const tools = offer.tools.flatMap(({ tool, wireName }): readonly SeenTool[] => {
    const scene = scenes.get(tool)
    return scene === undefined ? [] : [{ ...scene, wireName }]
  })
  return offer.kind === 'agent' ? { agent: offer.agent, tools } : { tools }
}
