import type { Agent, McpUse, ServiceUse, Tool, Toolset } from '@toolgen/dsl'
import type { Diagnostic, SourceLocation } from '../diagnostics/diagnostic.js'
import { isObject, own } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { notJson } from './text-rules.js'
import type {
  BindingLocations,
  McpServedToolIr,
  McpSourceIr,
  McpToolIr,
  OpenApiSourceIr,
  SchemaObject,
  ServiceToolIr,
  UsedToolIr,
} from './types.js'

/** The names of the toolsets that an MCP server serves: those that say so, and those that an agent uses so. */
export function mcpServed(toolsets: readonly Toolset[], agents: readonly Agent[]): ReadonlySet<string> {
  const used = agents.flatMap(({ uses }) => uses.filter(({ provider }) => provider === 'mcp'))
  const said = toolsets.filter(({ mcp }) => mcp !== undefined)
  return new Set([...said, ...used.map(({ toolset }) => toolset)].map(({ name }) => name))
}

/** Builds how an MCP server serves the given tools of a toolset. */
export function buildMcpSource({ mcp, tools }: Toolset, names: readonly string[]): McpSourceIr {
  return {
    ...(mcp?.server === undefined ? {} : { server: { name: mcp.server.name, version: mcp.server.version } }),
    unused: mcp?.unused ?? [],
    tools: names.map((name): McpServedToolIr => {
      const tool = mcp?.captured === true ? own(tools, name) : undefined
      const remote = nameOnServer(mcp, name)
      return { tool: name, name: remote, ...(tool === undefined ? {} : captured(tool, remote)) }
    }),
  }
}

/** What a server calls a tool, as the toolset says it. */
function nameOnServer(mcp: Toolset['mcp'], tool: string): string {
  return own(mcp?.names ?? {}, tool) ?? tool
}

/**
 * What the server said of a tool. The import lets a result that is not described be anything, and a tool's title or name
 * stand in for a description.
 */
function captured(
  { title, description, payload, result }: Tool,
  remote: string,
): Omit<McpServedToolIr, 'tool' | 'name'> {
  const [input, output] = [schemaOf(payload), schemaOf(result)]
  return {
    ...(description === title || description === remote ? {} : { description }),
    ...(input === undefined ? {} : { inputSchema: input }),
    ...(output === undefined ? {} : { outputSchema: output }),
  }
}

/** A schema as it was written; what is none is reported where the tool is built. */
function schemaOf(value: unknown): SchemaObject | undefined {
  const copy = toJson(value)
  return copy.ok && isObject(copy.json) ? copy.json : undefined
}

/** Builds how a tool of a use is found on its MCP server. */
export function buildMcpTool(use: McpUse, tool: Omit<UsedToolIr, 'location'>, locations: UseLocations): McpToolIr {
  const said = own(use.tools ?? {}, tool.tool)
  return {
    ...tool,
    remote: said?.name ?? nameOnServer(use.toolset.mcp, tool.tool),
    location: said === undefined ? locations.of() : locations.of('tools', tool.tool),
  }
}

/** Builds how an HTTP API serves the given tools of a toolset; `undefined` where the toolset does not say so. */
export function buildOpenApiSource({ openapi }: Toolset, tools: readonly string[]): OpenApiSourceIr | undefined {
  const copied = openapi === undefined ? undefined : toJson(openapi)
  if (copied?.ok !== true || !isObject(copied.json)) return undefined
  const { server, security, operations } = copied.json
  const known = isObject(operations) ? operations : {}
  return {
    ...(typeof server === 'string' && { server }),
    ...(isObject(security) && { security }),
    operations: tools.flatMap((tool): readonly { readonly tool: string; readonly operation: SchemaObject }[] => {
      const operation = own(known, tool)
      return isObject(operation) ? [{ tool, operation }] : []
    }),
  }
}

/** Places within one use of an agent. */
export interface UseLocations {
  readonly of: (...path: readonly (string | number)[]) => SourceLocation
  readonly ofValue: (...path: readonly (string | number)[]) => SourceLocation
}

/** Builds how a tool of a use reaches its client. */
export function buildServiceTool(
  use: ServiceUse,
  { tool: name, toolName }: Omit<UsedToolIr, 'location'>,
  locations: UseLocations,
): { readonly tool: ServiceToolIr; readonly diagnostics: readonly Diagnostic[] } {
  const said = own(use.tools ?? {}, name)
  const binding = said ?? {}
  const diagnostics: Diagnostic[] = []
  const constants = toJson(binding.constants ?? {})
  if (!constants.ok) diagnostics.push(notJson('constants', constants.message, locations.of('tools', name, 'constants')))
  return {
    tool: {
      tool: name,
      method: binding.method ?? name,
      rename: Object.fromEntries(Object.entries(binding.rename ?? {})),
      constants: constants.ok && isObject(constants.json) ? constants.json : {},
      result: {
        ...(binding.result?.from === undefined ? {} : { from: binding.result.from }),
        checked: binding.result?.checked ?? false,
      },
      ...(binding.collect === undefined ? {} : { collect: binding.collect }),
      location: said === undefined ? locations.of() : locations.of('tools', name),
      ...(said === undefined ? {} : { parts: bindingLocations(name, said, locations) }),
      toolName,
    },
    diagnostics,
  }
}

function bindingLocations(
  tool: string,
  { method, collect, rename = {}, constants = {} }: NonNullable<ServiceUse['tools']>[string],
  { of, ofValue }: UseLocations,
): BindingLocations {
  const entries = (field: 'rename' | 'constants', names: readonly string[]): BindingLocations['rename'] =>
    Object.fromEntries(
      names.map((name) => [name, { name: of('tools', tool, field, name), value: ofValue('tools', tool, field, name) }]),
    )
  return {
    ...(method === undefined ? {} : { method: ofValue('tools', tool, 'method') }),
    ...(collect === undefined ? {} : { collect: ofValue('tools', tool, 'collect') }),
    rename: entries('rename', Object.keys(rename)),
    constants: entries('constants', Object.keys(constants)),
  }
}
