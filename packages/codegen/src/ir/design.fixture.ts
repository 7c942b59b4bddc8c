import type { Agent, AgentUse, ServiceClient, ServiceUse, Tool, Toolset } from '@toolgen/dsl'
import type { LoadedDesign } from '../load/load-design.js'

export function tool(parts: Partial<Tool> = {}): Tool {
  const none = { type: 'object', properties: {} }
  return { '~toolgen': 'tool', description: 'Does it.', payload: none, result: none, ...parts }
}

export function toolset(name: string, tools: Readonly<Record<string, Tool>> = { run: tool() }): Toolset {
  return { '~toolgen': 'toolset', name, description: `The ${name} tools.`, namespace: 'default', tools }
}

export function client(): ServiceClient<unknown> {
  return { '~toolgen': 'client' }
}

export function use(of: Toolset, parts: Partial<ServiceUse> & Pick<ServiceUse, 'client'>): ServiceUse {
  return { '~toolgen': 'use', provider: 'service', toolset: of, ...parts }
}

export function agentUse(of: Toolset, parts: Partial<AgentUse> = {}): AgentUse {
  return { '~toolgen': 'use', provider: 'agent', toolset: of, ...parts }
}

export function agent(name: string, parts: Partial<Agent> = {}): Agent {
  return { '~toolgen': 'agent', name, description: `The agent ${name}.`, uses: [], exports: [], ...parts }
}

/** Creates a loaded design for tests. In each location, `file` is the name of the definition and the path of the property: `support/description`. */
export function loaded(
  toolsets: readonly Toolset[],
  agents: readonly Agent[] = [],
  clients: readonly ServiceClient<unknown>[] = [],
): LoadedDesign {
  return {
    toolsets,
    agents,
    clients: new Map(
      clients.map((value, index) => [value, { module: 'clients.ts', path: [`client${index}`] }] as const),
    ),
    snapshots: new Map(),
    closure: [],
    locations: {
      sourceOf: (definition) => definition,
      locationOf: (definition, ...path) => {
        const name = 'name' in definition ? String(definition.name) : ''
        return { file: [name, ...path].join('/'), line: 1, column: 1 }
      },
      valueLocationOf: (definition, path, part) => {
        const name = 'name' in definition ? String(definition.name) : ''
        const at = part === undefined ? '' : `[${part.start}-${part.end}]`
        return { file: `${[name, ...path].join('/')}=${at}`, line: 1, column: 1 }
      },
    },
  }
}
