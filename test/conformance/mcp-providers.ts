import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer, type ServerResponse } from 'node:http'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { bindMcpToolset } from '../../packages/runtime/src/codegen/v1.js'
import type { McpCaller } from '../../packages/runtime/src/mcp.js'
import { httpCaller, inMemoryCaller } from '../../packages/runtime/src/mcp.js'
import type { Provider } from './provider.js'
import type { Shop } from './shop.js'
import { orders } from './shop-executor.js'
import { imported, shopServer } from './shop-mcp-server.js'

const ACTIONS = 'a server says what went wrong, and not what a model is to do next'

/** MCP server of the SDK in this process, with JSON-RPC errors. */
export const mcp: Provider = {
  ...provided((shop) => {
    const server = shopServer(shop, async ({ message }) => {
      throw new McpError(-32000, message)
    })
    return inMemoryCaller(server)
  }),
  name: 'mcp',
  lacks: { actions: ACTIONS, statuses: 'JSON-RPC has no codes for a limit and for a lack of rights' },
}

/** One instance for all servers, because each instance slows down all promises of the process. */
const responses = new AsyncLocalStorage<ServerResponse>()

/** MCP server of the SDK over Streamable HTTP, with HTTP statuses. */
export const mcpOverHttp: Provider = {
  ...provided(async (shop, ends) => {
    const server = shopServer(shop, (error) => {
      const headers = 'headers' in error ? Object(error.headers) : {}
      responses.getStore()?.writeHead(error.status, headers).end('hunter2')
      return new Promise(() => undefined)
    })
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'shop', enableJsonResponse: true })
    await server.connect(transport)
    const http = createServer((request, response) => {
      void responses.run(response, () => transport.handleRequest(request, response))
    })
    const port = await new Promise<number>((resolve) => {
      http.listen(0, '127.0.0.1', () => resolve(Object(http.address()).port))
    })
    ends.push(async () => {
      await server.close()
      http.close()
      http.closeAllConnections()
    })
    return httpCaller({ url: `http://127.0.0.1:${port}/mcp` })
  }),
  name: 'mcp over HTTP',
  connection: { 'mcp.protocol.version': '2025-11-25', 'mcp.session.id': 'shop' },
  lacks: { actions: ACTIONS },
}

type Ends = (() => Promise<void>)[]

/** Returns the tools of a server whose caller connects for the first call. */
function provided(
  callerOf: (shop: Shop, ends: Ends) => McpCaller | Promise<McpCaller>,
): Pick<Provider, 'kind' | 'make' | 'end' | 'facts' | 'connection'> {
  const ends: Ends = []
  return {
    kind: 'mcp',
    connection: { 'mcp.protocol.version': '2025-11-25' },
    facts: () => ({ service: 'shop' }),
    make: (_, shop, { options, layers }) => {
      const caller = async (): Promise<McpCaller> => {
        const opened = await callerOf(shop, ends)
        ends.push(() => opened.close())
        return opened
      }
      const use = { toolset: orders, provider: 'mcp' } as const
      const { registration, errors } = bindMcpToolset(use, { caller, layers, onDrift: 'fail', ...options }, imported)
      if (registration === undefined) throw new Error(JSON.stringify(errors))
      return registration
    },
    end: async () => {
      for (const end of ends.splice(0).reverse()) await end()
    },
  }
}
