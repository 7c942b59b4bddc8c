// An MCP server of the official SDK with protocol 2026-07-28. Run as a program, it serves stdio.
import { fileURLToPath } from 'node:url'
import { inputRequired, McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const said = (text) => ({ content: [{ type: 'text', text: String(text) }] })
const order = z.object({ id: z.string(), total: z.number() })

/** What the server has seen; shared by all its connections. */
export const seen = { waiting: 0, cancelled: 0 }

export function newServer() {
  const server = new McpServer({ name: 'new', version: '2.0.0' }, { capabilities: { tools: { listChanged: true } } })
  const register = (name, schema, run) => server.registerTool(name, { inputSchema: z.object(schema) }, run)
  register('era', {}, (_, { mcpReq }) => said(mcpReq.envelope === undefined ? 'old' : 'new'))
  server.registerTool('find', { inputSchema: z.object({ id: z.string() }), outputSchema: order }, ({ id }) => ({
    content: [],
    structuredContent: { id, total: 12.5 },
  }))
  register('fail', {}, () => ({ ...said('There is no such order.'), isError: true }))
  register('big', { bytes: z.number() }, ({ bytes }) => said('x'.repeat(bytes)))
  register('count', {}, async (_, { mcpReq: { _meta, notify } }) => {
    const { progressToken } = _meta ?? {}
    for (const progress of [1, 2]) {
      await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 2 } })
    }
    return said('done')
  })
  register('wait', {}, (_, { mcpReq: { signal } }) => {
    seen.waiting += 1
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        seen.cancelled += 1
        reject(signal.reason)
      })
    })
  })
  register('seen', {}, () => said(JSON.stringify(seen)))
  register('ask', {}, () =>
    inputRequired({
      inputRequests: {
        sure: inputRequired.elicit({ message: 'Sure?', requestedSchema: z.object({ sure: z.boolean() }) }),
      },
    }),
  )
  register('roots', {}, (_, { mcpReq: { inputResponses } }) =>
    inputResponses === undefined
      ? inputRequired({ inputRequests: { roots: inputRequired.listRoots() } })
      : said(JSON.stringify(inputResponses.roots.roots)),
  )
  register('again', {}, () => inputRequired({ requestState: 'again' }))
  register('change', {}, async () => {
    server.registerTool('added', {}, () => said('added'))
    server.sendToolListChanged()
    return said('changed')
  })
  const region = z.string().meta({ 'x-mcp-header': 'Region' })
  register('region', { region }, ({ region }) => said(region))
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) serveStdio(newServer)
