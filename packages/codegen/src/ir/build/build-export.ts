import type { AgentValue, ExportedToolValue, ExportValue, ToolsetValue } from '@toolgen/dsl'
import type { Diagnostic } from '../../diagnostics/diagnostic.js'
import type { Places } from '../../load/loaded-design.js'
import { own } from '../../schema/json/json.js'
import { exportedToolFaults } from '../rules/exported-tool.js'
import { toolsetOfExport } from '../rules/exporters.js'
import { unknownTool } from '../rules/use-names.js'
import type { ExportedToolIr, ExportIr } from '../types.js'
import type { UnnamedToolset } from './build-toolset.js'

/** An export before it has identifiers. */
export type UnnamedExport = Omit<ExportIr, 'names'>

/** Builds what an agent exports at an index and checks what is said of its tools. */
export function buildExport(
  offer: ToolsetValue | ExportValue,
  index: number,
  scene: {
    readonly agent: AgentValue
    readonly places: Places
    readonly toolsets: ReadonlyMap<string, UnnamedToolset>
  },
): { readonly offer: UnnamedExport; readonly diagnostics: readonly Diagnostic[] } {
  const { agent, places } = scene
  const placeOf = (...path: readonly string[]) => places.placeOf(agent, 'exports', index, ...path)
  const toolset = toolsetOfExport(offer)
  const said = offer['~toolgen'] === 'export' ? offer.tools : {}
  const known = Object.keys(toolset.tools)
  const diagnostics = Object.keys(said)
    .filter((tool) => !known.includes(tool))
    .map((tool) => unknownTool('tools', tool, toolset.name, known, placeOf('tools', tool)))
  const built = scene.toolsets.get(toolset.name)
  const tools = (built?.tools ?? []).flatMap(({ name, payload, result }): readonly ExportedToolIr[] => {
    const settings = own(said, name)
    if (settings === undefined) return []
    diagnostics.push(
      ...exportedToolFaults(name, settings, { payload, result }, built?.defs ?? {}, {
        placeOf: (field) => placeOf('tools', name, field),
        templatePart: (part) => places.valuePlaceOf(agent, ['exports', index, 'tools', name, 'template'], part),
      }),
    )
    const facts = factsOf(settings)
    return Object.keys(facts).length === 0 ? [] : [{ tool: name, ...facts }]
  })
  return { offer: { toolset: toolset.name, tools, place: placeOf() }, diagnostics }
}

/** What differs from saying nothing. */
function factsOf({ text, template, systemPrompt, prose }: ExportedToolValue): Omit<ExportedToolIr, 'tool'> {
  return {
    ...(text !== undefined && { text }),
    ...(template !== undefined && { template }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(prose === true && { prose }),
  }
}
