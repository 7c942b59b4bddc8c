// The client under test, started by a suite with the address of its server.
import { httpCaller } from '../../packages/runtime/dist/mcp.js'

const caller = httpCaller({ url: process.argv[2], client: { name: 'toolgen', version: '0.1.0' } })
const { signal } = new AbortController()
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')

/** The calls of a scenario; by default one of each tool that needs no arguments or a text. */
const calls = {
  initialize: [],
  tools_call: [{ name: 'add_numbers', arguments: { a: 5, b: 3 } }],
  'sse-retry': [{ name: 'test_reconnection', arguments: {} }],
  'json-schema-ref-no-deref': [],
}[process.env.MCP_CONFORMANCE_SCENARIO]

try {
  const tools = await caller.listTools()
  for (const call of calls ?? context.toolCalls ?? tools.map(plainCall)) {
    const tool = tools.find(({ name }) => name === call.name)
    if (tool === undefined) throw new Error(`the server lists no ${call.name}`)
    const { content } = await caller.callTool(call, { signal })
    if (content?.[0]?.type !== 'text') throw new Error(`no text came back: ${JSON.stringify(content)}`)
  }
} finally {
  await caller.close()
}

function plainCall({ name, inputSchema }, _, tools) {
  const { properties = {} } = inputSchema
  // A tool of the suite that takes the schema of another one as the client has read it.
  const echo = Object.keys(properties).find((key) => /schema/i.test(key))
  const schema = tools.find((tool) => tool.name === 'json_schema_2020_12_tool')?.inputSchema
  const given = Object.entries(properties).map(([key, { type }]) => [key, type === 'string' ? 'x' : undefined])
  return { name, arguments: echo === undefined ? Object.fromEntries(given) : { [echo]: schema } }
}
