import type { Agent, AgentUse, Toolset, ToolsetExport } from '@toolgen/dsl'
import { type Diagnostic, nearest, type SourceLocation } from '../diagnostics/diagnostic.js'
import type { Locations } from '../load/loaded-design.js'

/** An agent that exports a toolset. */
interface Exporter {
  readonly agent: string
  readonly location: SourceLocation
}

/** The agents that export each toolset, by the toolset's name. */
export type Exporters = ReadonlyMap<string, readonly Exporter[]>

/** The toolset of what stands in `exports`. */
export function toolsetOfExport(offer: Toolset | ToolsetExport): Toolset {
  return offer['~toolgen'] === 'export' ? offer.toolset : offer
}

/** Finds who exports what; an agent that repeats an export counts once. */
export function exportersIn(agents: readonly Agent[], locations: Locations): Exporters {
  const found = new Map<string, readonly Exporter[]>()
  for (const agent of agents) {
    const names = agent.exports.map((offer) => toolsetOfExport(offer).name)
    for (const [index, name] of names.entries()) {
      if (names.indexOf(name) !== index) continue
      const exporter = { agent: agent.name, location: locations.locationOf(agent, 'exports', index) }
      found.set(name, [...(found.get(name) ?? []), exporter])
    }
  }
  return found
}

/** The agent that serves a use, or what keeps it from being one. */
export function exporterOf(
  use: AgentUse,
  at: { readonly agent: string; readonly location: SourceLocation },
  exporters: Exporters,
): { readonly agent?: string; readonly diagnostics: readonly Diagnostic[] } {
  const { name } = use.toolset
  const [first, ...others] = exporters.get(name) ?? []
  if (first === undefined) return { diagnostics: [nobody(name, at.location, [...exporters.keys()])] }
  if (others.length > 0) return { diagnostics: [several(name, at.location, [first, ...others])] }
  if (first.agent === at.agent) return { diagnostics: [itself(name, at, first)] }
  return { agent: first.agent, diagnostics: [] }
}

function nobody(toolset: string, location: SourceLocation, exported: readonly string[]): Diagnostic {
  const near = nearest(toolset, exported)
  const step = `Add it to the \`exports\` of the agent that serves it, and export that agent from the design.`
  return {
    code: 'TG2070',
    severity: 'error',
    message: `No agent exports the toolset \`${toolset}\`.`,
    location,
    next: near[0] === undefined ? step : `Did you mean \`${near[0]}\`? Else: ${step}`,
    ...(near.length === 0 ? {} : { near }),
  }
}

function several(toolset: string, location: SourceLocation, exporters: readonly Exporter[]): Diagnostic {
  const names = exporters.map(({ agent }) => `\`${agent}\``).join(' and ')
  return {
    code: 'TG2071',
    severity: 'error',
    message: `The toolset \`${toolset}\` is exported by ${names}, so it is open which of them serves this use.`,
    location,
    next: 'Let one agent export it; give the other one a toolset of its own.',
    related: exporters.map((exporter) => ({
      message: `\`${exporter.agent}\` exports it here.`,
      location: exporter.location,
    })),
  }
}

function itself(
  toolset: string,
  at: { readonly agent: string; readonly location: SourceLocation },
  own: Exporter,
): Diagnostic {
  return {
    code: 'TG2072',
    severity: 'error',
    message: `\`${at.agent}\` uses the toolset \`${toolset}\`, which it exports itself.`,
    location: at.location,
    next: 'Remove the use, or let another agent export the toolset.',
    related: [{ message: 'It is exported here.', location: own.location }],
  }
}
