import { assignNames } from '../ir/names.js'
import type { AgentIr, DesignIr, ExportIr, McpSourceIr, Schema, ServerOwnedIr, ToolIr, ToolsetIr } from '../ir/types.js'
import { serviceUses, type UsedToolIr, type UseIr } from '../ir/uses.js'
import type { ServicePlans, ToolPlan, UsePlan } from '../services/plan.js'

export interface SmallTool extends Partial<Omit<ToolIr, 'name' | 'names' | 'id' | 'location'>> {
  readonly name: string
}

export interface SmallToolset {
  readonly name: string
  readonly description?: string
  readonly tools: readonly SmallTool[]
  readonly defs?: Readonly<Record<string, Schema>>
  /** Name of the MCP server that offers the toolset. The tools have the same names on the server as in the toolset. */
  readonly server?: string
}

/** Properties of an agent in a test. The agent uses every tool of the listed toolsets through a service client. */
export interface SmallAgent {
  readonly name: string
  readonly description?: string
  readonly uses: readonly string[]
  readonly consumes?: readonly { readonly toolset: string; readonly as: string; readonly agent: string }[]
  readonly remotes?: readonly { readonly toolset: string; readonly as: string; readonly prefix?: string }[]
  readonly exports?: readonly (Pick<ExportIr, 'toolset'> & Partial<Pick<ExportIr, 'tools'>>)[]
}

const location = { file: 'design/design.ts', line: 1, column: 1 }

export function smallDesign(toolsets: readonly SmallToolset[], agents: readonly SmallAgent[] = []): DesignIr {
  const named = assignNames({
    toolsets: toolsets.map(({ name, tools, defs = {} }) => ({ name, tools, defs })),
    agents: agents.map(({ name, uses, consumes = [], remotes = [], exports = [] }) => ({
      name,
      uses: [...uses.map((as) => ({ as })), ...consumes, ...remotes],
      exports,
    })),
  })
  const full = toolsets.map((toolset, index) => fullToolset(toolset, present(named.toolsets[index])))
  return {
    contract: 1,
    toolsets: full,
    agents: agents.map((agent, index) => fullAgent(agent, present(named.agents[index]), full)),
  }
}

function fullToolset(
  toolset: SmallToolset,
  { names, tools }: ReturnType<typeof assignNames>['toolsets'][number],
): ToolsetIr {
  return {
    name: toolset.name,
    description: toolset.description ?? 'Small tools.',
    namespace: 'default',
    defs: Object.assign(Object.create(null), toolset.defs),
    tools: toolset.tools.map((tool, index) => ({
      title: tool.name,
      description: `Does ${tool.name}.`,
      arguments: { type: 'object', properties: {} },
      payload: withServerOwned(tool.arguments ?? { type: 'object', properties: {} }, tool.serverOwned ?? []),
      result: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
      serverOwned: [],
      examples: [],
      tags: [],
      annotations: {},
      toolName: `tool_${index}`,
      needsCheck: false,
      hash: '0123456789abcdef',
      ...tool,
      id: `${toolset.name}.${tool.name}`,
      names: present(tools[index]),
      location,
    })),
    ...(toolset.server !== undefined && { mcp: servedBy(toolset.server, toolset) }),
    names,
    location,
  }
}

function servedBy(server: string, { tools }: SmallToolset): McpSourceIr {
  return {
    server: { name: server, version: server },
    unused: server.length % 2 === 0 ? [] : [server],
    tools: tools.map((tool) => {
      const { name, description, arguments: schema } = tool
      const input = typeof schema === 'object' ? { inputSchema: schema } : {}
      return { tool: name, name, ...(description !== undefined && { description }), ...input }
    }),
  }
}

function withServerOwned(schema: Schema, owned: readonly ServerOwnedIr[]): Schema {
  if (typeof schema === 'boolean' || owned.length === 0) return schema
  const properties = Object.entries({ ...(schema.properties as Record<string, Schema>) })
  const added = owned.map(({ field, schema: own }) => [field, own] as const)
  return {
    ...schema,
    properties: Object.fromEntries([...properties, ...added]),
    required: [...((schema.required as readonly string[] | undefined) ?? []), ...owned.map(({ field }) => field)],
  }
}

function fullAgent(
  agent: SmallAgent,
  { names, uses, exports: offers }: ReturnType<typeof assignNames>['agents'][number],
  toolsets: readonly ToolsetIr[],
): AgentIr {
  const toolsOf = (name: string): readonly UsedToolIr[] =>
    present(toolsets.find((toolset) => toolset.name === name)).tools.map((tool) => ({
      tool: tool.name,
      toolName: tool.toolName,
      location,
    }))
  const binding = { method: 'run', rename: {}, constants: {}, result: { checked: false } } as const
  const services = agent.uses.map(
    (name, index): UseIr => ({
      provider: 'service',
      toolset: name,
      as: name,
      client: { module: 'design/clients.ts', path: ['client'] },
      tools: toolsOf(name).map((tool) => ({ ...tool, ...binding })),
      names: { ...present(uses[index]), file: `${present(uses[index]).file}.service` },
      location,
    }),
  )
  const consumed = (agent.consumes ?? []).map((use, index): UseIr => {
    const { use: constant, env, agentEnv } = present(uses[services.length + index])
    return { provider: 'agent', ...use, tools: toolsOf(use.toolset), names: { use: constant, env, agentEnv }, location }
  })
  const remote = (agent.remotes ?? []).map(({ prefix = '', ...use }, index): UseIr => {
    const { file, ...others } = present(uses[services.length + consumed.length + index])
    const names = { ...others, file: `${file}.mcp` }
    const tools = toolsOf(use.toolset).map((tool) => ({ ...tool, remote: prefix + tool.tool }))
    return { provider: 'mcp', ...use, tools, names, location }
  })
  return {
    name: agent.name,
    description: agent.description ?? 'A small agent.',
    uses: [...services, ...consumed, ...remote],
    exports: (agent.exports ?? []).map((offer, index) => ({
      tools: [],
      ...offer,
      names: present(offers[index]),
      location,
    })),
    names,
    location,
  }
}

/** Returns plans that call the client method `run` and convert no payload, update or result. */
export function passingPlans(design: DesignIr): ServicePlans {
  const streaming = new Set(
    design.toolsets.flatMap(({ tools }) => tools.flatMap(({ id, updates }) => (updates === undefined ? [] : [id]))),
  )
  const pass = { verdict: 'pass', plan: { kind: 'pass' } } as const
  const plan = (toolset: string, tool: string): ToolPlan => ({
    tool,
    method: ['run'],
    optional: [],
    signature: { fromLast: 0, of: 1, generic: false },
    payload: { verdict: 'pass', plan: [{ kind: 'bag', conversion: { kind: 'pass' } }] },
    ...(streaming.has(`${toolset}.${tool}`) && { stream: { collect: 'list', update: pass } }),
    result: pass,
    unwrapData: false,
    thenable: false,
  })
  return record(
    design.agents.map((agent) => [
      agent.name,
      record(
        serviceUses(agent).map(({ as, toolset, tools }): readonly [string, UsePlan] => [
          as,
          record(tools.map(({ tool }) => [tool, plan(toolset, tool)])),
        ]),
      ),
    ]),
  )
}

function record<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  const made: Record<string, T> = Object.create(null)
  for (const [key, value] of entries) made[key] = value
  return made
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('The fixture names something that it does not have.')
  return value
}
