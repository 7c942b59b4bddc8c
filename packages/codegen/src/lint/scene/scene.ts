import type { AgentIr, DesignIr, ToolIr, ToolsetIr } from '../../ir/types.js'
import { type Offer, offersOf } from '../../vendor-forms/offers.js'
import type { VendorForms } from '../../vendor-forms/vendor-form.js'
import { type Field, fieldsOf } from './fields.js'

/** What rules look at. */
export interface Scene {
  readonly design: DesignIr
  /** Every tool of the design, toolset by toolset. */
  readonly tools: readonly ToolScene[]
  /** Agents by name, then toolsets that no agent uses. */
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

/** Prepares a design for the rules. */
export function sceneOf(design: DesignIr, forms: VendorForms): Scene {
  const scenes = new Map(
    design.toolsets.flatMap((toolset) => toolset.tools.map((tool) => [tool, sceneIn(toolset, tool)])),
  )
  const sights = offersOf(design).map((offer) => sightOf(offer, scenes))
  return { design, tools: [...scenes.values()], sights, forms }
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
