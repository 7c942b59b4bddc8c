import type { Agent, Tool, Toolset } from '@toolgen/dsl'
import { isObject, own } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import type { McpServedToolIr, McpSourceIr, OpenApiSourceIr, SchemaObject } from './types.js'

/** Returns the names of toolsets that an MCP server serves: toolsets with the field `mcp`, and toolsets used with `fromMcp`. */
export function mcpServed(toolsets: readonly Toolset[], agents: readonly Agent[]): ReadonlySet<string> {
  const used = agents.flatMap(({ uses }) => uses.filter(({ provider }) => provider === 'mcp'))
  const declared = toolsets.filter(({ mcp }) => mcp !== undefined)
  return new Set([...declared, ...used.map(({ toolset }) => toolset)].map(({ name }) => name))
}

export function buildMcpSource(toolset: Toolset, names: readonly string[]): McpSourceIr {
  const { mcp } = toolset
  return {
    ...(mcp?.server !== undefined && { server: { name: mcp.server.name, version: mcp.server.version } }),
    unused: mcp?.unused ?? [],
    tools: names.map((name): McpServedToolIr => {
      const tool = own(mcp?.captured ?? {}, name)
      const remote = serverToolName(toolset, name)
      return { tool: name, name: remote, ...(tool !== undefined && captured(tool, remote)) }
    }),
  }
}

export function serverToolName({ mcp }: Toolset, tool: string): string {
  return own(mcp?.names ?? {}, tool) ?? tool
}

/**
 * Returns the title, description and schemas that the MCP server declared for an imported tool. Omits a description or result schema that
 * the import added because the server declared none.
 */
function captured(
  { title, description, payload, result }: Tool,
  remote: string,
): Omit<McpServedToolIr, 'tool' | 'name'> {
  const [input, output] = [payload, result].map((schema): SchemaObject | undefined => {
    const copy = toJson(schema)
    return copy.ok && isObject(copy.json) ? copy.json : undefined
  })
  return {
    ...(description !== title && description !== remote && { description }),
    ...(input !== undefined && { inputSchema: input }),
    ...(output !== undefined && { outputSchema: output }),
  }
}

/** Returns the HTTP API of a toolset, reduced to `tools`; `undefined` if the toolset has no HTTP API. */
export function buildOpenApiSource({ openapi }: Toolset, tools: readonly string[]): OpenApiSourceIr | undefined {
  // The schemas of errors can belong to a schema library; the tools have them as JSON Schema.
  const written = Object.entries(openapi?.operations ?? {}).map(
    ([tool, { errors: _, ...operation }]) => [tool, operation] as const,
  )
  const copied = openapi === undefined ? undefined : toJson({ ...openapi, operations: Object.fromEntries(written) })
  if (copied?.ok !== true || !isObject(copied.json)) return undefined
  const { server, security, operations } = copied.json
  return {
    ...(typeof server === 'string' && { server }),
    ...(isObject(security) && { security }),
    operations: tools.flatMap((tool) => {
      const declared = isObject(operations) ? own(operations, tool) : undefined
      if (!isObject(declared)) return []
      const { id, ...operation } = declared
      return [{ tool, ...(typeof id === 'string' && { id }), operation }]
    }),
  }
}
