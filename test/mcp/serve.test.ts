import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import {
  type ExecutorRequest,
  Runtime,
  renderForModel,
  ToolFailure,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import {
  httpCaller,
  inMemoryCaller,
  type McpCaller,
  type ServeMcpOptions,
  serveMcp,
} from '../../packages/runtime/src/mcp.js'
import { boundOver, importedAs, servedTool } from './served.fixture.js'
import { type ShopLog, shop, shopImport } from './shop.fixture.js'

const ends: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

interface Served {
  readonly caller: McpCaller
  readonly log: ShopLog
  readonly url?: string
}

async function overMemory(): Promise<Served> {
  const log: ShopLog = { waiting: [], cancelled: [] }
  const caller = inMemoryCaller({
    connect: (transport) => serveMcp(new Runtime(), { toolsets: [shop(log)], transport }),
  })
  ends.push(() => caller.close())
  return { caller, log }
}

async function overHttp(more: Pick<ServeMcpOptions, 'context'> = {}): Promise<Required<Served>> {
  const log: ShopLog = { waiting: [], cancelled: [] }
  const service = await serveMcp(new Runtime(), { toolsets: [shop(log)], transport: { port: 0 }, ...more })
  const caller = httpCaller({ url: service.url ?? '', headers: { 'x-tenant': 'acme' } })
  ends.push(
    () => service.close(),
    () => caller.close(),
  )
  return { caller, log, url: service.url ?? '' }
}

describe.each([
  ['memory', overMemory],
  ['Streamable HTTP', overHttp],
])('a toolset that is served over %s', (_, serve) => {
  it('lists its tools with their schemas', async () => {
    const { caller } = await serve()
    const tools = await caller.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['shop_find', 'shop_count', 'shop_wait', 'shop_whoami'])
    expect(tools[0]).toMatchObject({ inputSchema: { required: ['id'] }, outputSchema: { required: ['id', 'total'] } })
    expect(tools[1]).not.toHaveProperty('outputSchema')
  })

  it('answers structured content and the same as text', async () => {
    const { caller } = await serve()
    const { signal } = new AbortController()
    expect(await caller.callTool({ name: 'shop_find', arguments: { id: 'A' } }, { signal })).toEqual({
      content: [{ type: 'text', text: '{"id":"A","total":12.5,"secret":"x"}' }],
      structuredContent: { id: 'A', total: 12.5, secret: 'x' },
    })
  })

  it('has the same outcomes with and without a caller', async () => {
    const { caller } = await serve()
    const client = boundOver(caller, shopImport)
    const found = await client.execute({ tool: 'client.shop_find', arguments: '{"id":"A"}' })
    expect(found).toMatchObject({ status: 'completed', result: { data: { id: 'A', total: 12.5 } } })
    const none = await client.execute({ tool: 'client.shop_find', arguments: '{"id":"none"}' })
    expect(none).toMatchObject({ status: 'failed', hint: { reason: 'domain_rejection' } })
    expect(JSON.stringify(none)).toContain('There is no such order.')
  })

  it('sends progress to clients that request it', async () => {
    const { caller } = await serve()
    const updates: string[] = []
    const call = { tool: 'client.shop_count', arguments: '{}' }
    const outcome = await boundOver(caller, shopImport).execute(call, { onUpdate: (update) => updates.push(update) })
    expect(outcome).toMatchObject({ result: { data: ['one', 'two'] } })
    expect(updates).toEqual(['{"progress":1,"total":2,"message":"half"}', '{"progress":2,"total":2}'])
  })

  it('is cancelled with its caller', async () => {
    const { caller, log } = await serve()
    await caller.listTools()
    const controller = new AbortController()
    const waiting = boundOver(caller, shopImport).execute(
      { tool: 'client.shop_wait', arguments: '{}' },
      { signal: controller.signal },
    )
    await expect.poll(() => log.waiting).toEqual(['wait'])
    controller.abort()
    expect(await waiting).toMatchObject({ hint: { reason: 'cancelled' } })
    await expect.poll(() => log.cancelled).toEqual(['wait'])
  })

  it('refuses an unknown tool as an error of the protocol', async () => {
    const { caller } = await serve()
    const { signal } = new AbortController()
    await expect(caller.callTool({ name: 'delete_all', arguments: {} }, { signal })).rejects.toMatchObject({
      code: 'refused',
      rpcCode: -32602,
      message: 'Unknown tool: delete_all',
    })
  })

  it('names the tools that a client may have meant, and does not repeat the code of the error in its message', async () => {
    const { caller } = await serve()
    const errors: unknown[] = []
    const client = boundOver(caller, importedAs('client', { shop_fnd: {} }))
    const { signal } = new AbortController()
    await caller.callTool({ name: 'shop_fnd', arguments: {} }, { signal }).catch((error) => errors.push(error.cause))
    expect(errors).toMatchObject([{ code: -32602, message: 'Unknown tool: shop_fnd. Did you mean "shop_find"?' }])
    const outcome = await client.execute({ tool: 'client.shop_fnd', arguments: '{}' })
    expect(renderForModel(outcome)).toBe('The tool "client_shop_fnd" is not available any more. Use another tool.')
  })
})

