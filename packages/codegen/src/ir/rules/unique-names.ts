import type { AgentValue, ToolsetValue } from '@toolgen/dsl'
import type { Diagnostic, SourcePlace } from '../../diagnostics/diagnostic.js'
import type { Places } from '../../load/loaded-design.js'

/** Names are not empty, and no two toolsets, agents or tool ids share one. */
export function nameFaults(
  toolsets: readonly ToolsetValue[],
  agents: readonly AgentValue[],
  places: Places,
): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const named = [
    ...toolsets.map((value) => ({ what: 'toolset', code: 'TG2010' as const, value })),
    ...agents.map((value) => ({ what: 'agent', code: 'TG2011' as const, value })),
  ]
  const firsts = new Map<string, SourcePlace>()
  for (const { what, code, value } of named) {
    const place = places.placeOf(value)
    if (value.name.trim() === '') found.push(noName(what, place))
    const first = firsts.get(`${what} ${value.name}`)
    if (first === undefined) firsts.set(`${what} ${value.name}`, place)
    else found.push(twice(code, `Two ${what}s are named \`${value.name}\`.`, place, first))
  }
  return [...found, ...toolFaults(toolsets, places)]
}

function toolFaults(toolsets: readonly ToolsetValue[], places: Places): readonly Diagnostic[] {
  const found: Diagnostic[] = []
  const ids = new Map<string, { readonly toolset: string; readonly place: SourcePlace }>()
  for (const toolset of toolsets) {
    const names = Object.keys(toolset.tools)
    if (names.length === 0) found.push(noTools(toolset.name, places.placeOf(toolset)))
    for (const name of names) {
      const place = places.placeOf(toolset, 'tools', name)
      if (name.trim() === '') found.push(noName('tool', place))
      const id = `${toolset.name}.${name}`
      const first = ids.get(id)
      if (first === undefined) ids.set(id, { toolset: toolset.name, place })
      else if (first.toolset !== toolset.name) {
        found.push(twice('TG2014', `Two tools have the id \`${id}\`.`, place, first.place))
      }
    }
  }
  return found
}

function twice(
  code: 'TG2010' | 'TG2011' | 'TG2014',
  message: string,
  place: SourcePlace,
  first: SourcePlace,
): Diagnostic {
  return {
    code,
    severity: 'error',
    message,
    place,
    next: 'Rename one of them.',
    related: [{ message: 'The first one is here.', place: first }],
  }
}

function noName(what: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2006',
    severity: 'error',
    message: `The name of this ${what} is empty.`,
    place,
    next: `Give the ${what} a name.`,
  }
}

function noTools(name: string, place: SourcePlace): Diagnostic {
  return {
    code: 'TG2007',
    severity: 'error',
    message: `The toolset \`${name}\` has no tools.`,
    place,
    next: 'Add a tool, or remove the toolset.',
  }
}
