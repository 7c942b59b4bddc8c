import type { AgentIr, DesignIr, ToolsetIr } from '../../ir/types.js'
import { definitionsUsed } from '../../schema/canonical/definitions-used.js'
import { rootRows } from '../fields/field-rows.js'
import { definitionShape, type TypeContext } from '../fields/type-words.js'
import { anchorOf } from '../page/anchor.js'

/** What the sections of a catalogue look things up in. */
export interface Scene {
  readonly design: DesignIr
  /** The specifier of the module with a toolset's call builders, as code beside the output folder's parent imports it. */
  readonly moduleOf: (toolset: ToolsetIr) => string
}

/** A toolset of the design. */
export function toolsetNamed(design: DesignIr, name: string): ToolsetIr {
  const found = design.toolsets.find((toolset) => toolset.name === name)
  if (found === undefined) throw new Error(`There is no toolset '${name}' in the design.`)
  return found
}

/** How the types of a toolset are said: definitions with fields, and those that contain themselves, have a section of their own. */
export function typeContext({ name, defs }: ToolsetIr): TypeContext {
  const bare: TypeContext = { defs, anchors: new Map() }
  const own = Object.entries(defs).filter(
    ([def, schema]) =>
      definitionsUsed(schema, defs).includes(def) || rootRows(definitionShape(def, defs), bare).length > 0,
  )
  return { defs, anchors: new Map(own.map(([def]) => [def, anchorOf('type', `${name}.${def}`)])) }
}

/** The agents that export a toolset. */
export function exportersOf(design: DesignIr, toolset: string): readonly AgentIr[] {
  return design.agents.filter(({ exports }) => exports.some((offer) => offer.toolset === toolset))
}
