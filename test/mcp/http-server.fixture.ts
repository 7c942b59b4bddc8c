import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

const ends: (() => Promise<void>)[] = []

/** Calls a function at the end of the test. */
export function atEnd(end: () => Promise<void>): void {
  ends.push(end)
}

/** Calls the registered functions in reverse order. */
export async function endAll(): Promise<void> {
  for (const end of ends.splice(0).reverse()) await end()
}

/** Starts an HTTP server on this machine and resolves with its URL. */
export async function listening(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/mcp`
}

/** Handles the call of a tool. */
export type Called = (id: number, response: ServerResponse) => void

/** Starts a Streamable HTTP server that behaves correctly until a tool is called. It has no standalone stream. */
export function calledServer(called: Called): Promise<string> {
  return listening(async (request, response) => {
    const { id, method, params } = await sentTo(request)
    if (request.method !== 'POST') response.writeHead(405).end()
    else if (method === 'initialize') {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(initialized(id, params)))
    } else if (method === 'tools/call') called(id, response)
    else response.writeHead(202).end()
  })
}

/** Starts a server with server-sent events. `called` writes to the stream. */
export function calledEventServer(called: Called): Promise<string> {
  let stream: ServerResponse | undefined
  return listening(async (request, response) => {
    const { id, method, params } = await sentTo(request)
    if (request.method === 'GET') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      stream.write('event: endpoint\ndata: /messages\n\n')
      return
    }
    response.writeHead(202).end()
    if (method === 'initialize') stream?.write(`data: ${JSON.stringify(initialized(id, params))}\n\n`)
    else if (method === 'tools/call' && stream !== undefined) called(id, stream)
  })
}

async function sentTo(request: IncomingMessage): Promise<any> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body === '' ? {} : JSON.parse(body)
}

function initialized(id: number, { protocolVersion }: { readonly protocolVersion: string }): object {
  const result = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } }
  return { jsonrpc: '2.0', id, result }
}
