import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { atEnd, listening } from './http-server.fixture.js'
import { newServer } from './new-server.mjs'

/** Serves an MCP server over HTTP. `factory` creates the servers, and `requests` receives each request. */
export async function newServerOverHttp(
  requests: (request: Request) => void = () => undefined,
  factory = newServer,
): Promise<{
  readonly url: string
  readonly handler: McpHttpHandler
}> {
  const handler = createMcpHandler(factory)
  atEnd(() => handler.close())
  const url = await listening(async (incoming, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = await text(incoming)
    const { method = 'GET', headers } = incoming
    const request = new Request(`http://localhost${incoming.url}`, {
      method,
      headers: Object.entries(headers).map(([name, value]) => [name, String(value)]),
      signal: gone.signal,
      ...(method === 'POST' && { body }),
    })
    requests(request)
    const answer = await handler.fetch(request)
    response.writeHead(answer.status, Object.fromEntries(answer.headers)).flushHeaders()
    if (answer.body === null) response.end()
    else
      Readable.fromWeb(answer.body as any)
        .pipe(response)
        .on('error', () => undefined)
  })
  return { url, handler }
}
