import type { AgentValue, McpSourceValue, ToolsetValue, ToolValue } from '@toolgen/dsl'
import { isObject, own } from '../../schema/json/json.js'
import { toJson } from '../../schema/json/to-json.js'
import type { McpServedToolIr, McpSourceIr, SchemaObject } from '../types.js'

/** The names of the toolsets that an MCP server serves: those that say so, and those that an agent uses so. */
export function mcpServed(toolsets: readonly ToolsetValue[], agents: readonly AgentValue[]): ReadonlySet<string> {
  const used = agents.flatMap(({ uses }) => uses.filter(({ provider }) => provider === 'mcp'))
  const said = toolsets.filter(({ mcp }) => mcp !== undefined)
  return new Set([...said, ...used.map(({ toolset }) => toolset)].map(({ name }) => name))
}

/** Builds how an MCP server serves the given tools of a toolset. */
export function buildMcpSource({ mcp, tools }: ToolsetValue, names: readonly string[]): McpSourceIr {
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
export function nameOnServer(mcp: McpSourceValue | undefined, tool: string): string {
  return own(mcp?.names ?? {}, tool) ?? tool
}

/**
 * What the server said of a tool. The import lets a result that is not described be anything, and a tool's title or name
 * stand in for a description.
 */
function captured(
  { title, description, payload, result }: ToolValue,
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
