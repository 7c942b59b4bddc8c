// MCP server of toolgen for the clients of other libraries. Over HTTP, it sends its URL to the parent process. Default: stdio.
import { Runtime, tool, toolset } from '../../packages/runtime/dist/index.js'
import { serveMcp } from '../../packages/runtime/dist/mcp.js'

const find = tool({
  name: 'find',
  description: 'Finds an order.',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  run: ({ id }) => ({ id, total: 12.5 }),
})
const transport = process.send === undefined ? 'stdio' : { port: 0 }
const service = await serveMcp(new Runtime(), { toolsets: [toolset('shop', find)], transport })
process.send?.(service.url)
