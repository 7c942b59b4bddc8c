// Calls a tool with the MCP client of the AI SDK, and prints JSON. The argument is a URL, or the command of a server as a JSON array.
import { createMCPClient } from '@ai-sdk/mcp'
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio'

const target = process.argv[2]
const [command, ...args] = target.startsWith('[') ? JSON.parse(target) : []
const transport =
  command === undefined ? { type: 'http', url: target } : new Experimental_StdioMCPTransport({ command, args })
const client = await createMCPClient({ transport })
const tools = await client.tools()
const call = (input) => tools.find.execute(input, { toolCallId: '1', messages: [] })
console.log(
  JSON.stringify({
    tools: Object.keys(tools),
    found: await call({ id: 'A-1' }),
  }),
)
await client.close()