describe('what is served over HTTP', () => {
  it('hides errors of `context` from clients, except errors for models', async () => {
    const { signal } = new AbortController()
    const answerTo = async (error: Error): Promise<unknown> => {
      const { caller } = await overHttp({
        context: () => {
          throw error
        },
      })
      return caller.callTool({ name: 'shop_find', arguments: { id: 'A' } }, { signal })
    }
    const secret = new Error('connect ECONNREFUSED postgres://app:hunter2@10.0.0.5/db')
    expect(await answerTo(secret)).toMatchObject({ isError: true })
    expect(JSON.stringify(await answerTo(secret))).not.toMatch(/hunter2|postgres|ECONNREFUSED/)
    const denied = new ToolFailure('Sign in first.', { reason: 'denied' })
    expect(JSON.stringify(await answerTo(denied))).toContain('Sign in first.')
  })

  it('runs with what the application says of the request', async () => {
    const { caller } = await overHttp({
      context: ({ headers, mcpSession }) => ({
        sessionId: mcpSession === undefined ? 'none' : 'some',
        labels: { tenant: String(headers?.['x-tenant']) },
      }),
    })
    const outcome = await boundOver(caller, shopImport).execute({ tool: 'client.shop_whoami', arguments: '{}' })
    expect(outcome).toMatchObject({ result: { data: { session: 'some', tenant: 'acme' } } })
  })

  it.each([
    ['a name of its own', { host: 'evil.example.com' }, 403],
    ['a page of another site', { origin: 'https://evil.example.com' }, 403],
    ['no origin at all', { origin: 'null' }, 403],
    ['a page of this machine', { origin: 'http://localhost:3000' }, 400],
    ['a program', {}, 400],
  ])('answers %s', async (_, headers, status) => {
    const { url } = await overHttp()
    expect(await statusOf(url, headers)).toBe(status)
  })

  it('is not opened to other machines without the names it goes by', async () => {
    const options = { toolsets: [shop()], transport: { port: 0, host: '0.0.0.0' } }
    await expect(serveMcp(new Runtime(), options)).rejects.toThrow('allowedHosts')
  })

  it('starts a new session if the server has lost the session', async () => {
    const { caller, url } = await overHttp()
    await caller.listTools()
    await ends.splice(0, 1)[0]?.()
    const again = await serveMcp(new Runtime(), { toolsets: [shop()], transport: { port: Number(new URL(url).port) } })
    ends.unshift(() => again.close())
    // The first request may still find the connection that the old server has closed.
    await expect.poll(() => caller.listTools()).toHaveLength(4)
  })
})

