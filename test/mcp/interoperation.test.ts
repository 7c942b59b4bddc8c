import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Client, type ClientCapabilities, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { afterEach, describe, expect, it } from 'vitest'
import { Runtime, type ToolLayer, type ToolsetRegistration, tool, toolset } from '../../packages/runtime/src/index.js'
import type { ServedClient } from '../../packages/runtime/src/mcp/served-client.js'
import { httpCaller, type McpService, serveMcp } from '../../packages/runtime/src/mcp.js'
import { atEnd, endAll } from './http-server.fixture.js'
import { shop } from './shop.fixture.js'

afterEach(endAll)

const identity = { name: 'test', version: '1' }

async function serving(options: object = { toolsets: [shop()] }): Promise<McpService & { readonly url: string }> {
  const service = await serveMcp<any>(new Runtime(), { toolsets: [], transport: { port: 0 }, ...options })
  atEnd(() => service.close())
  return { ...service, url: String(service.url) }
}

const newClient = (capabilities: ClientCapabilities = {}): Client =>
  new Client(identity, { capabilities, versionNegotiation: { mode: 'auto' } })

describe.each<[string, () => Client | Client1]>([
  ['of SDK 1', () => new Client1(identity)],
  ['of SDK 2 with protocol 2025-11-25', () => new Client(identity)],
  ['of SDK 2 with protocol 2026-07-28', () => newClient()],
])('a client %s', (what, make) => {
  const isOne = what === 'of SDK 1'

  it('calls what is served over Streamable HTTP', async () => {
    const { url } = await serving()
    const client: any = make()
    atEnd(() => client.close())
    await client.connect(isOne ? new Http1(new URL(url)) : new StreamableHTTPClientTransport(new URL(url)))
    expect((await client.listTools()).tools).toHaveLength(4)
    expect(client.getServerVersion()).toEqual({ name: 'toolgen', version: '0.1.0' })
    const found = await client.callTool({ name: 'shop_find', arguments: { id: 'A' } })
    expect(found.structuredContent).toEqual({ id: 'A', total: 12.5, secret: 'x' })
    const updates: object[] = []
    const onprogress = (update: object): unknown => updates.push(update)
    const count = { name: 'shop_count', arguments: {} }
    await (isOne ? client.callTool(count, undefined, { onprogress }) : client.callTool(count, { onprogress }))
    expect(updates).toHaveLength(2)
    await expect(client.callTool({ name: 'shop_none', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  it('calls what is served over stdio', async () => {
    const server = {
      command: process.execPath,
      args: [fileURLToPath(new URL('./weather-server.mjs', import.meta.url))],
    }
    const client: any = make()
    atEnd(() => client.close())
    await client.connect(isOne ? new Stdio1(server) : new StdioClientTransport(server))
    const { content } = await client.callTool({ name: 'weather', arguments: { city: 'Rome' } })
    expect(content).toEqual([{ type: 'text', text: '{"city":"Rome","sky":"blue"}' }])
  })
})

describe('a tool that asks the user of a client with protocol 2026-07-28', () => {
  interface HasClient {
    readonly client: ServedClient
  }
  const plain: ToolsetRegistration = toolset(
    'local',
    tool({ name: 'delete', description: 'Deletes.', parameters: { type: 'object' }, run: () => 'deleted' }),
  )
  const requestedSchema = { type: 'object' as const, properties: { sure: { type: 'boolean' as const } } }
  const call = { name: 'delete', arguments: { id: 1 } }

  /** A client, and the service with a tool that does such work with it. */
  async function asking(
    work: (client: ServedClient, signal: AbortSignal) => Promise<unknown>,
    answer?: (message: string) => object | Promise<object>,
  ): Promise<{ readonly client: Client; readonly service: McpService; readonly url: string }> {
    const layer: ToolLayer<HasClient> = () => async (request) =>
      request.complete(await work(request.env.client, request.meta.signal))
    const context = ({ client }: HasClient): object => ({ env: { client } })
    const service = await serving({ toolsets: [plain.layer(layer)], context })
    const client = newClient(answer === undefined ? {} : { elicitation: { form: {} } })
    if (answer !== undefined) {
      client.setRequestHandler('elicitation/create', async ({ params }) => (await answer(params.message)) as never)
    }
    atEnd(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(new URL(service.url)))
    return { client, service, url: service.url }
  }

  const ask = (client: ServedClient, message = 'Sure?', timeoutMs?: number): Promise<object> =>
    client.elicit({ message, requestedSchema }, timeoutMs === undefined ? {} : { timeoutMs })

  it.each([
    ['accept', { action: 'accept', content: { sure: true } }],
    ['decline', { action: 'decline' }],
  ])('receives the answer: %s', async (_, answered) => {
    let runs = 0
    const { client } = await asking(
      async (served) => {
        runs += 1
        return ask(served)
      },
      () => answered,
    )
    expect((await client.callTool(call)).content).toEqual([{ type: 'text', text: JSON.stringify(answered) }])
    expect(runs).toBe(1)
  })

  it('asks several questions, at once and one after the other', async () => {
    const asked: string[] = []
    const { client } = await asking(
      async (served) => {
        await Promise.all([ask(served, 'a'), ask(served, 'b')])
        await ask(served, 'c')
        return asked.length
      },
      (message) => {
        asked.push(message)
        return { action: 'accept', content: {} }
      },
    )
    expect((await client.callTool(call)).content).toEqual([{ type: 'text', text: '3' }])
    expect(asked).toEqual(['a', 'b', 'c'])
  })

  it('cannot ask a client without forms', async () => {
    const { client } = await asking((served) => ask(served))
    const text = 'The tool needs a client that can ask its user, but this client cannot. Try another way.'
    expect(await client.callTool(call)).toMatchObject({ isError: true, content: [{ text }] })
  })

  it.each([
    ['does not match the form', { action: 'accept', content: { sure: 'yes' } }],
    ['is no answer to a form', { role: 'user', content: { type: 'text', text: 'x' } }],
  ])('fails if the answer %s', async (_, answered) => {
    const { client, url } = await asking(
      (served) => ask(served),
      () => ({ action: 'cancel' }),
    )
    const first = await rawCall(url, {})
    const key = Object.keys(first.inputRequests)[0] ?? ''
    expect(await rawCall(url, { ...first, inputResponses: { [key]: answered } })).toMatchObject({ isError: true })
    expect(await client.callTool(call)).not.toHaveProperty('isError')
  })

  it('does not continue with other arguments, twice, or after its question has expired', async () => {
    const { url } = await asking(
      (served) => ask(served, 'Sure?', 100),
      () => ({ action: 'cancel' }),
    )
    const expired = { code: -32602, message: expect.stringContaining('has expired') }
    const first = await rawCall(url, {})
    const key = Object.keys(first.inputRequests)[0] ?? ''
    const inputResponses = { [key]: { action: 'decline' } }
    expect(await rawCall(url, { ...first, inputResponses, arguments: { id: 2 } })).toMatchObject(expired)
    expect(await rawCall(url, { ...first, inputResponses })).not.toHaveProperty('isError')
    expect(await rawCall(url, { ...first, inputResponses })).toMatchObject(expired)
    expect(await rawCall(url, { requestState: 'guessed', inputResponses })).toMatchObject(expired)
  })

  it('is cancelled with the server while it waits for the answer', async () => {
    let reason: unknown
    const { url, service } = await asking(
      (served, signal) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
        })
        return ask(served)
      },
      () => ({ action: 'cancel' }),
    )
    expect(await rawCall(url, {})).toHaveProperty('inputRequests')
    await service.close()
    expect(String(reason)).toContain('the MCP server is closed')
  })

  /** Calls the tool without the SDK, which would answer the questions. */
  async function rawCall(
    url: string,
    { requestState, inputResponses, arguments: args = { id: 1 } }: any,
  ): Promise<any> {
    const version = '2026-07-28'
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': version,
      'io.modelcontextprotocol/clientInfo': identity,
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
    }
    const params = { name: 'delete', arguments: args, _meta, requestState, inputResponses }
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': version,
        'mcp-method': 'tools/call',
        'mcp-name': 'delete',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    })
    const { result, error }: any = await response.json()
    return result ?? error
  }
})

