import {
  Client as Client2,
  InMemoryTransport as InMemoryTransport2,
  StreamableHTTPClientTransport as StreamableHTTPClientTransport2,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import {
  CallToolRequestSchema,
  ErrorCode,
  McpError,
  UrlElicitationRequiredError,
} from '@modelcontextprotocol/sdk/types.js'
import { ProtocolError, Server as Server2 } from '@modelcontextprotocol/server'
import { describe, expect, it } from 'vitest'
import { cancelled, internal, timedOut, unavailable } from './client-suite.js'
import { startService } from './service.js'
import { SECRET, type Told, told } from './thrown.js'

const wrongValues: Told = { reason: 'domain_rejection', action: 'correct_call' }
const rejected: Told = { reason: 'domain_rejection', action: 'replan' }
const denied: Told = { reason: 'denied', action: 'replan' }

/** A client whose server answers each call of a tool in one way. */
async function connected(answer: () => Promise<never>): Promise<{ client: Client; server: Server }> {
  const server = new Server({ name: 's', version: '1' }, { capabilities: { tools: {} } })
  server.setRequestHandler(CallToolRequestSchema, answer)
  const client = new Client({ name: 'c', version: '1' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  return { client, server }
}

describe('errors of the Model Context Protocol', () => {
  it.each<[string, number, Told]>([
    ['ParseError', ErrorCode.ParseError, internal],
    ['InvalidRequest', ErrorCode.InvalidRequest, internal],
    ['MethodNotFound', ErrorCode.MethodNotFound, internal],
    ['InvalidParams', ErrorCode.InvalidParams, wrongValues],
    ['InternalError', ErrorCode.InternalError, internal],
    ['a resource that is not there', -32002, rejected],
    ["a server's own code", -32050, unavailable],
  ])('%s from a server', async (_, code, expected) => {
    const { client } = await connected(() => Promise.reject(new McpError(code, SECRET)))
    expect(await told(() => client.callTool({ name: 'x' }))).toEqual(expected)
    await client.close()
  })

  it('a page that the user must visit first', async () => {
    const page = { mode: 'url', message: SECRET, url: `https://${SECRET}.invalid`, elicitationId: '1' } as const
    const { client } = await connected(() => Promise.reject(new UrlElicitationRequiredError([page])))
    expect(await told(() => client.callTool({ name: 'x' }))).toEqual(denied)
    await client.close()
  })

  const never = (): Promise<never> => new Promise(() => {})

  it('no answer in time', async () => {
    const { client } = await connected(never)
    expect(await told(() => client.callTool({ name: 'x' }, undefined, { timeout: 50 }))).toEqual(timedOut)
    await client.close()
  })

  it('a server that goes away', async () => {
    const { client, server } = await connected(never)
    setTimeout(() => server.close(), 30)
    expect(await told(() => client.callTool({ name: 'x' }))).toEqual(unavailable)
  })

  it('a call that was given up, which this SDK itself calls a time-out', async () => {
    const { client } = await connected(never)
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 30)
    const given = { signal: controller.signal }
    expect(await told(() => client.callTool({ name: 'x' }, undefined, given))).toEqual(timedOut)
    await client.close()
  })

  it.each<[number, Told]>([
    [400, wrongValues],
    [403, denied],
    [404, rejected],
    [429, { reason: 'rate_limited', action: 'wait' }],
    [503, unavailable],
  ])('status %d of a server over HTTP', async (status, expected) => {
    const service = await startService()
    service.answer = { status }
    const transport = new StreamableHTTPClientTransport(new URL(service.url))
    expect(await told(() => new Client({ name: 'c', version: '1' }).connect(transport))).toEqual(expected)
    await service.close()
  })
})

describe('errors of version 2 of the SDK', () => {
  async function connected2(answer: () => Promise<never>): Promise<{ client: Client2; server: Server2 }> {
    const server = new Server2({ name: 's', version: '1' }, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/call', answer)
    const client = new Client2({ name: 'c', version: '1' })
    const [near, far] = InMemoryTransport2.createLinkedPair()
    await Promise.all([server.connect(far), client.connect(near)])
    return { client, server }
  }
  const never = (): Promise<never> => new Promise(() => {})

  it.each([
    [-32602, wrongValues],
    [-32603, internal],
    [-32050, unavailable],
  ])('the code %d from a server', async (code, expected) => {
    const { client } = await connected2(() => Promise.reject(new ProtocolError(code, SECRET)))
    expect(await told(() => client.callTool({ name: 'x' }))).toEqual(expected)
    await client.close()
  })

  it('no answer in time, and a server that goes away', async () => {
    const { client, server } = await connected2(never)
    expect(await told(() => client.callTool({ name: 'x' }, { timeout: 50 }))).toEqual(timedOut)
    setTimeout(() => server.close(), 30)
    expect(await told(() => client.callTool({ name: 'x' }))).toEqual(unavailable)
  })

  it.each<[number, Told]>([
    [400, wrongValues],
    [429, { reason: 'rate_limited', action: 'wait' }],
    [503, unavailable],
  ])('status %d of a server over HTTP', async (status, expected) => {
    const service = await startService()
    service.answer = { status }
    const transport = new StreamableHTTPClientTransport2(new URL(service.url))
    expect(await told(() => new Client2({ name: 'c', version: '1' }).connect(transport))).toEqual(expected)
    await service.close()
  })
})

describe('errors of JSON-RPC, thrown as they were answered', () => {
  it.each<[number, Told]>([
    [-32700, internal],
    [-32601, internal],
    [-32602, wrongValues],
    [-32000, unavailable],
    [-32099, unavailable],
    [-32100, internal],
    [-31999, internal],
    [-32050.5, internal],
    [-32800, cancelled],
    [-1, internal],
  ])('code %d', async (code, expected) => {
    const thrown: unknown = { code, message: SECRET, data: { url: 'https://127.0.0.1/' } }
    expect(await told(() => Promise.reject(thrown))).toEqual(expected)
  })
})
