import type { Agent, Tool, Toolset } from '@toolgen/dsl'
import { parseUriTemplate } from '@toolgen/runtime/schema'
import { elementAt } from '../defined.js'
import { isObject, own } from '../schema/json-schema.js'
import { toJson } from '../schema/json-values.js'
import { importedToolNames } from './tool-names.js'
import type {
  McpPromptIr,
  McpResourceTemplateIr,
  McpServedToolIr,
  McpSourceIr,
  OpenApiSourceIr,
  SchemaObject,
} from './types.js'

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
    ...(mcp?.prompts !== undefined && mcp.prompts.length > 0 && { prompts: promptsOf(mcp.prompts) }),
    ...(mcp?.resources === true && { resources: true }),
    ...(mcp?.resourceTemplates !== undefined && { resourceTemplates: templatesOf(mcp.resourceTemplates) }),
    tools: names.map((name): McpServedToolIr => {
      const tool = own(mcp?.captured ?? {}, name)
      const remote = serverToolName(toolset, name)
      const hash = own(mcp?.hashes ?? {}, name)
      return {
        tool: name,
        name: remote,
        ...(hash !== undefined && { hash }),
        ...(tool !== undefined && captured(tool, remote)),
      }
    }),
  }
}

/** Skips prompts and arguments without a name, because a user can edit the snapshot. */
function promptsOf(listed: readonly unknown[]): readonly McpPromptIr[] {
  const prompts = listed.filter(isObject).filter(({ name }) => typeof name === 'string')
  const names = importedToolNames(prompts.map(({ name }) => String(name)))
  return prompts.map((prompt, index): McpPromptIr => {
    const { name, description, title, arguments: args } = prompt
    const about = [description, title].find((text) => typeof text === 'string' && text !== '')
    return {
      method: elementAt(names, index).tool,
      name: String(name),
      ...(typeof about === 'string' && { description: about }),
      arguments: (Array.isArray(args) ? args : []).filter(isObject).flatMap((argument) => {
        const { name, description, required } = argument
        if (typeof name !== 'string') return []
        const described = typeof description === 'string' && description !== ''
        return [{ name, ...(described && { description }), required: required === true }]
      }),
    }
  })
}

/** Skips malformed templates, because a user can edit the snapshot. */
function templatesOf(listed: readonly unknown[]): readonly McpResourceTemplateIr[] {
  const templates = listed.filter(isObject).flatMap(({ name, uriTemplate, description, title }) => {
    const parts = typeof uriTemplate === 'string' ? parseUriTemplate(uriTemplate) : undefined
    if (typeof name !== 'string' || typeof uriTemplate !== 'string' || parts === undefined) return []
    const about = [description, title].find((text) => typeof text === 'string' && text !== '')
    const variables = new Map(
      parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables)).map((each) => [each.name, each]),
    )
    return [
      {
        name,
        uriTemplate,
        ...(typeof about === 'string' && { description: about }),
        variables: [...variables.values()],
      },
    ]
  })
  const names = importedToolNames(templates.map(({ name }) => name))
  return templates.map((template, index) => ({ method: elementAt(names, index).tool, ...template }))
}

export function serverToolName({ mcp }: Toolset, tool: string): string {
  return own(mcp?.names ?? {}, tool) ?? tool
}

/**
 * Omits a description that equals the title or name of the tool: the server declared no description, and the import used the title or name instead.
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