describe('requests with protocol 2026-07-28 over HTTP', () => {
  const method = 'server/discover'
  const headers = { 'content-type': 'application/json', 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
  const post = (url: string, more: object, padding = ''): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { padding } }),
    })

  it('are checked for their origin, and limited in size', async () => {
    const { url } = await serving()
    expect((await post(url, { origin: 'https://evil.example.com' })).status).toBe(403)
    const large = post(url, {}, 'x'.repeat(5_000_000)).then(
      ({ status }) => status,
      () => 'closed',
    )
    expect([413, 'closed']).toContain(await large)
    expect((await post(url, {})).status).toBe(400)
  })

  it.each([
    ['TRACE', '/mcp'],
    ['GET', '//'],
  ])('%s %s is answered with status 400', async (method, path) => {
    const { port } = new URL((await serving()).url)
    const sent = httpRequest({ host: '127.0.0.1', port, method, path }).end()
    const [{ statusCode }] = await once(sent, 'response')
    expect(statusCode).toBe(400)
  })
})

it('a caller starts a new session if a server of SDK 1 has lost the session', async () => {
  let transport: StreamableHTTPServerTransport | undefined
  let sessions = 0
  const start = async (): Promise<StreamableHTTPServerTransport> => {
    const server = new McpServer1({ name: 'old', version: '1' })
    server.registerTool('go', {}, () => ({ content: [] }))
    sessions += 1
    const opened = new StreamableHTTPServerTransport({ sessionIdGenerator: () => `session-${sessions}` })
    await server.connect(opened as never)
    return opened
  }
  const http = createServer(async (request, response) => {
    const id = request.headers['mcp-session-id']
    if (id !== undefined && id !== transport?.sessionId) return response.writeHead(404).end()
    if (id === undefined && transport?.sessionId !== undefined) transport = undefined
    transport ??= await start()
    return transport.handleRequest(request, response)
  })
  const port = await new Promise<number>((resolve) => {
    http.listen(0, '127.0.0.1', () => resolve(Object(http.address()).port))
  })
  atEnd(async () => void http.close().closeAllConnections())
  const caller = httpCaller({ url: `http://127.0.0.1:${port}/mcp` })
  atEnd(() => caller.close())
  expect(await caller.listTools()).toHaveLength(1)
  transport = await start()
  expect(await caller.listTools()).toHaveLength(1)
})
