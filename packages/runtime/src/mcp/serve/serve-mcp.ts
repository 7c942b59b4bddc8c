import { createServer } from 'node:http'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Runtime } from '../../execute/runtime.js'
import { MAX_MESSAGE_BYTES } from '../caller-options.js'
import { refusalOf } from './allowed-request.js'
import { HttpSessions, refuse } from './http-sessions.js'
import { mcpServers, type NewServer } from './mcp-server.js'
import type { HttpListenOptions, McpService, ServedTools, StdioStreams } from './serve-options.js'

/** What is served and how. */
export type ServeMcpOptions<Env = unknown> = ServedTools<Env> & {
  /** Default `stdio`, over the streams of the process: nothing else may write to stdout then. */
  readonly transport?: 'stdio' | StdioStreams | HttpListenOptions | Transport
}

/**
 * Serves tools as an MCP server: with their schemas and annotations, structured content and text, progress of streaming tools
 * where a client asks for it, and cancellation. What goes wrong with a call is an `isError` result with the text of
 * `renderForModel`; only an unknown tool is an error of the protocol.
 *
 * @throws {TypeError} when two tools have one name, or when others could reach the server and no hosts are named.
 *
 * @example
 * await serveMcp(new Runtime(), { toolsets: [newOrdersToolsetRegistration(executor)] })
 * const service = await serveMcp(runtime, { toolsets: [orders], transport: { port: 8080 } })
 */
export async function serveMcp<Env = unknown>(runtime: Runtime, options: ServeMcpOptions<Env>): Promise<McpService> {
  const newServer = mcpServers(runtime, options)
  const { transport = 'stdio' } = options
  if (transport === 'stdio') return serveStdio(newServer, { input: process.stdin, output: process.stdout })
  if ('output' in transport) return serveStdio(newServer, transport)
  return 'port' in transport ? serveHttp(newServer, transport) : serveOver(newServer, transport)
}

async function serveStdio(newServer: NewServer, { input, output }: StdioStreams): Promise<McpService> {
  // What our callers may send: the SDK's own limit would end the service without a word.
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MAX_MESSAGE_BYTES })
  const service = await serveOver(newServer, transport)
  // The client has gone: there is nobody left to serve.
  input.once('end', () => void service.close())
  return service
}

async function serveOver(newServer: NewServer, transport: Transport): Promise<McpService> {
  const server = newServer()
  const ended = new Promise<void>((resolve) => {
    server.onclose = resolve
  })
  await server.connect(transport)
  return { ended, close: () => server.close() }
}

async function serveHttp(newServer: NewServer, options: HttpListenOptions): Promise<McpService> {
  const { port, host = '127.0.0.1', path = '/mcp' } = options
  const refusal = refusalOf(options)
  const sessions = new HttpSessions(newServer, options)
  const http = createServer((request, response) => {
    const refused = refusal(request.headers)
    if (refused !== undefined) refuse(response, 403, refused)
    else if (request.url?.split('?')[0] !== path) refuse(response, 404, 'Not found')
    else
      sessions.handle(request, response).catch(() => {
        if (response.headersSent) response.destroy()
        else refuse(response, 500, 'Internal error')
      })
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  const ended = new Promise<void>((resolve) => http.once('close', () => resolve()))
  const address = http.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}${path}`,
    ended,
    close: async () => {
      http.close()
      await sessions.close()
      http.closeAllConnections()
      await ended
    },
  }
}
