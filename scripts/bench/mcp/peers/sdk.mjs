import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import { argumentsSchema, reportOf, resultSchema } from './report.js'

export const name = 'SDK 2'

export const protocols = ['2025-11-25', '2026-07-28']

const tool = { name: 'report', description: 'List articles.', inputSchema: argumentsSchema, outputSchema: resultSchema }

/** Creates a server that validates neither arguments nor results. */
function newServer() {
  const server = new Server({ name: 'bench', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler('tools/list', () => ({ tools: [tool] }))
  server.setRequestHandler('tools/call', ({ params }) => {
    const structuredContent = reportOf(params.arguments.rows)
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
  })
  return server
}

/** Serves the tool and resolves with its URL. Older protocols use sessions, as with the other contestants. */
export async function serve() {
  const handle = toNodeHandler(createMcpHandler(newServer, { legacy: 'reject' }))
  const sessions = new Map()
  const http = createServer(async (request, response) => {
    if (request.headers['mcp-method'] !== undefined) return handle(request, response)
    const known = sessions.get(request.headers['mcp-session-id'])
    await (known ?? (await opened(sessions))).handleRequest(request, response)
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  return `http://127.0.0.1:${http.address().port}/mcp`
}

async function opened(sessions) {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => randomUUID(),
    onsessioninitialized: (id) => void sessions.set(id, transport),
  })
  await newServer().connect(transport)
  return transport
}
