import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Runtime } from '@toolgen/runtime'
import { type McpCaller, serveMcp } from '@toolgen/runtime/mcp'
import { newBookkeeperFilesMcpExecutor, newBookkeeperFilesToolsetRegistration } from '../gen/agents/bookkeeper/index.js'
import type { Print } from './print.js'

/**
 * Serves the bookkeeper's file tools over Streamable HTTP at a free port of this machine, and calls the tools with the client of the official SDK.
 * This client does not notice that another server executes the tools.
 */
export async function serveFiles(caller: McpCaller, print: Print): Promise<void> {
  const files = newBookkeeperFilesToolsetRegistration(newBookkeeperFilesMcpExecutor(caller))
  const service = await serveMcp(new Runtime(), { toolsets: [files], transport: { port: 0 } })
  const client = new Client({ name: 'somebody', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url ?? '')))
    const { tools } = await client.listTools()
    print(`tools: ${tools.map(({ name }) => name).join(', ')}`)

    const total = await client.callTool({ name: 'files_read_text_file', arguments: { path: 'total.txt' } })
    print(`files_read_text_file: ${JSON.stringify(total.structuredContent)}`)

    const wrong = { name: 'files_read_text_file', arguments: { file: 'total.txt' } }
    const { content, isError } = await client.callTool(wrong)
    print(`with a wrong argument: ${JSON.stringify({ content, isError })}`)
  } finally {
    await client.close()
    await service.close()
  }
}
