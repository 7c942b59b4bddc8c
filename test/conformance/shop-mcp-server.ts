import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  McpError,
} from '@modelcontextprotocol/sdk/types.js'
import { isToolgenError } from '@toolgen/runtime'
import type { ToolSpec } from '../../packages/runtime/src/index.js'
import type { McpServedTool } from '../../packages/runtime/src/mcp.js'
import { mcpTool } from '../../packages/runtime/src/projections.js'
import type { ToolsetImport } from '../../packages/runtime/src/types/mcp.js'
import { type Shop, tools } from './shop.js'
import { orders } from './shop-executor.js'

/** Handles an error with a status in the server: throws another error, or sends a response and never returns. */
export type Refusal = (error: Error & { readonly status: number }) => Promise<never>

/** Creates a server of the SDK for the shop. The server does not validate arguments. */
export function shopServer(shop: Shop, refuse: Refusal): Server {
  const server = new Server({ name: 'shop', version: '1.0.0' }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [...served.values()] }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    const [name = ''] = [...served].find(([, tool]) => tool.name === params.name) ?? []
    try {
      // `any`: the caller of the server validates the result.
      const answered: any = await shop.answer(name, params.arguments ?? {}, { ...noMeta, signal })
      return { content: [{ type: 'text', text: JSON.stringify(answered) }], structuredContent: answered }
    } catch (error) {
      if (isToolgenError(error, 'ToolFailure'))
        return { isError: true, content: [{ type: 'text', text: error.message }] }
      if (hasStatus(error)) await refuse(error)
      throw isLate(error) ? new McpError(-32001, error.message) : error
    }
  })
  return server
}

const noMeta = { toolCallId: 'of the server', labels: {}, attempt: 1, idempotencyKey: 'of the server' }

/** Tools by their name in the toolset. The server uses other names, and also receives the server-owned fields. */
const served = new Map(tools.map(({ spec }) => [spec.name, servedTool(spec)]))

function servedTool(spec: ToolSpec): McpServedTool & Pick<ReturnType<typeof mcpTool>['tool'], 'inputSchema'> {
  const { inputSchema, outputSchema } = mcpTool(spec).tool
  const owned = Object.fromEntries(spec.serverOwned.map(({ field, schema }) => [field, schema]))
  const properties = { ...Object(inputSchema.properties), ...owned }
  return {
    name: `${spec.name}-order`,
    description: spec.description,
    inputSchema: { ...inputSchema, properties },
    ...(outputSchema !== undefined && { outputSchema }),
  }
}

/** The tools as an import of this server captures them. */
export const imported: ToolsetImport = {
  toolset: orders,
  tools: Object.fromEntries(served),
  server: { name: 'shop', version: '1.0.0' },
}

function hasStatus(error: unknown): error is Error & { readonly status: number } {
  return error instanceof Error && 'status' in error
}

function isLate(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ETIMEDOUT'
}
