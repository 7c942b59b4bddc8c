import type { SourcePlace } from '../diagnostics/diagnostic.js'
import type { LoadedDesign } from '../load/loaded-design.js'
import type { Subject } from './scene/rule.js'

/** Finds where the design says what a finding is about. */
export function subjectPlaces({
  toolsets,
  agents,
  places,
}: LoadedDesign): (subject: Subject) => SourcePlace | undefined {
  const toolsetOf = new Map(toolsets.map((toolset) => [toolset.name, toolset]))
  const agentOf = new Map(agents.map((agent) => [agent.name, agent]))
  return (subject) => {
    if (subject.kind === 'agent') {
      const agent = agentOf.get(subject.agent)
      return agent && places.placeOf(agent, ...(subject.path ?? []))
    }
    const toolset = toolsetOf.get(subject.toolset)
    if (toolset === undefined) return undefined
    if (subject.kind === 'toolset') return places.placeOf(toolset, ...(subject.path ?? []))
    const tool = ['tools', subject.tool]
    if (subject.field === undefined) return places.placeOf(toolset, ...tool, ...(subject.path ?? []))
    // A JSON Schema spells fields out under `properties`, the objects of libraries directly.
    const payload = places.placeOf(toolset, ...tool, 'payload')
    const { names } = subject.field
    const spelt = places.placeOf(toolset, ...tool, 'payload', ...names.flatMap((name) => ['properties', name]))
    return samePlace(spelt, payload) ? places.placeOf(toolset, ...tool, 'payload', ...names) : spelt
  }
}

function samePlace(a: SourcePlace, b: SourcePlace): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column
}
