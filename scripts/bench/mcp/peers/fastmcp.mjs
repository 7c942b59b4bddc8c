import { once } from 'node:events'
import { createServer } from 'node:net'
import { FastMCP } from 'fastmcp'
import { z } from 'zod'
import { reportOf } from './report.js'

export const name = 'fastmcp'

export const protocols = ['2025-11-25']

const item = z.object({
  id: z.string(),
  title: z.string(),
  price: z.number(),
  inStock: z.boolean(),
  tags: z.array(z.string()),
})

/** Serves the tool and resolves with its URL. The library validates arguments and result with Zod. */
export async function serve() {
  const server = new FastMCP({ name: 'bench', version: '1.0.0' })
  server.addTool({
    name: 'report',
    description: 'List articles.',
    parameters: z.object({ rows: z.int().min(1).max(1_000) }),
    outputSchema: z.object({ total: z.int(), items: z.array(item) }),
    execute: async ({ rows }) => {
      const structuredContent = reportOf(rows)
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
    },
  })
  const port = await freePort()
  await server.start({ transportType: 'httpStream', httpStream: { host: '127.0.0.1', port, endpoint: '/mcp' } })
  return `http://127.0.0.1:${port}/mcp`
}

/** Finds a free port: port 0 is not possible, because the library does not report its port. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
