// A fastmcp server. Serves HTTP at the port in the first argument, or stdio without an argument.
import { FastMCP, UserError } from 'fastmcp'
import { z } from 'zod'

const server = new FastMCP({ name: 'fastmcp', version: '1.0.0' })
server.addTool({
  name: 'add',
  description: 'Adds two numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => {
    if (a < 0) throw new UserError('Numbers must not be negative.')
    return String(a + b)
  },
})
server.addResource({
  uri: 'memo://note',
  name: 'note',
  mimeType: 'text/plain',
  load: async () => ({ text: 'Call Ada.' }),
})
const port = process.argv[2]
await server.start(
  port === undefined
    ? { transportType: 'stdio' }
    : { transportType: 'httpStream', httpStream: { host: '127.0.0.1', port: Number(port), endpoint: '/mcp' } },
)
