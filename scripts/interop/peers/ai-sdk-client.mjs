// Calls a tool with the MCP client of the AI SDK. The argument is the URL, or the JSON array of the command. Prints JSON.
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
