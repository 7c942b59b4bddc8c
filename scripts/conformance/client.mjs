// The client under test, started by the suite with the address of its server.
import { httpCaller } from '../../packages/runtime/dist/mcp.js'

const caller = httpCaller({ url: process.argv[2], client: { name: 'toolgen', version: '0.1.0' } })
const { signal } = new AbortController()

const calls = {
  initialize: [],
  tools_call: [{ name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  'sse-retry': [{ name: 'test_reconnection', arguments: {} }],
}[process.env.MCP_CONFORMANCE_SCENARIO]

try {
  const names = (await caller.listTools()).map(({ name }) => name)
  for (const call of calls) {
    if (!names.includes(call.name)) throw new Error(`the server lists no ${call.name}`)
    const { content } = await caller.callTool(call, { signal })
    if (content?.[0]?.type !== 'text') throw new Error(`no text came back: ${JSON.stringify(content)}`)
  }
} finally {
  await caller.close()
}