describe('sessions over HTTP', () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const post = async (url: string, message: object, session?: string): Promise<Response> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, ...(session !== undefined && { 'mcp-session-id': session }) },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    })
    await response.text()
    return response
  }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } }
  const initialize = (url: string) => post(url, { id: 1, method: 'initialize', params })
  const list = (url: string, session: string) => post(url, { id: 2, method: 'tools/list' }, session)
  /** A session that got past `initialize`. */
  const opened = async (url: string): Promise<string> => {
    const session = (await initialize(url)).headers.get('mcp-session-id') ?? ''
    expect((await list(url, session)).status).toBe(200)
    return session
  }
  const serving = async (more: { readonly maxSessions?: number } = {}): Promise<string> => {
    const service = await serveMcp(new Runtime(), { toolsets: [shop()], transport: { port: 0, ...more } })
    ends.push(() => service.close())
    return service.url ?? ''
  }

  it('defect 14b: 2,000 bare initialize requests end no session of a client, and new clients can connect', async () => {
    const { caller, url } = await overHttp()
    const session = await opened(url)
    expect(await caller.listTools()).toHaveLength(4)
    for (let count = 0; count < 2_000; count += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, () => initialize(url)))
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200))
    }
    expect((await list(url, session)).status).toBe(200)
    expect(await caller.listTools()).toHaveLength(4)
    const other = httpCaller({ url })
    ends.push(() => other.close())
    expect(await other.listTools()).toHaveLength(4)
  })

  it('defect 14b: the least recently used session makes room for a new one', async () => {
    const url = await serving({ maxSessions: 2 })
    const [first, second] = [await opened(url), await opened(url)]
    expect((await list(url, first)).status).toBe(200)
    const third = await opened(url)
    expect((await list(url, second)).status).toBe(404)
    expect((await list(url, first)).status).toBe(200)
    expect((await list(url, third)).status).toBe(200)
  })

  it('sends the whole stream to a client that reads it only after the call', async () => {
    let end: () => void = () => undefined
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const sent = Array.from({ length: 20 }, (_, index) => String(index).repeat(500_000))
    const properties = { progress: { type: 'number' }, message: { type: 'string' } }
    const updates = { type: 'object', properties }
    const tools = [servedTool('news', 'read', { updates })]
    const execute = async ({ emit }: ExecutorRequest) => {
      for (const [index, message] of sent.entries()) await emit({ progress: index + 1, message })
      end()
      return 'done'
    }
    const toolset = { name: 'news', namespace: 'default', description: 'News.', tools }
    const toolsets = [toolsetRegistration({ toolset, provider: 'service' }, { execute })]
    const service = await serveMcp(new Runtime(), { toolsets, transport: { port: 0 } })
    ends.push(() => service.close())
    const url = service.url ?? ''
    const session = await opened(url)
    const call = { name: 'news_read', arguments: {}, _meta: { progressToken: 1 } }
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': session },
      body: JSON.stringify({ jsonrpc: '2.0', id: 3, method: 'tools/call', params: call }),
    })
    await ended
    const data = (await response.text())
      .split('\n')
      .flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
    const messages = data.map((each) => JSON.parse(each))
    expect(messages.slice(0, -1).map(({ params }) => params.message === sent[params.progress - 1])).toEqual(
      Array(sent.length).fill(true),
    )
    expect(messages.at(-1)).toMatchObject({ id: 3, result: { content: [{ type: 'text', text: 'done' }] } })
  })

  it('defect 14b: a session with a call in progress stays, and 503 is answered where each has one', async () => {
    let begin: (value?: unknown) => void = () => undefined
    let end: (value: string) => void = () => undefined
    const begun = new Promise((resolve) => {
      begin = resolve
    })
    const ended = new Promise<string>((resolve) => {
      end = resolve
    })
    const waiting = { name: 'slow', namespace: 'default', description: 'Slow.', tools: [servedTool('slow', 'wait')] }
    const execute = () => {
      begin()
      return ended
    }
    const toolsets = [toolsetRegistration({ toolset: waiting, provider: 'service' }, { execute })]
    const service = await serveMcp(new Runtime(), { toolsets, transport: { port: 0, maxSessions: 1 } })
    ends.push(() => service.close())
    const url = service.url ?? ''
    const session = await opened(url)
    const call = post(url, { id: 3, method: 'tools/call', params: { name: 'slow_wait', arguments: {} } }, session)
    await begun
    expect((await initialize(url)).status).toBe(503)
    end('done')
    expect((await call).status).toBe(200)
    expect((await list(url, session)).status).toBe(200)
  })
})

it('two tools of one name cannot be served', async () => {
  const { caller } = await overMemory()
  await expect(serveMcp(new Runtime(), { toolsets: [shop(), shop()], transport: { port: 0 } })).rejects.toThrow(
    "have the name 'shop_find'",
  )
  expect(caller.server).toBeUndefined()
})

function statusOf(url: string, headers: Record<string, string>): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'
    const accept = 'application/json, text/event-stream'
    const sent = { 'content-type': 'application/json', accept, ...headers }
    const request = httpRequest(url, { method: 'POST', headers: sent }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.once('error', reject)
    request.end(body)
  })
}
